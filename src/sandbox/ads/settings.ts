import { integer, listOf, oneOf, optional, reader, type Settings, shape, text, textLike } from "../core/input.ts";

export const adStates = ["ACTIVE", "PAUSED", "DELETED", "ARCHIVED"] as const;

const cents = textLike(/^\d{1,18}$/, "be digits");

const spendByDay = reader<Readonly<Record<string, string>>>({
  type: "object",
  propertyNames: textLike(/^\d{4}-\d{2}-\d{2}$/, "map days to decimals").json,
  additionalProperties: textLike(/^\d+(\.\d{1,2})?$/, "be a decimal").json,
  must: "map days to decimals",
});

const readAd = shape({
  id: text(64),
  name: text(400),
  sourceAdId: optional(text(64)),
  thumbnailUrl: optional(text()),
  imageUrl: optional(text()),
  /** The spend of each day, such as `{"2026-11-21": "12.50"}`. The insights of a period add up its days. */
  spend: optional(spendByDay),
});
export type SandboxAd = Settings<typeof readAd>;

const readAdSet = shape({ id: text(64), name: text(400), ads: listOf(readAd, 5_000) });
export type SandboxAdSet = Settings<typeof readAdSet>;

const readCampaign = shape({
  id: text(64),
  name: text(400),
  /** ACTIVE when absent. */
  status: optional(oneOf(...adStates)),
  lifetimeBudget: optional(cents),
  budgetRemaining: optional(cents),
  startTime: optional(text(40)),
  stopTime: optional(text(40)),
  adSets: listOf(readAdSet, 1_000),
});
export type SandboxAdCampaign = Settings<typeof readCampaign>;

/** An ad account with its campaigns. As on the platform, ids are unique across all accounts. */
export const readAdAccount = shape({
  /** Gives access to the account. Several accounts may have the same token. */
  token: text(1024),
  /** Such as `act_1`. */
  accountId: text(64),
  name: text(400),
  /** ISO 4217. */
  currency: text(3),
  /** The zone of its calendar, an IANA name; UTC when absent. */
  timezone: optional(text(64)),
  /** When absent, the status is 1, which means active. */
  status: optional(integer(1, 999)),
  campaigns: optional(listOf(readCampaign, 5_000)),
});
export type SandboxAdAccount = Settings<typeof readAdAccount>;
