/** An exact amount in hundredths, such as cents. */
export type Money = bigint;

/** The usual form of amounts from `numeric` columns. `moneyOf` has a faster path for it. */
const plain = /^\d+\.\d\d$/;
const written = /^(-?)(\d+)(?:\.(\d{1,2})0*)?$/;

/** Parses a `numeric` of PostgreSQL. Throws if the amount has a fraction of a hundredth. */
export function moneyOf(decimal: string): Money {
  if (plain.test(decimal)) return BigInt(decimal.slice(0, -3) + decimal.slice(-2));
  const match = written.exec(decimal);
  if (!match) throw new RangeError(`${decimal} is no amount in hundredths`);
  const [, sign, units = "0", fraction = ""] = match;
  const amount = BigInt(units) * 100n + BigInt(fraction.padEnd(2, "0"));
  return sign === "-" ? -amount : amount;
}

/** `1250n` as "12.50", for PostgreSQL and for decimal strings on the wire. */
export function decimalOf(amount: Money): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, "0");
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** `1250n` as 12.5. Amounts of up to 15 digits, hundredths included, lose nothing. */
export const numberOf = (amount: Money): number => Number(decimalOf(amount));
