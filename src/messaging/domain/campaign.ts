import { deliveryStates } from "../../kernel/delivery.ts";
import { domainError } from "../../kernel/errors.ts";
import { dayMs } from "../../kernel/instants.ts";
import type { Refusal, SendOutcome } from "./platform.ts";
import type { Media } from "./template.ts";

export const campaignStates = ["running", "paused", "cancelled", "completed"] as const;
export type CampaignState = (typeof campaignStates)[number];

/** The states in which a campaign sends. */
export const sendingStates = ["running"] as const satisfies readonly CampaignState[];

/** A change from one of several states to another. An empty `from` means that rows begin in `to`. */
export interface Move<State extends string> {
  readonly from: readonly State[];
  readonly to: State;
}

export const campaignMoves = {
  register: { from: [], to: "running" },
  /** By an operator, or because no message of the campaign can succeed; `pause_reason` says why. */
  pause: { from: ["running"], to: "paused" },
  resume: { from: ["paused"], to: "running" },
  cancel: { from: ["running", "paused"], to: "cancelled" },
  /** When no recipient is `queued` or `sending`. */
  complete: { from: ["running"], to: "completed" },
  /** When recipients went back to the queue. */
  reopen: { from: ["completed"], to: "running" },
} as const satisfies Record<string, Move<CampaignState>>;

/** The actions of operators, each with the campaign states that allow it. The last two requeue recipients. */
export const campaignActions = {
  pause: campaignMoves.pause.from,
  resume: campaignMoves.resume.from,
  cancel: campaignMoves.cancel.from,
  "retry-failed": ["running", "paused", "completed"],
  "resend-unknown": ["running", "paused", "completed"],
} as const satisfies Record<string, readonly CampaignState[]>;
export type CampaignAction = keyof typeof campaignActions;

/** `skipped` recipients opted out or have no number; `cancelled` ones were queued when the campaign was cancelled. */
export const recipientStates = [...deliveryStates, "skipped", "cancelled"] as const;
export type RecipientState = (typeof recipientStates)[number];
export type RecipientCounts = Readonly<Record<RecipientState, number>>;

/** Adds a 0 for each state that was not counted. */
export const countsOf = (counted: Partial<RecipientCounts>): RecipientCounts =>
  Object.fromEntries(recipientStates.map((state) => [state, counted[state] ?? 0])) as RecipientCounts;

/** The order in which the states of a recipient follow each other: as in chats, with `skipped` after `failed`. */
export const deliveryOrder: readonly RecipientState[] = deliveryStates.flatMap((state): RecipientState[] =>
  state === "failed" ? [state, "skipped"] : [state],
);

/** Besides these moves, outcomes of attempts and delivery statuses move a recipient forward in `deliveryOrder`. */
export const recipientMoves = {
  add: { from: [], to: "queued" },
  claim: { from: ["queued"], to: "sending" },
  /** The contact has opted out or has no number. */
  skip: { from: ["queued"], to: "skipped" },
  cancel: { from: ["queued"], to: "cancelled" },
  /** The worker died before it knew the outcome, or the contact was erased during the attempt. */
  lose: { from: ["sending"], to: "unknown" },
  /** The platform certainly did not accept the message, so it is sent again. */
  giveBack: { from: ["sending", "unknown"], to: "queued" },
  "retry-failed": { from: ["failed"], to: "queued" },
  "resend-unknown": { from: ["unknown"], to: "queued" },
} as const satisfies Record<string, Move<RecipientState>>;

/** States of recipients without an outcome. A campaign with such recipients is not finished. */
export const openStates: readonly RecipientState[] = [...recipientMoves.claim.from, recipientMoves.claim.to];

/** In these states, a recipient has no message, unless an earlier attempt has sent one. */
export const messagelessStates: readonly RecipientState[] = ["queued", "cancelled"];

/** In these states, the message failed and is not retried automatically, or the recipient was skipped. */
export const refusedStates: readonly RecipientState[] = ["failed", "skipped"];

/** A template as it was when its campaign was registered. */
export interface FrozenTemplate {
  readonly id: number;
  readonly platformName: string;
  readonly language: string;
  readonly body: string;
  /**
   * The placeholders' names in the order of the parameters; empty if the placeholders are numbered, absent in older
   * campaigns.
   */
  readonly parameterNames?: readonly string[];
  readonly providerBId: string | null;
  /** A button copies the first parameter, which is a one-time code. */
  readonly copiesCode?: boolean;
  readonly media: Media | null;
}

/** Maps the number of a placeholder, from 1, to the name of the contact's field that fills the placeholder. */
export type ParameterMapping = ReadonlyMap<number, string>;

const missing = "unknown";

/**
 * §4.3: one contact's texts for all placeholders of the template; empty without a mapping. A text is `unknown` if the
 * mapping omits the placeholder, the contact itself lacks the field, or the field is not a text, number or boolean.
 */
export function fillParameters(
  mapping: ParameterMapping | null,
  count: number,
  contact: Readonly<Record<string, unknown>>,
): string[] {
  if (!mapping) return [];
  return Array.from({ length: count }, (_, index) => {
    const field = mapping.get(index + 1);
    const value = field !== undefined && Object.hasOwn(contact, field) ? contact[field] : undefined;
    const isText = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return isText ? String(value) : missing;
  });
}

/** How often a recipient is tried while the platform says that the recipient got too many messages. */
const mostOwnSetbacks = 8;
/**
 * How often a recipient is tried while attempts fail because of the business's sender or the connection. The waits
 * between these attempts add up to about an hour and a half, if the platform does not ask for other waits.
 */
