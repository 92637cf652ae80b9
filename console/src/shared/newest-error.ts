interface Tried {
  readonly submittedAt: number;
  readonly error: Error | null;
}

/** The error of the mutation that was started last. Errors of earlier mutations are out of date. */
export const newestError = (...tried: readonly Tried[]): Error | null =>
  tried.reduce<Tried | null>((newest, each) => (newest && newest.submittedAt > each.submittedAt ? newest : each), null)
    ?.error ?? null;
