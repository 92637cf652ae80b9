import type { ChannelName } from "../../kernel/channels.ts";
import { RecentMap, Ring } from "./bounded.ts";

export interface AcceptedMessage {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
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
  /** The delivery statuses that a webhook brought to its receiver, in the order in which they arrived. */
  readonly statuses: readonly string[];
}

export interface AcceptedFilter {
  readonly to: string | undefined;
  readonly channel: string | undefined;
  readonly reference: string | undefined;
  /** Milliseconds since 1970; only messages of that moment or later. */
  readonly since: number | undefined;
  readonly limit: number;
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

  add(message: AcceptedMessage): void {
    this.kept.push(message);
    this.counters.accepted += 1;
    if (message.reference === undefined) return;
    if (this.references.has(message.reference)) this.counters.duplicates += 1;
    else this.counters.distinctReferences += 1;
    this.references.set(message.reference, true);
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

  /** The newest `limit` messages that match, newest last. */
  list({ to, channel, reference, since = 0, limit }: AcceptedFilter): AcceptedMessage[] {
    const found = this.kept
      .oldestFirst()
      .filter(
        (message) =>
          message.at >= since &&
          (to === undefined || message.to === to) &&
          (channel === undefined || message.channel === channel) &&
          (reference === undefined || message.reference === reference),
      );
    return found.slice(-limit);
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
