import { storage } from "../shared/storage.ts";

/** A file for a message. The service has stored it, or it is on another host. */
export interface StoredFile {
  readonly url: string;
  readonly name: string;
  /** Media type. Empty if unknown. */
  readonly type: string;
  /** Zero if unknown. */
  readonly bytes: number;
}

/**
 * The content of a message to send. The thread shows `text` until the message is sent. For a template, `text` is the
 * rendered body.
 */
export type OutgoingContent =
  | { readonly kind: "text" | "note"; readonly text: string }
  | { readonly kind: "file"; readonly text: string; readonly file: StoredFile }
  | {
      readonly kind: "template";
      readonly text: string;
      readonly templateId: number;
      readonly parameters: readonly string[];
      readonly file: StoredFile | null;
    };

/** A message to send. The browser stores it until the service has accepted it. */
export interface Outgoing {
  /** The `Idempotency-Key`. The service sends a message once per key. */
  readonly key: string;
  /** When the key was made, ISO 8601. Messages that an older version of the console stored have only `at`. */
  readonly keyAt?: string;
  /** The position among all unsent messages. Later messages have greater positions. */
  readonly place: number;
  readonly chatId: number;
  readonly content: OutgoingContent;
  readonly replyTo: number | null;
  /** The id of the last known message before this message, or 0. Once sent, this message has a greater id. */
  readonly after: number;
  /** When the message was written or last sent again, ISO 8601. */
  readonly at: string;
  /** Why the outbox no longer sends the message: one of `openReasons`, or a text. Null while the message waits. */
  readonly refusal: string | null;
}

/**
 * Reasons after which the message may have been sent. `stale`: the message waited too long. `trouble`: the service kept
 * failing. `doubt`: the service cannot tell whether it sent the message.
 */
const openReasons = ["stale", "trouble", "doubt"] as const;
type OpenReason = (typeof openReasons)[number];

export const isOpenReason = (refusal: string | null): refusal is OpenReason =>
  (openReasons as readonly (string | null)[]).includes(refusal);

/** Each message has its own entry in the browser's storage, so that several pages can write at the same time. */
export class OutgoingStore {
  readonly #prefix: string;

  constructor(userId: number) {
    this.#prefix = `recado.outbox.${userId}.`;
  }

  /** The message key in the name of a storage entry, or null if the entry is no message. */
  keyIn = (name: string | null): string | null =>
    name?.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : null;

  read(key: string): Outgoing | null {
    try {
      const stored = JSON.parse(storage.get(this.#prefix + key) ?? "null") as Outgoing | null;
      return stored?.key === key && typeof stored.content?.text === "string" ? stored : null;
    } catch {
      return null;
    }
  }

  all(): Outgoing[] {
    const keys = storage.names(this.#prefix).map((name) => name.slice(this.#prefix.length));
    return keys.map((key) => this.read(key)).filter((one) => one !== null);
  }

  /** Returns whether the browser stored the message. */
  write(one: Outgoing): boolean {
    storage.set(this.#prefix + one.key, JSON.stringify(one));
    return storage.get(this.#prefix + one.key) !== null;
  }

  remove = (key: string): void => storage.set(this.#prefix + key, null);
}