const mostSetbacksOfSender = 100;
const longestWaitOfSenderMs = 60_000;

/**
 * Why the platform did not accept a message that is sent again. `sender`: because of the sender, the campaign or the
 * connection. `recipient`: the recipient got too many messages. `held-back`: the message must wait a day.
 */
export type Setback = "sender" | "recipient" | "held-back";

/** The stored result of an attempt. */
export interface AttemptResult {
  readonly state: Extract<RecipientState, "queued" | "sent" | "failed" | "unknown" | "skipped">;
  readonly platformMessageId?: string;
  readonly recipientId?: string;
  readonly code?: number;
  readonly reason?: string;
  /** Milliseconds until the next attempt, for a recipient that is queued again. */
  readonly dueInMs?: number;
  /** Absent if the recipient is not queued again, or if nothing was tried. */
  readonly setback?: Setback;
}

/** What an attempt's outcome means for later attempts. */
export type Consequence =
  | { readonly kind: "go-on" }
  /** The sender exceeds its rate, or the platform cannot be reached. */
  | { readonly kind: "slow-down"; readonly retryAfterMs?: number }
  /** No message can succeed in this campaign or, if `concerns` is `template`, in any campaign with its template. */
  | { readonly kind: "pause"; readonly reason: string; readonly concerns: "campaign" | "template" };

const goOn: Consequence = { kind: "go-on" };

/** Attempts for the same recipient that the platform certainly did not accept. */
export interface EarlierAttempts {
  /** The number of attempts with the setback `sender`. */
  readonly setbacks: number;
  /** The number of attempts with the setback `recipient`. */
  readonly ownSetbacks: number;
  /** True if the platform has held the message back before. If it is held back again, the message fails. */
  readonly isHeldBack: boolean;
}

export function consequencesOf(outcome: SendOutcome, earlier: EarlierAttempts): readonly [AttemptResult, Consequence] {
  switch (outcome.kind) {
    case "accepted": {
      const { platformMessageId, recipientId } = outcome;
      return [{ state: "sent", platformMessageId, ...(recipientId === undefined ? {} : { recipientId }) }, goOn];
    }
    case "unknown":
      return [{ state: "unknown", reason: outcome.reason }, goOn];
    case "not-sent":
      return [waitForSender(earlier.setbacks, undefined, { reason: outcome.reason }), { kind: "slow-down" }];
    case "refused":
      return refused(outcome.refusal, earlier);
  }
}

function refused(
  { class: kind, code, reason, retryAfterMs }: Refusal,
  { setbacks, ownSetbacks, isHeldBack }: EarlierAttempts,
): readonly [AttemptResult, Consequence] {
  const said = { code, reason };
  switch (kind) {
    case "wait-sender":
      return [
        waitForSender(setbacks, retryAfterMs, said),
        { kind: "slow-down", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
      ];
    case "wait-recipient":
      return [waitForRecipient(ownSetbacks, retryAfterMs, said), goOn];
    case "later":
      // A message that the platform holds back for the first time is queued for the next day, even after other
      // refusals. The second time, it fails.
      return [
        isHeldBack ? { state: "failed", ...said } : { state: "queued", dueInMs: dayMs, setback: "held-back", ...said },
        goOn,
      ];
    case "stop":
    case "stop-template":
      return [
        { state: "queued", dueInMs: 0, setback: "sender", ...said },
        { kind: "pause", reason: `${code}: ${reason}`, concerns: kind === "stop" ? "campaign" : "template" },
      ];
    case "opted-out":
      return [{ state: "skipped", ...said }, goOn];
    case "final":
      return [{ state: "failed", ...said }, goOn];
  }
}

type Said = Pick<AttemptResult, "code" | "reason">;

const waitForSender = (setbacks: number, retryAfterMs: number | undefined, said: Said): AttemptResult => {
  if (setbacks + 1 >= mostSetbacksOfSender) return { state: "failed", ...said };
  const dueInMs = retryAfterMs ?? Math.min(longestWaitOfSenderMs, 1_000 * 2 ** setbacks);
  return { state: "queued", dueInMs, setback: "sender", ...said };
};

const waitForRecipient = (ownSetbacks: number, retryAfterMs: number | undefined, said: Said): AttemptResult => {
  if (ownSetbacks + 1 >= mostOwnSetbacks) return { state: "failed", ...said };
  const dueInMs = retryAfterMs ?? 1_000 * 4 ** (ownSetbacks + 1);
  return { state: "queued", dueInMs, setback: "recipient", ...said };
};

export class CampaignNotFound extends domainError("campaign_not_found") {}

/** The campaign's state does not allow the action. */
export class WrongCampaignState extends domainError("wrong_campaign_state") {
  constructor(readonly state: CampaignState) {
    super(`the campaign is ${state}`);
  }
}

/** The campaign cannot send again, because its sender was deleted. */
export class CampaignWithoutSender extends domainError("campaign_without_sender") {}

/** The mapping fills a placeholder that the template does not have. */
export class UnknownPlaceholder extends domainError("unknown_placeholder") {
  constructor(readonly placeholder: number) {
    super(`the template has no placeholder ${placeholder}`);
  }
}

/** An error lists at most this many unknown ids of each kind, even if there are more. */
export const namedIds = 20;

export class UnknownIds extends domainError("unknown_ids") {
  constructor(readonly missing: Readonly<Record<"contacts" | "step" | "user" | "tags", readonly number[]>>) {
    super("the request names ids that the business does not have");
  }
}
