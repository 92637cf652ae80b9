import type { Senders } from "../core/senders.ts";
import type { AcceptedMessage } from "../core/shared.ts";
import type { StatusNews, Telling } from "../core/status-queue.ts";
import type { SandboxQrInstance } from "../settings.ts";
import { jidOf, type QrNews } from "./news.ts";

const usual: readonly string[] = ["SERVER_ACK", "DELIVERY_ACK", "READ"];
const failing: readonly string[] = ["SERVER_ACK", "ERROR"];

/** What becomes of messages of paired phones: one webhook for each step, without the time of it. */
export const qrTelling = (instances: Senders<SandboxQrInstance>, news: QrNews): Telling<AcceptedMessage> => ({
  perWebhook: 1,
  stepsOf({ from, type }, fails) {
    if (!instances.find(from) || !news.isAskedFor(from, "messages.update")) return [];
    if (fails) return failing;
    return type === "audio" ? [...usual, "PLAYED"] : usual;
  },
  delivery([told]) {
    const sender = instances.find(told?.message.from);
    if (!told || !sender) throw new Error("nothing to tell");
    return news.delivery(sender, "messages.update", toWire(told, sender));
  },
});

function toWire({ message: { id, to }, name }: StatusNews<AcceptedMessage>, sender: SandboxQrInstance): object {
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
      // The provider's own id of the message: no other field has it.
      const messageId = `cm${Buffer.from(id).toString("hex").slice(-23)}`;
      return { messageId, keyId: id, remoteJid, fromMe: true, participant: remoteJid, status: name, instanceId };
    }
  }
}
