/** Identifies the person to erase from stored payloads, within the senders of one business. */
export interface Forgotten {
  /** The person's number and their id on the platform. */
  readonly ids: readonly string[];
  /** Platform ids of the business's senders: payload parts for other senders must stay. */
  readonly senders: readonly string[];
}
