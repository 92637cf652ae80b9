/**
 * Milliseconds that a refusal waits before it is sent, `mean` on average. A client that asks again at once, on every
 * connection, would otherwise fill the process with refusals, which cost a third of an answer. At random, since clients
 * that were refused together would come back together.
 */
export const refusalPauseMs = (mean = 1_000): number => mean * (0.5 + Math.random());
