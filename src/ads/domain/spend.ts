import { numberOf } from "../../kernel/money.ts";

/** An exact amount in millionths of its currency's unit: some currencies have more than two decimals. */
export type Spend = bigint;

const written = /^(\d{1,12})(?:\.(\d{1,6}))?$/;
const decimals = 6;
const perCent = 10_000n;

/** Reads a decimal as the ad platform writes amounts; null where it is none. */
export function spendOf(decimal: string): Spend | null {
  const match = written.exec(decimal);
  return match ? BigInt(`${match[1]}${(match[2] ?? "").padEnd(decimals, "0")}`) : null;
}

/** `12345000n` as 12.35, to be shown: a number with at most two decimals, its halves rounded up. */
export const spendNumber = (spend: Spend): number => numberOf((spend + perCent / 2n) / perCent);
