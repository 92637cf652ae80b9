import { deliveryStates } from "../../kernel/delivery.ts";
import { DomainError } from "../../kernel/errors.ts";
import type { Refusal, SendOutcome } from "./platform.ts";
import type { Media } from "./template.ts";

export const campaignStates = ["running", "paused", "cancelled", "completed"] as const;
export type CampaignState = (typeof campaignStates)[number];

/** Those whose recipients are sent. */
export const sendingStates = ["running"] as const satisfies readonly CampaignState[];

/** What leads from which states to which. Where one leads from no state, that is where the rows begin. */
export interface Move<State extends string> {
  readonly from: readonly State[];
  readonly to: State;
}

export const campaignMoves = {
  register: { from: [], to: "running" },
  /** By an operator, or because nothing of it can succeed: the reason is told. */
  pause: { from: ["running"], to: "paused" },
  resume: { from: ["paused"], to: "running" },
  cancel: { from: ["running", "paused"], to: "cancelled" },
  /** Nobody waits for its message any more, and none is under way. */
  complete: { from: ["running"], to: "completed" },
  /** Recipients went back to the queue. */
  reopen: { from: ["completed"], to: "running" },
} as const satisfies Record<string, Move<CampaignState>>;

/** What an operator may ask for, in which states of the campaign. The last two are moves of its recipients. */
export const campaignActions = {
  pause: campaignMoves.pause.from,
  resume: campaignMoves.resume.from,
  cancel: campaignMoves.cancel.from,
  "retry-failed": ["running", "paused", "completed"],
  "resend-unknown": ["running", "paused", "completed"],
} as const satisfies Record<string, readonly CampaignState[]>;
export type CampaignAction = keyof typeof campaignActions;

/** What is known of one recipient. `skipped` asked for no more messages; `cancelled` fell with its campaign. */
export const recipientStates = [...deliveryStates, "skipped", "cancelled"] as const;
export type RecipientState = (typeof recipientStates)[number];
export type RecipientCounts = Readonly<Record<RecipientState, number>>;

/** How many there are in each state, from those states that were counted. */
export const countsOf = (counted: Partial<RecipientCounts>): RecipientCounts =>
  Object.fromEntries(recipientStates.map((state) => [state, counted[state] ?? 0])) as RecipientCounts;

/** The order in which knowledge of a message grows, as in the chats; to skip somebody is a kind of failing. */
export const deliveryOrder: readonly RecipientState[] = deliveryStates.flatMap((state): RecipientState[] =>
  state === "failed" ? [state, "skipped"] : [state],
);

/** Besides these, outcomes of tries and delivery statuses move a recipient forward in `deliveryOrder`. */
export const recipientMoves = {
  add: { from: [], to: "queued" },
  claim: { from: ["queued"], to: "sending" },
  /** The contact opted out meanwhile. */
  skip: { from: ["queued"], to: "skipped" },
  cancel: { from: ["queued"], to: "cancelled" },
  /** The worker died before it knew the outcome. */
  lose: { from: ["sending"], to: "unknown" },
  /** The message was proved not to have been accepted, and is tried again. */
  giveBack: { from: ["sending", "unknown"], to: "queued" },
  "retry-failed": { from: ["failed"], to: "queued" },
  "resend-unknown": { from: ["unknown"], to: "queued" },
} as const satisfies Record<string, Move<RecipientState>>;

/** Those who wait for their message or whose message is under way: as long as there are any, the campaign is not over. */
export const openStates: readonly RecipientState[] = [...recipientMoves.claim.from, recipientMoves.claim.to];

/** Those without a message, unless one went out all the same. */
export const messagelessStates: readonly RecipientState[] = ["queued", "cancelled"];

/** Those whose message was refused for good. */
export const refusedStates: readonly RecipientState[] = ["failed", "skipped"];

/** A template as it was when its campaign was registered. */
export interface FrozenTemplate {
  readonly id: number;
  readonly platformName: string;
  readonly language: string;
  readonly body: string;
  /** Of its placeholders, in the order of the parameters; none where they are numbered, as in older campaigns. */
  readonly parameterNames?: readonly string[];
  readonly providerBId: string | null;
  readonly media: Media | null;
}

/** For each placeholder that is mapped, by its number from 1, the name of the contact's field that fills it. */
export type ParameterMapping = ReadonlyMap<number, string>;

const missing = "unknown";

/**
 * §4.3: the texts of the placeholders for one contact, as many as the template has; none without a mapping. Only the
 * contact's own fields are read, and only texts, numbers and booleans are texts.
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

/** Tries that a recipient gets when each was proved not to have been accepted. */
const mostSetbacks = 8;
/** The same where the number was at fault: with the waits between them, hours of its trouble lose nobody. */
const mostSetbacksOfNumber = 100;
const longestWaitOfNumberMs = 60_000;
const dayMs = 24 * 60 * 60 * 1000;

