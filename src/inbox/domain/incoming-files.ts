/** Why a file of a customer is not there. */
export const fileTroubles = [
  /** The platform does not have it, or has it no more. */
  "not-there",
  "too-large",
  /** Its content is of a type that is not stored. */
  "type-refused",
  "empty",
  /** The business's quota has no room for it. */
  "no-room",
  /** The sender that it came to was deleted. */
  "no-sender",
  /** The platform did not give it. */
  "unreachable",
  /** The service has nowhere to store it, or could not. */
  "not-stored",
] as const;
export type FileTrouble = (typeof fileTroubles)[number];

const firstPauseMs = 5_000;
const longestPauseMs = 2 * 60 * 60_000;

/**
 * Milliseconds until a file is tried again.
 *
 * @param attempts - so many failed
 * @param chance - from 0 to 1; spreads files that failed together
 */
export function pauseAfter(attempts: number, chance: number): number {
  const pause = Math.min(firstPauseMs * 3 ** (attempts - 1), longestPauseMs);
  return Math.round(pause * (0.8 + 0.4 * chance));
}
