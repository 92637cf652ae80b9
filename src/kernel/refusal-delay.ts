/**
 * Milliseconds to wait before a refusal is sent. Without the wait, a client that repeats its requests at once would
 * keep the process busy with refusals. The wait is random, so that clients that were refused together do not all come
 * back together.
 */
export const refusalDelayMs = (mean = 1_000): number => mean * (0.5 + Math.random());
