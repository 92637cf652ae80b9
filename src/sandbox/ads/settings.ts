import { BadInput, integer, listOf, object, oneOf, optional, type Reader, shape, text } from "../core/input.ts";

/** An ad account with everything in it. Ids are the platform's: unique over all accounts. */
export interface SandboxAdAccount {
  /** Opens the account; one token may open several. */
  readonly token: string;
  /** Such as `act_1`. */
  readonly accountId: string;
  readonly name: string;
  /** ISO 4217. */
  readonly currency: string;
  /** Of its calendar, an IANA name; UTC when absent. */
  readonly timezone?: string | undefined;
  /** 1, active, when absent. */
  readonly status?: number | undefined;
  readonly campaigns?: readonly SandboxAdCampaign[] | undefined;
}

export interface SandboxAdCampaign {
  readonly id: string;
  readonly name: string;
  /** ACTIVE when absent. */
  readonly status?: SandboxAdState | undefined;
  /** Cents, as digits. */
  readonly lifetimeBudget?: string | undefined;
  readonly budgetRemaining?: string | undefined;
  readonly startTime?: string | undefined;
  readonly stopTime?: string | undefined;
  readonly adSets: readonly SandboxAdSet[];
}

export interface SandboxAdSet {
  readonly id: string;
  readonly name: string;
  readonly ads: readonly SandboxAd[];
}

export interface SandboxAd {
  readonly id: string;
  readonly name: string;
  readonly sourceAdId?: string | undefined;
  readonly thumbnailUrl?: string | undefined;
  readonly imageUrl?: string | undefined;
  /** Decimals by day, such as `{"2026-11-21": "12.50"}`: every preset and range is a sum of these. */
  readonly spend?: Readonly<Record<string, string>> | undefined;
}

export const adStates = ["ACTIVE", "PAUSED", "DELETED", "ARCHIVED"] as const;
export type SandboxAdState = (typeof adStates)[number];

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

const readAd = shape<Required<SandboxAd>>({
  id: text(64),
  name: text(400),
  sourceAdId: optional(text(64)),
  thumbnailUrl: optional(text()),
  imageUrl: optional(text()),
  spend: optional(spendByDay),
});
const readAdSet = shape<Required<SandboxAdSet>>({ id: text(64), name: text(400), ads: listOf(readAd, 5_000) });
const readCampaign = shape<Required<SandboxAdCampaign>>({
  id: text(64),
  name: text(400),
  status: optional(oneOf(...adStates)),
  lifetimeBudget: optional(cents),
  budgetRemaining: optional(cents),
  startTime: optional(text(40)),
  stopTime: optional(text(40)),
  adSets: listOf(readAdSet, 1_000),
});

export const readAdAccount: Reader<SandboxAdAccount> = shape<Required<SandboxAdAccount>>({
  token: text(1024),
  accountId: text(64),
  name: text(400),
  currency: text(3),
  timezone: optional(text(64)),
  status: optional(integer(1, 999)),
  campaigns: optional(listOf(readCampaign, 5_000)),
});
