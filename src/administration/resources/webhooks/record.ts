import type { WebhookEvent } from "../../../kernel/webhook-events.ts";

/** The limit for one business. Disabled webhooks count too. */
export const mostWebhooks = 50;

export interface Webhook {
  readonly url: string;
  /** In the order of `webhookEvents`. */
  readonly events: readonly WebhookEvent[];
  readonly description: string | null;
  readonly disabled: boolean;
}
