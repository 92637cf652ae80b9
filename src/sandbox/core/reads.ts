import { RecentMap } from "./bounded.ts";
import { matchesQuery } from "./route.ts";

const remembered = 100_000;

interface Read {
  /** The sender that marked it. */
  readonly sender: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly times: number;
}

/** What senders marked as read: a message, or on pages and photo accounts everything that a customer wrote. */
export class Reads {
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
