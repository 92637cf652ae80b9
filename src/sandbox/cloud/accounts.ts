import { randomBytes } from "node:crypto";
import { allowance } from "../../kernel/allowance.ts";
import { groupBy } from "../../kernel/group-by.ts";
import { Senders } from "../core/senders.ts";
import type { SandboxAccount } from "../settings.ts";
import { Templates } from "./templates.ts";

/** A business account. Its numbers share the templates. */
export interface Business {
  readonly accountId: string;
  readonly templates: Templates;
  readonly numbers: Map<string, Sender>;
}

export interface Sender {
  readonly phoneNumberId: string;
  readonly displayPhoneNumber: string;
  readonly token: string;
  readonly quality: string | undefined;
  readonly messagingLimit: string | undefined;
  readonly business: Business;
  /** Customers who can be written to at any time. */
  readonly people: ReadonlySet<string>;
  /** Counts one message towards the number's rate. False if the rate is used up. */
  readonly mayEmit: () => boolean;
}

export class Accounts {
  private readonly senders = new Senders<Sender>([], ({ phoneNumberId }) => phoneNumberId);
  private readonly businesses = new Map<string, Business>();
  /** How many numbers each token belongs to. */
  private readonly tokens = new Map<string, number>();

  constructor(accounts: readonly SandboxAccount[]) {
    for (const account of accounts) this.put(account);
  }

  /** Adds the number, or replaces it. */
  put(account: SandboxAccount): void {
    const { phoneNumberId, displayPhoneNumber, token, accountId, quality, messagingLimit } = account;
    const replaced = this.senders.find(phoneNumberId);
    if (replaced) this.detach(replaced);

    const business = this.businesses.get(accountId) ?? newBusiness(accountId);
    this.businesses.set(accountId, business);
    business.templates.replace(phoneNumberId, account.templates);
    const { messagesPerSecond: rate } = account;
    const mayEmit = rate === undefined ? () => true : allowance({ most: rate, perMs: rate / 1_000 });
    const people = new Set(account.people);
    const own = { phoneNumberId, displayPhoneNumber, token, quality, messagingLimit };
    const sender = { ...own, business, people, mayEmit };
    business.numbers.set(phoneNumberId, sender);
    this.senders.put(sender);
    this.tokens.set(token, (this.tokens.get(token) ?? 0) + 1);
  }

  sender(phoneNumberId: string): Sender | undefined {
    return this.senders.find(phoneNumberId);
  }

  /** The number that customers write to by default. */
  first(): Sender | undefined {
    return this.senders.first(() => true);
  }

  business(accountId: string): Business | undefined {
    return this.businesses.get(accountId);
  }

  all(): Iterable<Business> {
    return this.businesses.values();
  }

  knows(token: string): boolean {
    return this.tokens.has(token);
  }

  /** Removes the number and its templates from the business account, and its token unless other numbers have it. */
  private detach({ phoneNumberId, business, token }: Sender): void {
    business.numbers.delete(phoneNumberId);
    business.templates.replace(phoneNumberId, []);
    const left = (this.tokens.get(token) ?? 1) - 1;
    if (left === 0) this.tokens.delete(token);
    else this.tokens.set(token, left);
  }
}

/** An id for a message that the API did not send. */
export const newMessageId = (): string => `wamid.${randomBytes(24).toString("base64")}`;

export const opens = (business: Business, token: string): boolean =>
  [...business.numbers.values()].some((sender) => sender.token === token);

const newBusiness = (accountId: string): Business => ({
  accountId,
  templates: new Templates(accountId),
  numbers: new Map(),
});

/** The form of webhooks about numbers: one entry for each business account, with the changes of its numbers. */
export function changesEnvelope(changes: readonly { sender: Sender; field: string; value: object }[]): object {
  const byAccount = [...groupBy(changes, ({ sender }) => sender.business.accountId)];
  return {
    object: "whatsapp_business_account",
    entry: byAccount.map(([id, own]) => ({
      id,
      changes: own.map(({ sender: { displayPhoneNumber, phoneNumberId }, field, value }) => ({
        field,
        value: {
          messaging_product: "whatsapp",
          metadata: { display_phone_number: displayPhoneNumber, phone_number_id: phoneNumberId },
          ...value,
        },
      })),
    })),
  };
}
