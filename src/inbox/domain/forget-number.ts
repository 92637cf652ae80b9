/** Whose number, and which senders of the business that forgets it. */
export interface Forgotten {
  /** The number, and the customer's id on the platform. */
  readonly ids: readonly string[];
  /** The platform's ids of the business's own senders: what came for others is not its to touch. */
  readonly senders: readonly string[];
}
