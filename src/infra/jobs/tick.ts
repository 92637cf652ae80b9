/**
 * Repeated work. A run may be lost, late, or happen twice, even in two processes at once: the work must find what is
 * due in its own tables and tolerate all of that.
 */
export interface Tick {
  /** Unique, such as `messages.settle`, for log lines. */
  readonly name: string;
  /**
   * Seconds from the start of one run to the start of the next. A run that takes longer delays the next. A process that
   * takes over the clock runs each tick immediately, unless it has itself run that tick within these seconds.
   */
  readonly everySeconds: number;
  /** `signal` is aborted after 30 s and when the process stops; then finish what is in progress and return. */
  readonly run: (signal: AbortSignal) => unknown;
}
