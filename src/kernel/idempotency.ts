/** A request with an Idempotency-Key, so that repeating it does not carry it out twice. */
export interface KeyedRequest {
  readonly businessId: number;
  /**
   * The App Key or user that sends the request, such as `user 7`. If two callers use the same key, the second caller's
   * key is stored as `<caller> <key>`. Keys contain no space, so this text never equals a key that a caller sends.
   */
  readonly caller: string;
  /** The operation's id; each operation has its own keys. */
  readonly operation: string;
  /** 1 to 255 visible ASCII characters. */
  readonly key: string;
  /** A hash of the request. If a caller uses a key again with another digest, the second request is refused. */
  readonly digest: Uint8Array;
}

/** The right to carry out one request and to store its answer. */
export interface KeyClaim {
  readonly businessId: number;
  readonly operation: string;
  /** The key under which the store holds the request. */
  readonly key: string;
  /** Unique per claim: a key can be claimed again once it has expired. */
  readonly id: string;
}

/** Identifies the contact that an answer is about. When the contact is erased, the stored answer is erased too. */
export type AnswerAbout =
  | { readonly contactId: number }
  | { readonly chatId: number }
  | { readonly messageId: string }
  | { readonly phone: string };

export interface StoredAnswer {
  readonly status: number;
  /** All headers without the content type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** `null` if it was too large to store. */
  readonly body: string | null;
}

export type KeyState =
  /** The key is new: carry the request out. */
  | { readonly kind: "claimed"; readonly claim: KeyClaim }
  /** The request is still being carried out. */
  | { readonly kind: "in-flight" }
  /** The process that carried the request out died, so the outcome is unknown. */
  | { readonly kind: "abandoned" }
  /** The key was used for a different request. */
  | { readonly kind: "other-request" }
  | { readonly kind: "answered"; readonly answer: StoredAnswer }
  /** The request was answered, and the answer was erased together with its contact. */
  | { readonly kind: "erased"; readonly status: number };

/** Stores keys for 24 hours from their first use. */
export interface IdempotencyStore {
  /** Claims the key, or returns the state of a key in use. Of several concurrent calls exactly one gets the claim. */
  begin(request: KeyedRequest): Promise<KeyState>;
  /**
   * Stores the answer; only its status if the contact of `about` was erased meanwhile; nothing if the key has expired.
   */
  finish(claim: KeyClaim, answer: StoredAnswer, about?: AnswerAbout | null): Promise<void>;
  /** Frees the key, for a request that was not carried out. */
  release(claim: KeyClaim): Promise<void>;
}
