import { momentOf, readWriting } from "../core/customer-input.ts";
import { BadInput, object, optional, phoneNumber, shape, text } from "../core/input.ts";
import type { Webhooks } from "../core/webhooks.ts";
import { type Accounts, changesEnvelope, newMessageId } from "./accounts.ts";

const readEvent = shape({ field: text(100), value: optional(object) });

/** Messages that the business sends from its own app, and events of its account. */
export class AccountEvents {
  constructor(
    private readonly accounts: Accounts,
    private readonly webhooks: Webhooks,
  ) {}

  /** An agent writes to a customer from the business app. */
  async write(phoneNumberId: string, customer: string, input: unknown): Promise<{ id: string; delivered: boolean }> {
    const sender = this.accounts.sender(phoneNumberId);
    if (!sender) throw new BadInput(`there is no ${phoneNumberId.slice(0, 100)}`);
    const to = phoneNumber(customer, "customer");
    const { text: body, id = newMessageId(), timestamp, repeat: copies } = readWriting(input, "body");
    const at = String(Math.floor(momentOf(timestamp) / 1_000));
    const echo = { from: sender.displayPhoneNumber, to, id, timestamp: at, type: "text", text: { body } };
    const payload = changesEnvelope([{ sender, field: "smb_message_echoes", value: { message_echoes: [echo] } }]);
    const delivered = await this.webhooks.deliver(this.webhooks.signed("cloud", payload, copies));
    return { id, delivered };
  }

  /** Sends any event of an account as it is given. */
  async send(account: string, input: unknown): Promise<{ delivered: boolean }> {
    if (!this.accounts.business(account)) throw new BadInput(`there is no account ${account.slice(0, 100)}`);
    const { field, value = {} } = readEvent(input, "body");
    const entry = [{ id: account, time: Math.floor(Date.now() / 1_000), changes: [{ field, value }] }];
    const payload = { object: "whatsapp_business_account", entry };
    return { delivered: await this.webhooks.deliver(this.webhooks.signed("cloud", payload)) };
  }
}
