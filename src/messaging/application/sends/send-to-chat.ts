import { type ChannelName, cloudChannel, providerBChannel } from "../../../kernel/channels.ts";
import { BusinessNotFound } from "../../../kernel/errors.ts";
import { instantOf } from "../../../kernel/instants.ts";
import {
  LimitReached,
  NotApproved,
  type PlatformUnreachable,
  SendRefused,
  type SendUncertain,
  TemplateNotFound,
} from "../../domain/failures.ts";
import type { PlatformUnavailable } from "../../domain/platform.ts";
import { approvalState, languageOf, requiredParameters, storedHeader, type Template } from "../../domain/template.ts";
import type {
  ChannelMessage,
  Channels,
  ChatSendContext,
  ChatSends,
  MessagingPlatform,
  Outbox,
  OutboxEntry,
  Sender,
  TemplateUsage,
} from "../ports.ts";
import { conclude } from "./conclude.ts";
import { templateContent } from "./template-content.ts";

export interface SendToChatCommand {
  readonly businessId: number;
  /** Digits of the recipient's number, or its id on channels without numbers. */
  readonly to: string;
  readonly contactId: number;
  readonly chatId: number;
  readonly templateId: number;
  readonly parameters: readonly string[];
  readonly userId: number | null;
  readonly userName: string | null;
  readonly categoryId: number | null;
  /** A date that `instantOf` understands, in the business's time zone where it names none. */
  readonly date: string | null;
}

export type SendToChatFailure =
  | BusinessNotFound
  | TemplateNotFound
  | NotApproved
  | LimitReached
  | SendRefused
  | SendUncertain
  | PlatformUnreachable
  | PlatformUnavailable;

/** §3: sends an approved template to a chat, on the chat's own channel, in an agent's name. */
export class SendToChat {
  constructor(
    private readonly sends: ChatSends,
    private readonly platform: MessagingPlatform,
    private readonly channels: Channels,
    private readonly usage: TemplateUsage,
    private readonly outbox: Outbox,
    private readonly mediaBaseUrl: string | null,
    /** Hears why what came of a message could not be written down. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** The platform's id of the message. */
  async execute(command: SendToChatCommand): Promise<string> {
    const { businessId } = command;
    const context = await this.sends.context(businessId, command);
    if (!context) throw new BusinessNotFound(`business ${businessId}`);
    const { template } = context;
    if (!template) throw new TemplateNotFound(`template ${command.templateId} of business ${businessId}`);
    const language = await this.approvedLanguage(context, template);
    const month = await this.usage.reserve(businessId);
    if (month === null) throw new LimitReached(`business ${businessId}`);
    let counts = false;
    try {
      const sender = senderFor(command, context, template);
      const media = storedHeader(template, this.mediaBaseUrl);
      const content = templateContent(template, language, command.parameters, media);
      const entry = await this.enter(command, context, sender.channel, content);
      // From here on it may be sent, and what may have been sent counts.
      counts = true;
      const { to } = command;
      const outcome = await this.channels[sender.channel].send(sender, { to, reference: entry.reference, ...content });
      counts = outcome.kind === "accepted" || outcome.kind === "unknown";
      return await conclude(entry, outcome, this.onFailure);
    } finally {
      if (!counts) await this.usage.release(businessId, month);
    }
  }

  private enter(
    command: SendToChatCommand,
    context: ChatSendContext,
    channel: ChannelName,
    { text, media }: Pick<ChannelMessage, "text" | "media">,
  ): Promise<OutboxEntry> {
    const { businessId, chatId, to, templateId, categoryId, date } = command;
    return this.outbox.openInChat({
      businessId,
      chatId,
      to,
      channel,
      body: text,
      ...(media ? { mediaUrl: media.link } : {}),
      templateId,
      ...authorOf(command, context),
      categoryId,
      datedAt: date === null ? null : instantOf(date, context.timezone),
    });
  }

  /** §3.2: asked of the platform with each send. ProviderB approves its own templates. */
  private async approvedLanguage(
    { cloudSender, preferredLanguage }: ChatSendContext,
    { id, provider, structure, platformName }: Template,
  ): Promise<string> {
    if (provider !== "Cloud") return languageOf(structure, preferredLanguage, []);
    const known = cloudSender ? await this.platform.listTemplates(cloudSender, { name: platformName }) : [];
    const state = approvalState(structure, preferredLanguage, known);
    if (state !== "APPROVED") throw new NotApproved(`template ${id} is ${state}`);
    return languageOf(structure, preferredLanguage, known);
  }
}

/** What the message leaves from, once it is known that it can be sent at all. */
function senderFor(command: SendToChatCommand, { sender, chat, user }: ChatSendContext, template: Template): Sender {
  if (!chat || !sender || (command.userId !== null && !user)) {
    throw new SendRefused("chat, contact or user is not the business's, or the channel has no sender");
  }
  const knowsTemplate =
    sender.channel === cloudChannel || (sender.channel === providerBChannel && template.providerBId !== null);
  if (!knowsTemplate && command.parameters.length !== requiredParameters(template)) {
    // Nobody else counts them there, and the customer would read the placeholders.
    throw new SendRefused(`${command.parameters.length} parameters for template ${template.id}`);
  }
  return sender;
}

/** §3: in the agent's name, where the request names one. */
function authorOf({ userId, userName }: SendToChatCommand, { user, businessName }: ChatSendContext) {
  const name = userName ?? user?.name;
  return {
    author: name === undefined ? ("business" as const) : ("user" as const),
    authorName: name ?? businessName,
    authorUserId: userId,
  };
}
