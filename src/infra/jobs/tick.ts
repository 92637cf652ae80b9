/**
 * Repeated work. A run may be missing, late, or happen twice, even in two processes at once. The work must tolerate
 * this, and find in its own tables what is due.
 */
export interface Tick {
  /** Unique, such as `messages.settle`, for log lines. */
  readonly name: string;
  /**
   * Seconds from the start of one run to the start of the next. A run that takes longer delays the next. A process that
   * takes over the clock runs each tick immediately, except a tick that it began less than `everySeconds` ago.
   */
  readonly everySeconds: number;
  /** `signal` is aborted after 30 s and when the process stops; then finish what is in progress and return. */
  readonly run: (signal: AbortSignal) => unknown;
}
