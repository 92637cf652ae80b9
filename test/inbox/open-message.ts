import { cloudChannel } from "../../src/kernel/channels.ts";
import type { OpenedMessage, OutgoingMessages } from "../../src/messaging/public.ts";

/** An outgoing message to a new number, stored in its chat and leased. */
export async function openMessage(messages: OutgoingMessages, phone: string, businessId = 1): Promise<OpenedMessage> {
  const message = {
    businessId,
    thread: { phone, contactName: "Ana" },
    to: phone,
    content: { text: "Hola" },
    author: { kind: "business", name: "Negocio", userId: null },
  } as const;
  const opened = await messages.open(message, cloudChannel);
  if (!opened) throw new Error("no thread was made");
  return opened;
}
