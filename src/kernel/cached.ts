/**
 * Calls `look` again only `ms` milliseconds after its last call ended. Until then all callers share its result or its
 * error.
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
