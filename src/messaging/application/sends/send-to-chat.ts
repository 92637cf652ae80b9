import { BusinessNotFound } from "../../../kernel/errors.ts";
import { instantOf } from "../../../kernel/instants.ts";
import { LimitReached, NotApproved, SendRefused, SendUncertain, TemplateNotFound } from "../../domain/failures.ts";
import type { PlatformUnavailable } from "../../domain/platform.ts";
import { approvalState, languageOf, storedHeader, type Template } from "../../domain/template.ts";
import type { MessagingPlatform } from "../templates/ports.ts";
import type { Author, ChatContext, SendContexts, TemplateUsage } from "./ports.ts";
import type { SendFailure, SendMessage } from "./send-message.ts";
import { templateContent, templateSender } from "./template-content.ts";

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
  | SendFailure
  | PlatformUnavailable;

/** §3: sends an approved template to a chat, on the chat's own channel, in an agent's name. */
export class SendToChat {
  constructor(
    private readonly send: Pick<SendMessage, "execute">,
    private readonly contexts: Pick<SendContexts, "toChat">,
    private readonly platform: MessagingPlatform,
    private readonly usage: TemplateUsage,
    private readonly mediaBaseUrl: string | null,
  ) {}

  /** The platform's id of the message. */
  async execute(command: SendToChatCommand): Promise<string> {
    const { businessId } = command;
    const context = await this.contexts.toChat(businessId, command);
    if (!context) throw new BusinessNotFound(`business ${businessId}`);
    const { template } = context;
    if (!template) throw new TemplateNotFound(`template ${command.templateId} of business ${businessId}`);
    const language = await this.approvedLanguage(context, template);
    const month = await this.usage.reserve(businessId);
    if (month === null) throw new LimitReached(`business ${businessId}`);
    try {
      return await this.sendCounted(command, context, template, language);
    } catch (error) {
      // What may have been sent counts.
      if (!(error instanceof SendUncertain)) await this.usage.release(businessId, month);
      throw error;
    }
  }

  private sendCounted(
    command: SendToChatCommand,
    context: ChatContext,
    template: Template,
    language: string,
  ): Promise<string> {
    const { businessId, chatId, to, templateId, parameters, categoryId, date } = command;
    if (!context.chat || (command.userId !== null && !context.user)) {
      throw new SendRefused("chat, contact or user is not the business's");
    }
    const sender = templateSender(context, template, parameters.length);
    return this.send.execute(sender, {
      businessId,
      thread: { chatId },
      to,
      content: templateContent(template, language, parameters, storedHeader(template, this.mediaBaseUrl)),
      templateId,
      author: authorOf(command, context),
      categoryId,
      datedAt: date === null ? null : instantOf(date, context.timezone),
      takesConversation: true,
    });
  }

  /** §3.2: asked of the platform with each send. ProviderB approves its own templates. */
  private async approvedLanguage(
    { cloudSender, preferredLanguage }: ChatContext,
    { id, provider, structure, platformName }: Template,
  ): Promise<string> {
    if (provider !== "Cloud") return languageOf(structure, preferredLanguage, []);
    const known = cloudSender ? await this.platform.listTemplates(cloudSender, { name: platformName }) : [];
    const state = approvalState(structure, preferredLanguage, known);
    if (state !== "APPROVED") throw new NotApproved(`template ${id} is ${state}`);
    return languageOf(structure, preferredLanguage, known);
  }
}

/** §3: in the agent's name, where the request names one. */
function authorOf({ userId, userName }: SendToChatCommand, { user, businessName }: ChatContext): Author {
  const name = userName ?? user?.name;
  return { kind: name === undefined ? "business" : "user", name: name ?? businessName, userId };
}
