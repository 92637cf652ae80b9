import { createHash, createHmac } from "node:crypto";
import type { Senders } from "../core/senders.ts";
import type { AcceptedMessage } from "../core/shared.ts";
import type { MessageStatus, StatusReporter } from "../core/status-queue.ts";
import { type Delivery, isSuccess, type Webhooks } from "../core/webhooks.ts";
import type { SandboxProviderB } from "../settings.ts";
import { messages } from "./errors.ts";

/** ProviderB makes only a few attempts. */
const maxAttempts = 3;

export type Form = Readonly<Record<string, string>>;

export function callback(
  webhooks: Webhooks,
  { token }: SandboxProviderB,
  url: string | undefined,
  form: Form,
  copies?: number,
): Delivery {
  const headers = {
    "content-type": "application/x-www-form-urlencoded; charset=utf-8",
    "x-twilio-signature": url === undefined ? "" : signature(token, url, form),
    "user-agent": "TwilioProxy/1.1",
  };
  const destination = () => (url === undefined ? undefined : { url, headers });
  const payload = Buffer.from(new URLSearchParams(form).toString());
  return webhooks.delivery(payload, destination, { isAccepted: isSuccess, maxAttempts, copies });
}

/** Signs the whole address, followed by each field's name and value, sorted by name. */
function signature(token: string, url: string, form: Form): string {
  const signed = Object.keys(form)
    .sort()
    .map((name) => `${name}${form[name]}`);
  return createHmac("sha1", token)
    .update(`${url}${signed.join("")}`)
    .digest("base64");
}

export const addressOf = (phone: string): string => `whatsapp:+${phone}`;

export interface ProviderBMessage extends AcceptedMessage {
  readonly accountId: string;
  /** The address for the message's statuses. Without an address no statuses are sent. */
  readonly statusCallback: string | undefined;
}

const usual: readonly string[] = ["queued", "sent", "delivered", "read"];
const failing: readonly string[] = ["queued", "sent", "undelivered"];
/** The statuses that are reported with an `EventType`. */
const namedEvents: readonly string[] = ["delivered", "read", "undelivered"];
const undeliverable = 63024;

/** Reports each status in a callback of its own, to the address that came with the message. */
export const providerBStatuses = (
  accounts: Senders<SandboxProviderB>,
  webhooks: Webhooks,
): StatusReporter<ProviderBMessage> => ({
  perWebhook: 1,
  stepsOf({ accountId, statusCallback }, fails) {
    if (statusCallback === undefined || !accounts.find(accountId)) return [];
    return fails ? failing : usual;
  },
  delivery([status]) {
    const account = accounts.find(status?.message.accountId);
    if (!status || !account) throw new Error("there is no status to deliver");
    return callback(webhooks, account, status.message.statusCallback, toWire(status));
  },
});

function toWire({ message, name, failCode }: MessageStatus<ProviderBMessage>): Form {
  const { id, from, to, accountId, type } = message;
  return {
    ...(namedEvents.includes(name) && { EventType: name.toUpperCase() }),
    SmsSid: id,
    SmsStatus: name,
    MessageStatus: name,
    ChannelToAddress: `+${to.slice(0, -4)}XXXX`,
    To: addressOf(to),
    ChannelPrefix: "whatsapp",
    MessageSid: id,
    AccountSid: accountId,
    StructuredMessage: `${type === "template"}`,
    From: addressOf(from),
    ApiVersion: "2010-04-01",
    ChannelInstallSid: `XE${createHash("md5").update(accountId).digest("hex")}`,
    ...(name === "undelivered" && errorOf(failCode)),
  };
}

/** ProviderB's codes have five digits. A code of another length is replaced by `undeliverable`. */
function errorOf(failCode: number): Form {
  const code = failCode >= 10_000 && failCode < 100_000 ? failCode : undeliverable;
  return { ErrorCode: `${code}`, ErrorMessage: messages[code] ?? "An error occurred" };
}
