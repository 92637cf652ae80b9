/** A request under a key of its caller's choice, so that it may be repeated without being carried out twice. */
export interface KeyedRequest {
  readonly businessId: number;
  /** The App Key or user of the business who asks: each has keys of its own. Other than in keys, there is a space in it. */
  readonly caller: string;
  /** The id of the operation: each has keys of its own. */
  readonly operation: string;
  /** 1 to 255 visible ASCII characters. */
  readonly key: string;
  /** Equal where the same is asked for. */
  readonly digest: Uint8Array;
}

/** The right to carry out one request, and to write down what came of it. */
export interface Claim {
  readonly businessId: number;
  readonly operation: string;
  /** What the store keeps the caller's key as. */
  readonly key: string;
  /** Of this claim alone: the key may be claimed again when it has been forgotten. */
  readonly id: string;
}

/** Whom an answer speaks of, by the chat with them, or by the platform's id of a message, or by their number. */
export type AnswerAbout =
  | { readonly contactId: number }
  | { readonly chatId: number }
  | { readonly messageId: string }
  | { readonly phone: string };

export interface KeptAnswer {
  readonly status: number;
  /** Those that belong to the answer itself, without its content type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** `null` where it was too large to keep. */
  readonly body: string | null;
}

export type Begun =
  /** Nobody did before: carry it out. */
  | { readonly kind: "claimed"; readonly claim: Claim }
  /** Somebody is at it. */
  | { readonly kind: "in-flight" }
  /** Somebody was at it and never came back: nobody knows how far it got. */
  | { readonly kind: "abandoned" }
  /** The key was used for something else. */
  | { readonly kind: "other-request" }
  | { readonly kind: "answered"; readonly answer: KeptAnswer }
  /** So too, but its answer was erased with the contact of whom it spoke. */
  | { readonly kind: "erased"; readonly status: number };

/** Remembers keys for 24 hours from their first use. */
export interface IdempotencyStore {
  /** Claims the key or tells what is known of it, in one step: of many at once exactly one gets the claim. */
  begin(request: KeyedRequest): Promise<Begun>;
  /**
   * Writes the answer down, however late; nothing happens where the key was forgotten in the meantime. Of one that speaks
   * of a contact who was erased meanwhile only the status is kept.
   */
  finish(claim: Claim, answer: KeptAnswer, about?: AnswerAbout | null): Promise<void>;
  /** Forgets the key: nothing was carried out. */
  release(claim: Claim): Promise<void>;
}
