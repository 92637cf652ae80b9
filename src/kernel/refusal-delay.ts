/**
 * Milliseconds to wait before a refusal is sent. Without the wait, a client that repeats at once on every connection
 * would fill the process with refusals. The wait is random, so that clients that were refused
 * together do not all come back together.
 */
export const refusalDelayMs = (mean = 1_000): number => mean * (0.5 + Math.random());
