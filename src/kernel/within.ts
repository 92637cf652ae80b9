/** Rejects if `work` takes longer than `ms`. The work itself goes on. */
export async function within<Result>(
  ms: number,
  work: Promise<Result>,
  late = () => new Error(`no answer within ${ms} ms`),
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
