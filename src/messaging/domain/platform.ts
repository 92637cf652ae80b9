import type { DeliveryState, ReportedState } from "../../kernel/delivery.ts";
import { domainError } from "../../kernel/errors.ts";

/** The kinds of refusals. Each needs a different reaction. */
export type RefusalClass =
  /** The sender is over its rate or briefly out of service: wait, then go on. */
  | "wait-sender"
  /** Too many messages to this one recipient: wait for this recipient only. */
  | "wait-recipient"
  /** The template, account or token is wrong: no message that uses it can succeed. */
  | "stop"
  /** The platform has paused or disabled the template: no message with it can succeed. */
  | "stop-template"
  /** This recipient cannot be reached with this message. */
  | "final"
  /** The recipient opted out of marketing messages. */
  | "opted-out"
  /** The platform limits messages to this recipient: wait 24 hours. */
  | "later";

export interface Refusal {
  readonly class: RefusalClass;
  /** The platform's own code, for instance 132001. */
  readonly code: number;
  readonly reason: string;
  /** The platform's requested wait in milliseconds, if it names one. */
  readonly retryAfterMs?: number;
}

export type SendOutcome =
  | {
      readonly kind: "accepted";
      readonly platformMessageId: string;
      /** The recipient's id on the platform, which may differ from the number that was sent to. */
      readonly recipientId?: string;
    }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The request was never sent, for instance because no connection was made. */
  | { readonly kind: "not-sent"; readonly reason: string }
  /** The request may have been sent, but no answer told whether the platform accepted the message. */
  | { readonly kind: "unknown"; readonly reason: string };

/** The state of a message in its chat after each outcome of its request. */
export const settledStates = {
  accepted: "sent",
  refused: "failed",
  "not-sent": "failed",
  unknown: "unknown",
} as const satisfies Record<SendOutcome["kind"], DeliveryState>;

/** A delivery status of a message that we sent. */
export interface DeliveryStatus {
  /** The platform's id of the business's sender. */
  readonly sender: string;
  readonly platformMessageId: string;
  /** The reference that the message was sent with. */
  readonly reference?: string;
  /** The recipient's id on the platform, which may differ from the number that was sent to. */
  readonly recipientId?: string;
  readonly state: ReportedState;
  readonly error?: { readonly code: number; readonly reason: string; readonly optedOut: boolean };
}

const templateStates = ["APPROVED", "PENDING", "REJECTED"] as const;
export type TemplateState = (typeof templateStates)[number];

/** §1.5: the platform's review status, for instance `IN_APPEAL` or `PAUSED`, as one of the three states. */
export function templateStateOf(reviewStatus: unknown): TemplateState {
  if (reviewStatus === "APPROVED") return "APPROVED";
  return reviewStatus === "PENDING" || reviewStatus === "IN_APPEAL" ? "PENDING" : "REJECTED";
}

/** `no_status`: the platform does not know the template in the language that a send would use. */
export const approvalStates = [...templateStates, "no_status"] as const;
export type ApprovalState = (typeof approvalStates)[number];

/** A template at the platform, identified by name and language. */
export interface PlatformTemplate {
  readonly name: string;
  readonly language: string;
  readonly state: TemplateState;
}

/** A webhook's report on a template. */
export interface TemplateNews {
  /** The platform's id of the business's account. */
  readonly account: string;
  readonly platformId: string | null;
  readonly name: string;
  readonly language: string;
  readonly at: Date;
  /** The review status; null if the platform deleted the template. Absent from reports on the category. */
  readonly status?: string | null;
  readonly reason?: string | null;
  readonly category?: string;
}

/** Review statuses of approved templates that the platform has stopped sending. */
export const stoppedStatuses: readonly string[] = ["PAUSED", "DISABLED"];

/** The platform did not answer a question, or answered with an error. The `message` of this class is safe for logs. */
export class PlatformUnavailable extends domainError("platform_unavailable") {
  override readonly mayRepeat = true;
}
