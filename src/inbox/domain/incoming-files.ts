/** Why a message's file cannot be downloaded. */
export type FileTrouble =
  /** The platform does not have the file, or no longer has it. */
  | "not-there"
  | "too-large"
  /** The file's content is of a type that is not stored. */
  | "type-refused"
  | "empty"
  /** The business's storage quota is used up, or its running uploads have reserved the rest. */
  | "no-room"
  /** The sender that received the file was deleted. */
  | "no-sender"
  /** The platform did not answer with the file, or the channel is not configured. */
  | "unreachable"
  /** No storage is configured, or storing failed. */
  | "not-stored";

const firstPauseMs = 5_000;
const longestPauseMs = 2 * 60 * 60_000;

/**
 * Milliseconds until the next attempt.
 *
 * @param attempts - failed attempts so far
 * @param chance - random from 0 to 1, so that files that failed together are not retried together
 */
export function pauseAfter(attempts: number, chance: number): number {
  const pause = Math.min(firstPauseMs * 3 ** (attempts - 1), longestPauseMs);
  return Math.round(pause * (0.8 + 0.4 * chance));
}
