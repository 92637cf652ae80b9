import { isChannel, smsChannel } from "../../../kernel/channels.ts";
import { NoSender, SendRefused, TemplateNotFound } from "../../domain/failures.ts";
import type { MessageContent } from "../../domain/message.ts";
import { storedHeader } from "../../domain/template.ts";
import type { CachedTemplates } from "../templates/ports.ts";
import type { Author, NewMessage, SendContexts, Sender, SenderDirectory } from "./ports.ts";
import type { SendFailure, SendMessage } from "./send-message.ts";
import { likelyLanguage, templateContent, templateSender } from "./template-content.ts";

/** A contact, and the chat in which its messages are stored. */
export interface Recipient {
  readonly businessId: number;
  readonly businessName: string;
  readonly chatId: number;
  /** The chat's channel. */
  readonly provider: string;
  readonly contactId: number;
  /** Digits; empty for a contact without a number. */
  readonly phone: string;
  /** The contact's id on the chat's channel. */
  readonly platformId: string;
  /** The user who writes; the business if absent. */
  readonly author?: Author | null;
}

/**
 * Sends the text once and stores it in the chat. For a template, the text is the last parameter. Rejects with
 * `SendFailure`.
 */
export type SendText = (text: string) => Promise<string>;

export type BusinessMessageFailure = NoSender | TemplateNotFound | SendFailure;

/**
 * Prepares messages from a business to a chat. Preparing a message changes nothing. A method rejects with `NoSender`,
 * `TemplateNotFound` or `SendRefused` if the message cannot be sent.
 */
export class BusinessMessages {
  constructor(
    private readonly send: Pick<SendMessage, "execute">,
    private readonly senders: Pick<SenderDirectory, "forChat">,
    private readonly contexts: Pick<SendContexts, "toChat">,
    private readonly known: CachedTemplates,
    private readonly mediaBaseUrl: string | null,
  ) {}

  /** Prepares a text on the chat's channel. */
  async byText(recipient: Recipient): Promise<SendText> {
    const sender = await this.senderOn(recipient.provider, recipient);
    return (text) => this.sendTo(recipient, sender, recipient.platformId, { text });
  }

  /** Prepares an SMS to the contact's number. */
  async bySms(recipient: Recipient): Promise<SendText> {
    if (recipient.phone === "") throw new SendRefused("the contact has no phone number");
    const sender = await this.senderOn(smsChannel, recipient);
    return (text) => this.sendTo(recipient, sender, recipient.phone, { text });
  }

  /**
   * Prepares a template on the chat's channel, or on ProviderB's channel if the template is ProviderB's and the contact
   * has a number. Approval is not checked here.
   */
  async byTemplate(recipient: Recipient, templateId: number, parameters: readonly string[]): Promise<SendText> {
    const { businessId, chatId, contactId, provider, platformId, phone } = recipient;
    const context = await this.contexts.toChat(businessId, { templateId, chatId, contactId, userId: null });
    const template = context?.template;
    if (!template) throw new TemplateNotFound(`template ${templateId} of business ${businessId}`);
    const sender = templateSender(context, template, parameters.length + 1);
    const asked = template.provider === "Cloud" ? context.cloudSender : null;
    const language = await likelyLanguage(template, context.preferredLanguage, asked, this.known);
    const media = storedHeader(template, this.mediaBaseUrl);
    // `platformId` is valid only on the chat's channel. ProviderB's channel needs the phone number instead.
    const to = sender.channel === provider ? platformId : phone;
    return (text) => {
      const content = templateContent(template, language, [...parameters, text], media);
      return this.sendTo(recipient, sender, to, content, { templateId });
    };
  }

  private async senderOn(channel: string, { businessId, chatId }: Recipient): Promise<Sender> {
    const sender = isChannel(channel) ? await this.senders.forChat(businessId, channel, chatId) : null;
    if (!sender) throw new NoSender(`business ${businessId} has no sender on ${channel}`);
    return sender;
  }

  private sendTo(
    { businessId, businessName, chatId, author: user }: Recipient,
    sender: Sender,
    to: string,
    content: MessageContent,
    more: Pick<NewMessage, "templateId"> = {},
  ): Promise<string> {
    const author = user ?? ({ kind: "business", name: businessName, userId: null } as const);
    return this.send.execute(sender, { businessId, thread: { chatId }, to, content, author, ...more });
  }
}
