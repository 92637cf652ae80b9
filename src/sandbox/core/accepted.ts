import type { ChannelName } from "../../kernel/channels.ts";
import { RecentMap, Ring } from "./bounded.ts";

export interface SentMessage {
  readonly id: string;
  readonly channel: ChannelName;
  /** What it left from: the id of a number, a page or an instance, or a phone number. */
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly template?: object | undefined;
  readonly text?: string | undefined;
  readonly media?: object | undefined;
  readonly reaction?: object | undefined;
  readonly reference?: string | undefined;
}

export interface AcceptedMessage extends SentMessage {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The delivery statuses that a webhook brought to its receiver, in the order in which they arrived. */
  readonly statuses: string[];
}

const rememberedReferences = 1_000_000;

/** What the platforms took: the last messages, and counters of all of them. */
export class AcceptedMessages {
  private readonly kept: Ring<AcceptedMessage>;
  private readonly references = new RecentMap<true>(rememberedReferences);
  private counters = noCounts();

  constructor(capacity: number) {
    this.kept = new Ring(capacity);
  }

  add<Sent extends SentMessage>(sent: Sent): Sent & AcceptedMessage {
    const message = { ...sent, at: Date.now(), statuses: [] };
    this.kept.push(message);
    this.counters.accepted += 1;
    const { reference } = message;
    if (reference === undefined) return message;
    if (this.references.has(reference)) this.counters.duplicates += 1;
    else this.counters.distinctReferences += 1;
    this.references.set(reference, true);
    return message;
  }

  countRequest(): void {
    this.counters.requests += 1;
  }

  countRefusal(): void {
    this.counters.refused += 1;
  }

  /** `duplicates` is how many accepted messages carried a reference that had been accepted before. */
  counts(): Readonly<ReturnType<typeof noCounts>> {
    return { ...this.counters };
  }

  oldestFirst(): AcceptedMessage[] {
    return this.kept.oldestFirst();
  }

  clear(): void {
    this.kept.clear();
    this.references.clear();
    this.counters = noCounts();
  }
}

const noCounts = () => ({ accepted: 0, requests: 0, refused: 0, distinctReferences: 0, duplicates: 0 });

/** What all platforms have in common. */
export class Shared {
  readonly accepted: AcceptedMessages;
  /** Recipients that no platform reaches; each says so in its own words. */
  undeliverable: ReadonlySet<string>;

  constructor(private readonly settings: { readonly keepMessages: number; readonly undeliverable: readonly string[] }) {
    this.accepted = new AcceptedMessages(settings.keepMessages);
    this.undeliverable = new Set(settings.undeliverable);
  }

  reset(): void {
    this.accepted.clear();
    this.undeliverable = new Set(this.settings.undeliverable);
  }
}