/** What is written down of a recipient after a try. */
export interface Progress {
  readonly state: Extract<RecipientState, "queued" | "sent" | "failed" | "unknown" | "skipped">;
  readonly platformMessageId?: string;
  readonly recipientId?: string;
  readonly code?: number;
  readonly reason?: string;
  /** For a recipient that is queued again: milliseconds until the next try. */
  readonly dueInMs?: number;
}

/** What a try says about all that follow. */
export type Consequence =
  | { readonly kind: "go-on" }
  /** The number is over its rate or out of reach. */
  | { readonly kind: "slow-down"; readonly retryAfterMs?: number }
  /** Nothing of this campaign can succeed. */
  | { readonly kind: "pause"; readonly reason: string };

const goOn: Consequence = { kind: "go-on" };

/** @param setbacks - earlier tries of this recipient that were proved not to have been accepted */
export function consequencesOf(outcome: SendOutcome, setbacks: number): readonly [Progress, Consequence] {
  switch (outcome.kind) {
    case "accepted": {
      const { platformMessageId, recipientId } = outcome;
      return [{ state: "sent", platformMessageId, ...(recipientId === undefined ? {} : { recipientId }) }, goOn];
    }
    case "unknown":
      return [{ state: "unknown", reason: outcome.reason }, goOn];
    case "not-sent":
      return [waitForNumber(setbacks, undefined, { reason: outcome.reason }), { kind: "slow-down" }];
    case "refused":
      return refused(outcome.refusal, setbacks);
  }
}

function refused(
  { class: kind, code, reason, retryAfterMs }: Refusal,
  setbacks: number,
): readonly [Progress, Consequence] {
  const said = { code, reason };
  switch (kind) {
    case "wait-sender":
      return [
        waitForNumber(setbacks, retryAfterMs, said),
        { kind: "slow-down", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
      ];
    case "wait-recipient":
      return [tryAgain(setbacks, mostSetbacks, retryAfterMs ?? 1_000 * 4 ** (setbacks + 1), said), goOn];
    case "later":
      // A second refusal of this kind is the last: the platform has made up its mind.
      return [setbacks > 0 ? { state: "failed", ...said } : { state: "queued", dueInMs: dayMs, ...said }, goOn];
    case "stop":
      return [
        { state: "queued", dueInMs: 0, ...said },
        { kind: "pause", reason: `${code}: ${reason}` },
      ];
    case "opted-out":
      return [{ state: "skipped", ...said }, goOn];
    case "final":
      return [{ state: "failed", ...said }, goOn];
  }
}

type Said = Pick<Progress, "code" | "reason">;

const waitForNumber = (setbacks: number, retryAfterMs: number | undefined, said: Said): Progress =>
  tryAgain(
    setbacks,
    mostSetbacksOfNumber,
    retryAfterMs ?? Math.min(longestWaitOfNumberMs, 1_000 * 2 ** setbacks),
    said,
  );

const tryAgain = (setbacks: number, most: number, dueInMs: number, said: Said): Progress =>
  setbacks + 1 >= most ? { state: "failed", ...said } : { state: "queued", dueInMs, ...said };

export class CampaignNotFound extends DomainError<"campaign_not_found"> {
  readonly code = "campaign_not_found";
}

/** The campaign is in a state from which this cannot be done. */
export class WrongCampaignState extends DomainError<"wrong_campaign_state"> {
  readonly code = "wrong_campaign_state";
  constructor(readonly state: CampaignState) {
    super(`the campaign is ${state}`);
  }
}

/** It was deleted: nothing more is sent from there. */
export class CampaignWithoutSender extends DomainError<"campaign_without_sender"> {
  readonly code = "campaign_without_sender";
}

/** A placeholder is mapped that the template does not have. */
export class UnknownPlaceholder extends DomainError<"unknown_placeholder"> {
  readonly code = "unknown_placeholder";
  constructor(readonly placeholder: number) {
    super(`the template has no placeholder ${placeholder}`);
  }
}

/** The time to begin is none. */
export class WrongSchedule extends DomainError<"wrong_schedule"> {
  readonly code = "wrong_schedule";
}

/** Of the unknown ids of a kind, so many are named; there may be more. */
export const namedIds = 20;

/** Ids in a request that the business does not have. */
export class UnknownIds extends DomainError<"unknown_ids"> {
  readonly code = "unknown_ids";
  constructor(readonly missing: Readonly<Record<"contacts" | "step" | "user" | "tags", readonly number[]>>) {
    super("the request names ids that the business does not have");
  }
}
