import {
  BadInput,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  type Reader,
  type Settings,
  shape,
  text,
} from "../core/input.ts";

export const adStates = ["ACTIVE", "PAUSED", "DELETED", "ARCHIVED"] as const;
export type SandboxAdState = (typeof adStates)[number];

/** Cents, as digits. */
const cents: Reader<string> = (value, name) => {
  if (typeof value !== "string" || !/^\d{1,18}$/.test(value)) throw new BadInput(`${name} must be digits`);
  return value;
};

const spendByDay: Reader<Readonly<Record<string, string>>> = (value, name) => {
  for (const [day, amount] of Object.entries(object(value, name))) {
    const isRight = /^\d{4}-\d{2}-\d{2}$/.test(day) && typeof amount === "string" && /^\d+(\.\d{1,2})?$/.test(amount);
    if (!isRight) throw new BadInput(`${name} must map days to decimals`);
  }
  return value as Readonly<Record<string, string>>;
};

const readAd = shape({
  id: text(64),
  name: text(400),
  sourceAdId: optional(text(64)),
  thumbnailUrl: optional(text()),
  imageUrl: optional(text()),
  /** Decimals by day, such as `{"2026-11-21": "12.50"}`: every preset and range is a sum of these. */
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

/** An ad account with everything in it. Ids are the platform's: unique over all accounts. */
export const readAdAccount = shape({
  /** Opens the account; one token may open several. */
  token: text(1024),
  /** Such as `act_1`. */
  accountId: text(64),
  name: text(400),
  /** ISO 4217. */
  currency: text(3),
  /** Of its calendar, an IANA name; UTC when absent. */
  timezone: optional(text(64)),
  /** 1, active, when absent. */
  status: optional(integer(1, 999)),
  campaigns: optional(listOf(readCampaign, 5_000)),
});
export type SandboxAdAccount = Settings<typeof readAdAccount>;
