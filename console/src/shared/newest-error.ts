interface Tried {
  readonly submittedAt: number;
  readonly error: Error | null;
}

/** The error of the mutation that was started last. The error of an older one says nothing about the present. */
export const newestError = (...tried: readonly Tried[]): Error | null =>
  tried.reduce<Tried | null>((newest, each) => (newest && newest.submittedAt > each.submittedAt ? newest : each), null)
    ?.error ?? null;
