import { BadInput, object, optional, phoneNumber, shape, text } from "../core/input.ts";
import { momentOf, readWriting } from "../core/sayings.ts";
import type { Webhooks } from "../core/webhooks.ts";
import { type Accounts, changesEnvelope, newMessageId } from "./accounts.ts";

const readNews = shape({ field: text(100), value: optional(object) });

/** What the business itself does beside the API, and what the platform does with its account. */
export class AccountNews {
  constructor(
    private readonly accounts: Accounts,
    private readonly webhooks: Webhooks,
  ) {}

  /** Somebody of the business writes to a customer from the business app. */
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

  /** Tells any news of an account as they are given. */
  async tell(account: string, input: unknown): Promise<{ delivered: boolean }> {
    if (!this.accounts.business(account)) throw new BadInput(`there is no account ${account.slice(0, 100)}`);
    const { field, value = {} } = readNews(input, "body");
    const entry = [{ id: account, time: Math.floor(Date.now() / 1_000), changes: [{ field, value }] }];
    const payload = { object: "whatsapp_business_account", entry };
    return { delivered: await this.webhooks.deliver(this.webhooks.signed("cloud", payload)) };
  }
}
