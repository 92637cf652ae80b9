import { randomBytes } from "node:crypto";
import { allowance } from "../../kernel/allowance.ts";
import { groupBy } from "../../kernel/group-by.ts";
import type { Call } from "../core/route.ts";
import { Senders } from "../core/senders.ts";
import { idOf, tokenOf, unknownObject } from "../graph/graph.ts";
import type { SandboxAccount } from "../settings.ts";
import { Templates } from "./templates.ts";

/** A business account. Its numbers share the templates. */
export interface Business {
  readonly accountId: string;
  readonly templates: Templates;
  readonly numbers: Map<string, Sender>;
}

export interface Sender
  extends Pick<SandboxAccount, "phoneNumberId" | "displayPhoneNumber" | "token" | "quality" | "messagingLimit"> {
  readonly business: Business;
  /** Customers who can be written to at any time. */
  readonly people: ReadonlySet<string>;
  /** Counts one message towards the number's rate. False if the rate is used up. */
  readonly mayEmit: () => boolean;
}

export class Accounts {
  readonly senders = new Senders<Sender>([], ({ phoneNumberId }) => phoneNumberId);
  /** By their account ids. */
  readonly businesses = new Map<string, Business>();

  constructor(accounts: readonly SandboxAccount[]) {
    for (const account of accounts) this.put(account);
  }

  /** Adds the number, or replaces it. */
  put(account: SandboxAccount): void {
    const { accountId, templates, people, messagesPerSecond: rate, ...own } = account;
    const before = this.senders.find(own.phoneNumberId)?.business;
    before?.numbers.delete(own.phoneNumberId);
    before?.templates.replace(own.phoneNumberId, []);

    const business = this.businesses.get(accountId) ?? newBusiness(accountId);
    this.businesses.set(accountId, business);
    business.templates.replace(own.phoneNumberId, templates);
    const mayEmit = rate === undefined ? () => true : allowance({ most: rate, perMs: rate / 1_000 });
    const sender = { ...own, business, people: new Set(people), mayEmit };
    business.numbers.set(own.phoneNumberId, sender);
    this.senders.put(sender);
  }

  knows(token: string): boolean {
    return this.senders.some((sender) => sender.token === token);
  }

  /** Returns the token of the call. Throws if no number has this token. */
  tokenOf(call: Call): string {
    return tokenOf(call, (token) => this.knows(token));
  }

  /** Returns the number that the call's path names. Throws if there is no such number or the call has another token. */
  senderOf(call: Call): Sender {
    const token = this.tokenOf(call);
    const sender = this.senders.find(idOf(call));
    if (sender?.token !== token) throw unknownObject(call);
    return sender;
  }
}

/** An id for a message from a customer, or from an agent in the business app. */
export const newMessageId = (): string => `wamid.${randomBytes(24).toString("base64")}`;

export const opens = (business: Business, token: string): boolean =>
  [...business.numbers.values()].some((sender) => sender.token === token);

const newBusiness = (accountId: string): Business => ({
  accountId,
  templates: new Templates(accountId),
  numbers: new Map(),
});

/** The body of a webhook about a business account, not about one of its numbers. */
export const accountEvent = (accountId: string, field: string, value: object): object => ({
  object: "whatsapp_business_account",
  entry: [{ id: accountId, time: Math.floor(Date.now() / 1_000), changes: [{ field, value }] }],
});

/** The body of a webhook about numbers: one entry for each business account, with the changes of its numbers. */
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
