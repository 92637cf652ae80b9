import type { ChannelName } from "../../kernel/channels.ts";
import { RecentMap, Ring } from "./bounded.ts";
import { Files } from "./files.ts";
import { matchesQuery } from "./route.ts";

export interface SentMessage {
  readonly id: string;
  readonly channel: ChannelName;
  /** The sender: the id of a number, a page or an instance, or a phone number. */
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly template?: object | undefined;
  readonly text?: string | undefined;
  readonly media?: object | undefined;
  readonly reaction?: object | undefined;
  readonly reference?: string | undefined;
  /** The message that this message answers. */
  readonly context?: object | undefined;
}

export interface AcceptedMessage extends SentMessage {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The delivery statuses that reached their receiver by webhook, in the order of arrival. */
  readonly statuses: string[];
}

const rememberedReferences = 1_000_000;

/** The data that all platforms share, such as the latest messages and files. */
export class Shared {
  readonly files = new Files();
  readonly reads = new Reads();
  /**
   * Each function checks whether one messaging platform knows a token. These platforms share `GET /{id}`, which accepts
   * the tokens of all of them.
   */
  readonly graphTokens: ((token: string) => boolean)[] = [];
  /** Recipients that no platform reaches. Each platform has its own error for them. */
  undeliverable: ReadonlySet<string>;
  private readonly accepted: Ring<AcceptedMessage>;
  private readonly references = new RecentMap<true>(rememberedReferences);
  private counters = noCounts();

  constructor(private readonly settings: { readonly keepMessages: number; readonly undeliverable: readonly string[] }) {
    this.accepted = new Ring(settings.keepMessages);
    this.undeliverable = new Set(settings.undeliverable);
  }

  accept<Sent extends SentMessage>(sent: Sent): Sent & AcceptedMessage {
    const message = { ...sent, at: Date.now(), statuses: [] };
    this.accepted.push(message);
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

  /** `duplicates` counts the accepted messages whose reference had been accepted before. */
  counts(): Readonly<ReturnType<typeof noCounts>> {
    return { ...this.counters };
  }

  oldestFirst(): AcceptedMessage[] {
    return this.accepted.oldestFirst();
  }

  reset(): void {
    this.files.reset();
    this.reads.reset();
    this.accepted.clear();
    this.references.clear();
    this.counters = noCounts();
    this.undeliverable = new Set(this.settings.undeliverable);
  }
}

const noCounts = () => ({ accepted: 0, requests: 0, refused: 0, distinctReferences: 0, duplicates: 0 });

const remembered = 100_000;

interface Read {
  /** The sender that marked the message, or the customer's messages, as read. */
  readonly sender: string;
  /** The time of the first such mark, in milliseconds since 1970. */
  readonly at: number;
  readonly times: number;
}

/** What senders marked as read. On pages and photo accounts, a mark covers everything that a customer wrote. */
class Reads {
  private readonly messages = new RecentMap<Read>(remembered);
  private readonly customers = new RecentMap<Read & { readonly customer: string }>(remembered);

  addMessage(sender: string, messageId: string): void {
    this.messages.set(messageId, { sender, ...again(this.messages.get(messageId)) });
  }

  addCustomer(sender: string, customer: string): void {
    const key = `${sender} ${customer}`;
    this.customers.set(key, { sender, customer, ...again(this.customers.get(key)) });
  }

  list(query: URLSearchParams): object[] {
    const messages = [...this.messages].map(([message_id, read]) => ({ message_id, ...view(read) }));
    const customers = [...this.customers.values()].map((read) => ({ customer: read.customer, ...view(read) }));
    return [
      ...messages.filter(({ message_id }) => matchesQuery(query, "message_id", message_id) && !query.has("customer")),
      ...customers.filter(({ customer }) => matchesQuery(query, "customer", customer) && !query.has("message_id")),
    ];
  }

  reset(): void {
    this.messages.clear();
    this.customers.clear();
  }
}

const again = (before: Read | undefined) => ({ at: before?.at ?? Date.now(), times: (before?.times ?? 0) + 1 });

const view = ({ sender, at, times }: Read) => ({ phoneNumberId: sender, at: new Date(at).toISOString(), times });
