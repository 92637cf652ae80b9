/** Percentages and means have two decimals, with half a hundredth rounded up. They are 0 if the divisor is 0. */

export const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : quotient(BigInt(part) * 10_000n, BigInt(whole));

/** `sum` in hundredths. */
export const meanOf = ({ sum, count }: { readonly sum: bigint; readonly count: number }): number =>
  count === 0 ? 0 : quotient(sum, BigInt(count));

/** Divides hundredths by a positive number and rounds to hundredths. The dividend must not be negative. */
const quotient = (dividend: bigint, divisor: bigint): number =>
  Number((dividend * 2n + divisor) / (divisor * 2n)) / 100;
