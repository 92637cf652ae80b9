import { createHash } from "node:crypto";
import type { Senders } from "../core/senders.ts";
import type { AcceptedMessage } from "../core/shared.ts";
import type { StatusNews, Telling } from "../core/status-queue.ts";
import type { Webhooks } from "../core/webhooks.ts";
import type { SandboxProviderB } from "../settings.ts";
import { addressOf, callback, type Form } from "./callbacks.ts";
import { messages } from "./errors.ts";

/** An accepted message with what its statuses need. */
export interface ProviderBMessage extends AcceptedMessage {
  readonly accountId: string;
  /** Where its statuses go; without it none are sent. */
  readonly statusCallback: string | undefined;
}

const usual: readonly string[] = ["queued", "sent", "delivered", "read"];
const failing: readonly string[] = ["queued", "sent", "undelivered"];
const undeliverable = 63024;

/** What becomes of messages: a callback for each status, to the address that the message named. */
export const providerBTelling = (
  accounts: Senders<SandboxProviderB>,
  webhooks: Webhooks,
): Telling<ProviderBMessage> => ({
  perWebhook: 1,
  stepsOf({ accountId, statusCallback }, fails) {
    if (statusCallback === undefined || !accounts.find(accountId)) return [];
    return fails ? failing : usual;
  },
  delivery([told]) {
    const account = accounts.find(told?.message.accountId);
    if (!told || !account) throw new Error("nothing to tell");
    return callback(webhooks, account, told.message.statusCallback, toWire(told));
  },
});

function toWire({ message, name, failCode }: StatusNews<ProviderBMessage>): Form {
  const { id, from, to, accountId, type } = message;
  return {
    ...eventsOf(name),
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

function eventsOf(status: string): Form {
  return status === "delivered" || status === "read" || status === "undelivered"
    ? { EventType: status.toUpperCase() }
    : {};
}

/** Other channels have codes of other lengths. */
function errorOf(failCode: number): Form {
  const code = failCode >= 10_000 && failCode < 100_000 ? failCode : undeliverable;
  return { ErrorCode: `${code}`, ErrorMessage: messages[code] ?? "An error occurred" };
}
