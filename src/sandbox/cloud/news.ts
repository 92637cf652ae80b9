import { randomBytes } from "node:crypto";
import { BadInput, object, optional, phoneNumber, shape, text } from "../core/input.ts";
import { sayingFields } from "../core/sayings.ts";
import type { Webhooks } from "../core/webhooks.ts";
import { type Accounts, changesEnvelope } from "./accounts.ts";

const { id, timestamp, repeat } = sayingFields;
const readWriting = shape({ text: text(), id, timestamp, repeat });
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
    const {
      text: body,
      id: messageId = `wamid.${randomBytes(24).toString("base64")}`,
      timestamp: at = Math.floor(Date.now() / 1_000),
      repeat: copies,
    } = readWriting(input, "body");
    const echo = {
      ...{ from: sender.displayPhoneNumber, to, id: messageId, timestamp: String(at) },
      ...{ type: "text", text: { body } },
    };
    const payload = changesEnvelope([{ sender, field: "smb_message_echoes", value: { message_echoes: [echo] } }]);
    const delivered = await this.webhooks.deliver(this.webhooks.signed("cloud", payload, copies));
    return { id: messageId, delivered };
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
