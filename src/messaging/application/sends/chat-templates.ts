import { BusinessNotFound } from "../../../kernel/errors.ts";
import {
  LimitReached,
  type MediaNotAccessible,
  type NoMediaHeader,
  NotApproved,
  SendRefused,
  TemplateNotFound,
} from "../../domain/failures.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { PlatformUnavailable } from "../../domain/platform.ts";
import { approvalState, languageOf, type Template } from "../../domain/template.ts";
import type { MessagingPlatform } from "../templates/ports.ts";
import type { ChatContext, MediaProbe, NamedInChat, SendContexts, Sender, TemplateUsage } from "./ports.ts";
import { headerToSend, templateContent, templateSender } from "./template-content.ts";

interface TemplateForChat extends NamedInChat {
  readonly businessId: number;
  readonly parameters: readonly string[];
  /** Replaces the header's media in this send. */
  readonly mediaUrl?: string;
}

export type PrepareTemplateFailure =
  | BusinessNotFound
  | TemplateNotFound
  | NotApproved
  | NoMediaHeader
  | MediaNotAccessible
  | LimitReached
  | SendRefused
  | PlatformUnavailable;

/** A template that may be sent, and is already counted against the monthly limit. */
interface PreparedTemplate {
  readonly context: ChatContext;
  readonly sender: Sender;
  readonly content: MessageContent;
  /** Undoes the count. Call it if the template was not sent. */
  release(): Promise<void>;
}

/** §3: checks in the order of §3.1 whether a template may be sent to a chat, and prepares the message. */
export class ChatTemplates {
  constructor(
    private readonly contexts: Pick<SendContexts, "toChat">,
    private readonly platform: MessagingPlatform,
    private readonly usage: TemplateUsage,
    private readonly media: MediaProbe,
    private readonly mediaBaseUrl: string | null,
  ) {}

  /** Rejects with `PrepareTemplateFailure`. Before that, undoes the count if the template was already counted. */
  async prepare(asked: TemplateForChat): Promise<PreparedTemplate> {
    const { businessId } = asked;
    const context = await this.contexts.toChat(businessId, asked);
    if (!context) throw new BusinessNotFound(`business ${businessId}`);
    const { template } = context;
    if (!template) throw new TemplateNotFound(`template ${asked.templateId} of business ${businessId}`);
    const language = await this.approvedLanguage(context, template);
    const header = await headerToSend(template, businessId, asked.mediaUrl, this.media, this.mediaBaseUrl);
    const month = await this.usage.reserve(businessId);
    if (month === null) throw new LimitReached(`business ${businessId}`);
    const release = () => this.usage.release(businessId, month);
    try {
      if (!context.chat || (asked.userId !== null && !context.user)) {
        throw new SendRefused("chat, contact or user is not the business's");
      }
      const sender = templateSender(context, template, asked.parameters.length);
      return { context, sender, content: templateContent(template, language, asked.parameters, header), release };
    } catch (error) {
      // If `release` fails, the template stays counted.
      await release().catch(() => {});
      throw error;
    }
  }

  /** §3.2: asks the platform at each send whether the template is approved. ProviderB's templates are not checked. */
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
