import { storage } from "../shared/storage.ts";

/** A file that the service has stored, for a message. */
export interface StoredFile {
  readonly url: string;
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly bytes: number;
}

/** The content of a message to send. The thread shows `text` meanwhile. For a template it is the rendered text. */
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
  /** The position among all waiting messages. Later messages have greater ones. */
  readonly place: number;
  readonly chatId: number;
  readonly content: OutgoingContent;
  readonly replyTo: number | null;
  /** The id of the newest message of the chat when this one was written. The sent message gets a greater id. */
  readonly after: number;
  /** ISO 8601 */
  readonly at: string;
  /** Why the message is no longer sent, or null while it waits or is being sent. */
  readonly refusal: string | null;
}

/** Each message has its own entry in the browser's storage, so that several pages can write at the same time. */
export class OutgoingStore {
  readonly #prefix: string;

  constructor(userId: number) {
    this.#prefix = `recado.outbox.${userId}.`;
  }

  /** The message key in the name of a storage entry, or null for another entry. */
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
