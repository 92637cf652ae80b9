import type { MessageUnderWay, OutgoingMessages } from "../inbox/application/ports.ts";
import { type ChannelName, cloudChannel, isChannel, providerBChannel } from "../kernel/channels.ts";
import type { EventFeed } from "../kernel/events.ts";
import type {
  Channels,
  ChatSendContext,
  ChatSends,
  KnownTemplates,
  Sender,
  SenderDirectory,
} from "../messaging/application/ports.ts";
import { conclude } from "../messaging/application/sends/conclude.ts";
import { templateContent } from "../messaging/application/sends/template-content.ts";
import { SendUncertain } from "../messaging/domain/failures.ts";
import type { SendOutcome } from "../messaging/domain/platform.ts";
import { languageOf, requiredParameters, storedHeader, type Template } from "../messaging/domain/template.ts";
import type { SmsOutcome, SmsSender } from "../orders/application/delivery/integrations.ts";
import type { LinkRecipient, LinkWays, SendLink } from "../orders/application/payments/ports.ts";
import { PaymentLinkImpossible, PaymentLinkNotSent, PaymentLinkUncertain } from "../orders/domain/failures.ts";
import { settlementOf } from "./text-sender.ts";

interface Parts {
  readonly senders: SenderDirectory;
  readonly sends: ChatSends;
  readonly known: KnownTemplates;
  readonly ways: Channels;
  /** Null where no provider is configured. */
  readonly sms: SmsSender | null;
  readonly messages: OutgoingMessages;
  readonly feed: EventFeed;
  readonly mediaBaseUrl: string | null;
  readonly observe: (channel: ChannelName, outcome: string) => void;
  /** Hears why what came of a message could not be written down. */
  readonly onFailure: (error: unknown) => void;
}

/** A message with a link, as the chat keeps it and as it is sent. */
interface LinkMessage {
  readonly to: string;
  readonly kind: "text" | "template" | "sms";
  readonly body: string;
  readonly mediaUrl?: string;
  readonly templateId?: number;
  readonly send: (reference: string) => Promise<SendOutcome>;
}

/** Binds what payment links need of sending to the channels, and keeps what is sent in its chat. */
export function linkWays(parts: Parts): LinkWays {
  const { senders, sends, known, ways, sms, mediaBaseUrl, observe } = parts;

  const over = async (sender: Sender, message: Parameters<Channels[ChannelName]["send"]>[1]): Promise<SendOutcome> => {
    const outcome = await ways[sender.channel].send(sender, message);
    observe(sender.channel, outcome.kind);
    return outcome;
  };

  const text = async (recipient: LinkRecipient): Promise<SendLink> => {
    const { businessId, provider, platformId: to } = recipient;
    const sender = isChannel(provider) ? await senders.of(businessId, provider) : null;
    if (!sender) throw new PaymentLinkImpossible(`business ${businessId} has no sender on ${provider}`);
    return (url) =>
      deliver(parts, recipient, {
        to,
        kind: "text",
        body: url,
        send: (reference) => over(sender, { to, reference, text: url }),
      });
  };

  const template = async (
    recipient: LinkRecipient,
    templateId: number,
    parameters: readonly string[],
  ): Promise<SendLink> => {
    const { businessId, chatId, contactId } = recipient;
    const context = await sends.context(businessId, { templateId, chatId, contactId, userId: null });
    const found = context?.template;
    if (!found) throw new PaymentLinkImpossible(`no template ${templateId} of business ${businessId}`);
    const sender = senderFor(context, found, parameters.length + 1);
    const language = await languageFor(context, found, known);
    const media = storedHeader(found, mediaBaseUrl);
    // A template of ProviderB leaves another channel than the chat's, where nobody knows the chat's ids.
    const to = sender.channel === recipient.provider ? recipient.platformId : recipient.phone;
    return (url) => {
      const content = templateContent(found, language, [...parameters, url], media);
      return deliver(parts, recipient, {
        to,
        kind: "template",
        body: content.text,
        ...(media ? { mediaUrl: media.link } : {}),
        templateId,
        send: (reference) => over(sender, { to, reference, ...content }),
      });
    };
  };

  const bySms = async (recipient: LinkRecipient): Promise<SendLink> => {
    if (!sms) throw new PaymentLinkImpossible("no SMS provider is configured");
    const { phone: to } = recipient;
    return (url) =>
      deliver(parts, recipient, {
        to,
        kind: "sms",
        body: url,
        send: async (reference) => outcomeOf(await sms.send({ to, text: url, reference })),
      });
  };

  return {
    text: { prepare: text },
    sms: { prepare: bySms },
    template: (templateId, parameters) => ({
      prepare: (recipient) => template(recipient, templateId, parameters),
    }),
  };
}

/** Enters the message in the chat before it is sent: from then on it is sent at most once. */
async function deliver(
  { messages, feed, onFailure }: Parts,
  { businessId, businessName, chatId }: LinkRecipient,
  { send, ...message }: LinkMessage,
): Promise<void> {
  const underWay: MessageUnderWay | null = await messages.openInChat({
    businessId,
    chatId,
    ...message,
    author: "business",
    authorName: businessName,
    authorUserId: null,
    categoryId: null,
    datedAt: null,
    takesConversation: false,
  });
  if (!underWay) throw new PaymentLinkImpossible(`no chat ${chatId} of business ${businessId}`);
  const settle = async (outcome: SendOutcome) => feed.publish(await messages.settle(underWay, settlementOf(outcome)));
  const outcome = await send(underWay.reference);
  await conclude({ settle }, outcome, onFailure).catch((error: Error) => {
    throw error instanceof SendUncertain
      ? new PaymentLinkUncertain(error.message)
      : new PaymentLinkNotSent(error.message);
  });
}

/** As in §3: nobody else counts the parameters on a channel that knows no templates. */
function senderFor({ sender }: ChatSendContext, template: Template, parameters: number): Sender {
  if (!sender) throw new PaymentLinkImpossible("the channel has no sender");
  const knowsTemplate =
    sender.channel === cloudChannel || (sender.channel === providerBChannel && template.providerBId !== null);
  if (knowsTemplate || parameters === requiredParameters(template)) return sender;
  throw new PaymentLinkImpossible(`${parameters} parameters for template ${template.id}`);
}

/** As in §2: asks the platform only for templates that name no language; its silence is no reason not to try. */
async function languageFor(
  { cloudSender, preferredLanguage }: ChatSendContext,
  { structure, provider, platformName }: Template,
  known: KnownTemplates,
): Promise<string> {
  const asks = provider === "Cloud" && !structure?.language && cloudSender;
  const found = asks ? await known.named(asks, platformName).catch(() => []) : [];
  return languageOf(structure, preferredLanguage, found);
}

function outcomeOf(outcome: SmsOutcome): SendOutcome {
  if (outcome.kind === "accepted") return { kind: "accepted", platformMessageId: outcome.id };
  if (outcome.kind !== "refused") return outcome;
  return { kind: "refused", refusal: { class: "final", code: outcome.code, reason: outcome.reason } };
}
