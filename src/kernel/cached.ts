/** Calls `look` at most once in `ms` milliseconds; callers meanwhile share its result, also while it is pending. */
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
