import { type ChannelName, pageChannel, photoChannel } from "../../kernel/channels.ts";
import { groupBy } from "../../kernel/group-by.ts";
import type { AcceptedMessage } from "../core/shared.ts";
import type { Delivery, Webhooks } from "../core/webhooks.ts";
import type { SandboxPage } from "../settings.ts";

/** A page, or a photo-app account. */
export interface Page extends Omit<SandboxPage, "channel" | "people"> {
  readonly channel: ChannelName;
  readonly people: ReadonlySet<string>;
}

export interface PageMessage extends AcceptedMessage {
  readonly page: Page;
}

export const pageFrom = ({ channel = pageChannel, people, ...own }: SandboxPage): Page => ({
  ...own,
  channel,
  people: new Set(people),
});

export interface Messaging {
  readonly page: Page;
  readonly event: object;
}

/** A webhook with events of pages, or of photo accounts. Each page or account has one entry. */
export function messagingDelivery(
  webhooks: Webhooks,
  channel: ChannelName,
  all: readonly Messaging[],
  copies?: number,
): Delivery {
  const isPhoto = channel === photoChannel;
  const time = Date.now();
  const byPage = [...groupBy(all, ({ page }) => page.pageId)];
  const entry = byPage.map(([id, own]) => ({ id, time, messaging: own.map(({ event }) => event) }));
  const payload = { object: isPhoto ? "instagram" : "page", entry };
  return webhooks.signed(isPhoto ? "photo" : "page", payload, copies);
}

/** An event from a customer to a page, or from a page to a customer. `at` is in milliseconds since 1970. */
export const eventBetween = (sender: string, recipient: string, at: number, what: object): object => ({
  sender: { id: sender },
  recipient: { id: recipient },
  timestamp: at,
  ...what,
});
