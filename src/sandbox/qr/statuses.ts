import type { Senders } from "../core/senders.ts";
import type { AcceptedMessage } from "../core/shared.ts";
import type { MessageStatus, StatusReporter } from "../core/status-queue.ts";
import type { SandboxQrInstance } from "../settings.ts";
import { jidOf, type QrWebhooks } from "./qr-webhooks.ts";

const usual: readonly string[] = ["SERVER_ACK", "DELIVERY_ACK", "READ"];
const failing: readonly string[] = ["SERVER_ACK", "ERROR"];

/** The statuses of paired phones: one webhook for each, without a time. */
export const qrStatuses = (
  instances: Senders<SandboxQrInstance>,
  qrWebhooks: QrWebhooks,
): StatusReporter<AcceptedMessage> => ({
  perWebhook: 1,
  stepsOf({ from, type }, fails) {
    if (!instances.find(from) || !qrWebhooks.isAskedFor(from, "messages.update")) return [];
    if (fails) return failing;
    return type === "audio" ? [...usual, "PLAYED"] : usual;
  },
  delivery([status]) {
    const sender = instances.find(status?.message.from);
    if (!status || !sender) throw new Error("there is no status to deliver");
    return qrWebhooks.delivery(sender, "messages.update", toWire(status, sender));
  },
});

function toWire({ message: { id, to }, name }: MessageStatus<AcceptedMessage>, sender: SandboxQrInstance): object {
  const [remoteJid, instanceId] = [jidOf(to), sender.instance];
  const key = { remoteJid, fromMe: true, id };
  switch (sender.updates) {
    case "key":
      return { key, status: name, instanceId };
    case "list":
      return [{ key, update: { status: name }, instanceId }];
    case "id":
      return { ...key, status: name, datetime: Date.now(), owner: instanceId };
    default: {
      // The provider's own id of the message, which no other field has.
      const messageId = `cm${Buffer.from(id).toString("hex").slice(-23)}`;
      return { messageId, keyId: id, remoteJid, fromMe: true, participant: remoteJid, status: name, instanceId };
    }
  }
}
