/**
 * All callers share one call of `look`, and its result or error, until `ms` milliseconds after that call ended. Then
 * the next caller causes a new call.
 */
export function cached<Result>(look: () => Promise<Result>, ms = 5_000): () => Promise<Result> {
  let answer: Promise<Result> | undefined;
  let goodUntil = 0;
  return () => {
    if (answer && performance.now() < goodUntil) return answer;
    goodUntil = Number.POSITIVE_INFINITY;
    answer = look().finally(() => {
      goodUntil = performance.now() + ms;
    });
    return answer;
  };
}
