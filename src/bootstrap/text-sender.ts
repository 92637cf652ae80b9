import type { Settlement, TextSender } from "../inbox/application/ports.ts";
import { type ChannelName, isChannel } from "../kernel/channels.ts";
import type { Channels, SenderDirectory } from "../messaging/application/ports.ts";
import type { SendOutcome } from "../messaging/domain/platform.ts";

/** Binds what the inbox needs of sending to the channels. */
export const textSender = (
  senders: SenderDirectory,
  ways: Channels,
  observe: (channel: ChannelName, outcome: string) => void,
): TextSender => ({
  send: async ({ businessId, provider, to, text, reference }) => {
    if (!isChannel(provider)) return notSent(`there is no channel ${provider}`);
    const sender = await senders.of(businessId, provider);
    if (!sender) return notSent(`the business has no sender on ${provider}`);
    const outcome = await ways[provider].send(sender, { to, reference, text });
    observe(provider, outcome.kind);
    return settlementOf(outcome);
  },
});

const notSent = (reason: string): Settlement => ({ state: "failed", reason, optedOut: false });

/** What the inbox writes down of a message once its request has ended. */
export function settlementOf(outcome: SendOutcome): Settlement {
  switch (outcome.kind) {
    case "accepted": {
      const { platformMessageId, recipientId } = outcome;
      return { state: "sent", platformMessageId, ...(recipientId === undefined ? {} : { recipientId }) };
    }
    case "refused": {
      const { code, reason } = outcome.refusal;
      return { state: "failed", code, reason, optedOut: outcome.refusal.class === "opted-out" };
    }
    case "not-sent":
      return notSent(outcome.reason);
    case "unknown":
      return { state: "unknown", reason: outcome.reason };
  }
}
