/** Whoever asks while an answer is good, or on its way, gets that one. */
export function cached<Result>(ms: number, look: () => Promise<Result>): () => Promise<Result> {
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
