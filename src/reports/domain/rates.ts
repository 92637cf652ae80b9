/** Percentages and means with two decimals, half a hundredth upwards; 0 where there is nothing to divide by. */

export const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : quotient(BigInt(part) * 10_000n, BigInt(whole));

/** `sum` in hundredths. */
export const meanOf = ({ sum, count }: { readonly sum: bigint; readonly count: number }): number =>
  count === 0 ? 0 : quotient(sum, BigInt(count));

/** Of positive numbers, in hundredths. */
const quotient = (dividend: bigint, divisor: bigint): number =>
  Number((dividend * 2n + divisor) / (divisor * 2n)) / 100;
