import { cloudChannel } from "../../kernel/channels.ts";
import { instantOf } from "../../kernel/instants.ts";
import {
  BusinessNotFound,
  LimitReached,
  NotApproved,
  PlatformUnreachable,
  SendRefused,
  SendUncertain,
  TemplateNotFound,
  WrongDate,
} from "../domain/failures.ts";
import type { PlatformUnavailable, SendOutcome } from "../domain/platform.ts";
import { approvalState, headerMedia, languageOf, renderBody, storedMedia } from "../domain/template.ts";
import type {
  Channels,
  ChatSendContext,
  ChatSends,
  MessagingPlatform,
  Outbox,
  PlatformAccount,
  Sender,
  TemplateUsage,
} from "./ports.ts";

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
  /** ISO 8601, in the business's time zone where it names none. */
  readonly date: string | null;
}

export type SendToChatFailure =
  | BusinessNotFound
  | TemplateNotFound
  | NotApproved
  | LimitReached
  | WrongDate
  | SendRefused
  | SendUncertain
  | PlatformUnreachable
  | PlatformUnavailable;

/** §3: sends an approved template to a chat, on the chat's own channel, in an agent's name. */
export class SendToChat {
  constructor(
    private readonly sends: ChatSends,
    private readonly platform: Pick<MessagingPlatform, "listTemplates">,
    private readonly channels: Channels,
    private readonly usage: TemplateUsage,
    private readonly outbox: Outbox,
    private readonly mediaBaseUrl: string | null,
  ) {}

  /** The platform's id of the message. */
  async execute(command: SendToChatCommand): Promise<string> {
    const { businessId } = command;
    const context = await this.sends.context(businessId, command);
    if (!context) throw new BusinessNotFound(`business ${businessId}`);
    const { template } = context;
    if (!template) throw new TemplateNotFound(`template ${command.templateId} of business ${businessId}`);
    const datedAt = command.date === null ? null : instantOf(command.date, context.timezone);
    if (command.date !== null && datedAt === null) throw new WrongDate("no ISO 8601 date");
    const language = await this.approvedLanguage(context, template);
    const month = await this.usage.reserve(businessId);
    if (month === null) throw new LimitReached(`business ${businessId}`);
    let outcome: SendOutcome | undefined;
    try {
      outcome = await this.send(command, context, template, language, datedAt);
      return accepted(outcome);
    } finally {
      // What may have been sent counts.
      const maySend = outcome?.kind === "accepted" || outcome?.kind === "unknown";
      if (!maySend) await this.usage.release(businessId, month);
    }
  }

  /** §3.2: asked of the platform with each send. ProviderB approves its own templates. */
  private async approvedLanguage(
    { cloudAccount, preferredLanguage }: ChatSendContext,
    template: NonNullable<ChatSendContext["template"]>,
  ): Promise<string> {
    const { structure, platformName } = template;
    if (template.provider !== "Cloud") return languageOf(structure, preferredLanguage, []);
    const account = cloudAccount && accountOf(cloudAccount);
    const known = account ? await this.platform.listTemplates(account, { name: platformName }) : [];
    const state = approvalState(structure, preferredLanguage, known);
    if (state !== "APPROVED") throw new NotApproved(`template ${template.id} is ${state}`);
    return languageOf(structure, preferredLanguage, known);
  }

  private async send(
    command: SendToChatCommand,
    context: ChatSendContext,
    template: NonNullable<ChatSendContext["template"]>,
    language: string,
    datedAt: Date | null,
  ): Promise<SendOutcome> {
    const { sender, chat, user } = context;
    if (!chat || !sender || (command.userId !== null && !user)) {
      throw new SendRefused("chat, contact or user is not the business's, or the channel has no sender");
    }
    const { parameters } = command;
    const type = headerMedia(template);
    const link = storedMedia(template.fileName, this.mediaBaseUrl);
    const media = type && link ? { type, link } : undefined;
    const text = renderBody(template, parameters);
    const entry = await this.outbox.openInChat({
      businessId: command.businessId,
      chatId: command.chatId,
      to: command.to,
      body: text,
      ...(media ? { mediaUrl: media.link } : {}),
      templateId: template.id,
      authorName: command.userName ?? user?.name ?? context.businessName,
      authorUserId: command.userId,
      categoryId: command.categoryId,
      datedAt,
    });
    const outcome = await this.channels[sender.channel].send(sender, {
      to: command.to,
      reference: entry.reference,
      text,
      template: { name: template.platformName, language, parameters, providerBId: template.providerBId },
      ...(media ? { media } : {}),
    });
    await entry.settle(outcome);
    return outcome;
  }
}

const accountOf = (sender: Sender): PlatformAccount | null =>
  sender.channel === cloudChannel
    ? { phoneNumberId: sender.platformId, accountId: sender.accountId, accessToken: sender.accessToken }
    : null;

function accepted(outcome: SendOutcome): string {
  if (outcome.kind === "refused") throw new SendRefused(`${outcome.refusal.code}: ${outcome.refusal.reason}`);
  if (outcome.kind === "not-sent") throw new PlatformUnreachable(outcome.reason);
  if (outcome.kind === "unknown") throw new SendUncertain(outcome.reason);
  return outcome.platformMessageId;
}
