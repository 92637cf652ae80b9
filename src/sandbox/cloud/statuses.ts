import { groupBy } from "../../kernel/group-by.ts";
import type { AcceptedMessage } from "../core/shared.ts";
import type { MessageStatus, StatusReporter } from "../core/status-queue.ts";
import type { Webhooks } from "../core/webhooks.ts";
import { titleOf } from "../graph/graph.ts";
import { changesEnvelope, type Sender } from "./accounts.ts";

/** An accepted message and the number that sent it. Webhooks about the message's statuses name this number. */
export interface CloudMessage extends AcceptedMessage {
  readonly sender: Sender;
}

const usual: readonly string[] = ["sent", "delivered", "read"];
const failing: readonly string[] = ["sent", "failed"];

/** The statuses of the cloud channel. One webhook reports the statuses of many messages. */
export const cloudStatuses = (webhooks: Webhooks): StatusReporter<CloudMessage> => ({
  perWebhook: 100,
  stepsOf(_, fails) {
    if (webhooks.target === undefined) return [];
    return fails ? failing : usual;
  },
  delivery(statuses) {
    const bySender = [...groupBy(statuses, ({ message }) => message.sender)];
    const changes = bySender.map(([sender, own]) => ({
      sender,
      field: "messages",
      value: { statuses: own.map(toWire) },
    }));
    return webhooks.signed("cloud", changesEnvelope(changes));
  },
});

function toWire({ message, name, at, failCode }: MessageStatus<CloudMessage>): object {
  const title = titleOf(failCode);
  return {
    id: message.id,
    status: name,
    timestamp: String(Math.floor(at / 1000)),
    recipient_id: message.to,
    biz_opaque_callback_data: message.reference,
    errors: name === "failed" ? [{ code: failCode, title, message: title, error_data: { details: title } }] : undefined,
  };
}
