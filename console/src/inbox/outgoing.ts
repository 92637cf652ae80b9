import { storage } from "../shared/storage.ts";

/** A file that the service has stored, on its way into a message. */
export interface StoredFile {
  readonly url: string;
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly bytes: number;
}

/** What is to be sent. `text` is what the thread shows meanwhile; of a template, its rendered text. */
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

/** A message on its way to the service. The browser keeps it until the service has answered for good. */
export interface Outgoing {
  /** The `Idempotency-Key`: with one key the service sends once, however often it is asked. */
  readonly key: string;
  /** Among all that wait: a greater one was written later. */
  readonly place: number;
  readonly chatId: number;
  readonly content: OutgoingContent;
  readonly replyTo: number | null;
  /** Id of the newest message that the page knew: what it becomes has a greater one. */
  readonly after: number;
  /** ISO 8601. */
  readonly at: string;
  /** Why it was set aside; null while it waits or is being sent. */
  readonly refusal: string | null;
}

/** Each message has a place of its own in the browser's storage: pages that write at once lose nothing of each other. */
export class OutgoingStore {
  readonly #prefix: string;

  constructor(userId: number) {
    this.#prefix = `recado.outbox.${userId}.`;
  }

  /** The key of the message that the browser keeps under this name; null where that is something else. */
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

  /** Whether the browser keeps it. */
  write(one: Outgoing): boolean {
    storage.set(this.#prefix + one.key, JSON.stringify(one));
    return storage.get(this.#prefix + one.key) !== null;
  }

  remove = (key: string): void => storage.set(this.#prefix + key, null);
}

/** `randomUUID` is missing where the page came without https. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
