/** An exact amount in millionths of its currency's unit: some currencies have more than two decimals. */
export type Spend = bigint;

const written = /^(\d{1,12})(?:\.(\d{1,6}))?$/;
const decimals = 6;

/** Reads a decimal as the ad platform writes amounts; null where it is none. */
export function spendOf(decimal: string): Spend | null {
  const match = written.exec(decimal);
  return match ? BigInt(`${match[1]}${(match[2] ?? "").padEnd(decimals, "0")}`) : null;
}

/** `12500000n` as "12.50": two decimals at least, more only where they say something. */
export function spendDecimal(spend: Spend): string {
  const digits = spend.toString().padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0{1,4}$/, "");
  return `${digits.slice(0, -decimals)}.${fraction}`;
}

export const spendNumber = (spend: Spend): number => Number(spendDecimal(spend));
