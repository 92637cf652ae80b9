import { BusinessNotFound, beforeAll } from "../../../kernel/errors.ts";
import {
  ChatOfAnother,
  type MediaNotAccessible,
  type NoMediaHeader,
  NoSender,
  TemplateNotFound,
} from "../../domain/failures.ts";
import type { CachedTemplates } from "../templates/ports.ts";
import type { MediaProbe, SendContexts } from "./ports.ts";
import type { SendFailure, SendMessage } from "./send-message.ts";
import { headerToSend, likelyLanguage, templateContent } from "./template-content.ts";

interface SendTemplateCommand {
  readonly businessId: number;
  /** Digits only. */
  readonly phone: string;
  readonly templateId: number;
  readonly parameters: readonly string[];
  /** The contact's name if the contact must be created; the phone number by default. */
  readonly contactName?: string;
  /** The user who sends; the business if absent. */
  readonly userId?: number | null;
  /** The same id as `userId` if that user may not write into chats of other users. Absent or null otherwise. */
  readonly heldTo?: number | null;
  /** Replaces the header's media in this send. */
  readonly mediaUrl?: string;
}

export type SendTemplateFailure =
  | BusinessNotFound
  | TemplateNotFound
  | ChatOfAnother
  | NoSender
  | NoMediaHeader
  | MediaNotAccessible
  | SendFailure;

/** §2: sends a template to a phone number, at most once, and stores it in the conversation with that number. */
export class SendTemplate {
  constructor(
    private readonly send: Pick<SendMessage, "execute">,
    private readonly contexts: Pick<SendContexts, "toNumber">,
    private readonly known: CachedTemplates,
    private readonly media: MediaProbe,
    /** The base URL of stored files, ending in a slash. If null, a stored header is sent only if it is an https URL. */
    private readonly mediaBaseUrl: string | null,
  ) {}

  /** Resolves to the platform's id of the message. Rejects with `SendTemplateFailure`. */
  async execute({
    businessId,
    phone,
    templateId,
    userId = null,
    heldTo = null,
    ...command
  }: SendTemplateCommand): Promise<string> {
    const context = await beforeAll(this.contexts.toNumber(businessId, { templateId, phone, userId, heldTo }));
    if (!context) throw new BusinessNotFound(`business ${businessId}`);
    const { sender, template, businessName, userName, preferredLanguage } = context;
    if (!template) throw new TemplateNotFound(`template ${templateId} of business ${businessId}`);
    if (context.isChatOfAnother) throw new ChatOfAnother(`not the chat of user ${heldTo}`);
    const header = await headerToSend(template, businessId, command.mediaUrl, this.media, this.mediaBaseUrl);
    if (!sender) throw new NoSender(`business ${businessId}`);
    const language = await beforeAll(likelyLanguage(template, preferredLanguage, sender, this.known));
    return await this.send.execute(sender, {
      businessId,
      thread: { phone, contactName: command.contactName ?? phone },
      to: phone,
      content: templateContent(template, language, command.parameters, header),
      templateId,
      author:
        userId === null
          ? { kind: "business", name: businessName, userId: null }
          : { kind: "user", name: userName ?? businessName, userId },
    });
  }
}
