import { type BusinessNotFound, beforeAll } from "../../../kernel/errors.ts";
import { instantOf } from "../../../kernel/instants.ts";
import { type LimitReached, type NotApproved, SendUncertain, type TemplateNotFound } from "../../domain/failures.ts";
import type { PlatformUnavailable } from "../../domain/platform.ts";
import type { ChatTemplates } from "./chat-templates.ts";
import type { Author, ChatContext, NamedInChat } from "./ports.ts";
import type { SendFailure, SendMessage } from "./send-message.ts";

interface SendToChatCommand extends NamedInChat {
  readonly businessId: number;
  /** Digits of the recipient's number, or the recipient's id on channels without numbers. */
  readonly to: string;
  readonly parameters: readonly string[];
  readonly userName: string | null;
  readonly categoryId: number | null;
  /** A date that `instantOf` understands. A date without a zone is in the business's time zone. */
  readonly date: string | null;
}

export type SendToChatFailure =
  | BusinessNotFound
  | TemplateNotFound
  | NotApproved
  | LimitReached
  | SendFailure
  | PlatformUnavailable;

/** §3: sends an approved template to a chat, in the name of an agent or the business. */
export class SendToChat {
  constructor(
    private readonly send: Pick<SendMessage, "execute">,
    private readonly templates: Pick<ChatTemplates, "prepare">,
  ) {}

  /** Resolves to the platform's id of the message. */
  async execute(command: SendToChatCommand): Promise<string> {
    const { businessId, chatId, to, templateId, categoryId, date } = command;
    const { context, sender, content, release } = await beforeAll(this.templates.prepare(command));
    try {
      return await this.send.execute(sender, {
        businessId,
        thread: { chatId },
        to,
        content,
        templateId,
        author: authorOf(command, context),
        categoryId,
        datedAt: date === null ? null : instantOf(date, context.timezone),
        takesConversation: true,
      });
    } catch (error) {
      // A message that may have been sent stays counted. A message also stays counted if `release` fails.
      if (!(error instanceof SendUncertain)) await release().catch(() => {});
      throw error;
    }
  }
}

/** §3: the author is the agent whom the request names, else the business. */
function authorOf({ userId, userName }: SendToChatCommand, { user, businessName }: ChatContext): Author {
  const name = userName ?? user?.name;
  return { kind: name === undefined ? "business" : "user", name: name ?? businessName, userId };
}
