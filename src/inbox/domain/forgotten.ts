/** Identifies a person whose data one business erases from stored payloads. */
export interface Forgotten {
  /** The person's number and their id on the platform. */
  readonly ids: readonly string[];
  /** Platform ids of the business's senders: payload parts for other senders must stay. */
  readonly senders: readonly string[];
}
