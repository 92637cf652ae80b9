import { beforeAll } from "../../../kernel/errors.ts";
import type { EventFeed, LoggedEvent } from "../../../kernel/events.ts";
import {
  type Author,
  type ChatTemplates,
  MediaNotAccessible,
  type MediaProbe,
  type MessageContent,
  mediaKindOf,
  type OpenedMessage,
  type PrepareTemplateFailure,
  type Sender,
  type SendMessage,
  storedMedia,
} from "../../../messaging/public.ts";
import {
  type ChatTaken,
  type ContactErased,
  QuickReplyEmpty,
  QuickReplyNotFound,
  refuseErased,
  refuseOutsideWindow,
  refuseTaken,
  TextTooLong,
  takesByAnswer,
  type WindowClosed,
} from "../../domain/acting.ts";
import { beginsBy, firstState } from "../../domain/conversation.ts";
import { mayReach } from "../../domain/delivery.ts";
import { ChatNotFound, MessageNotFound, type Viewer } from "../../domain/visibility.ts";
import type { MessageView } from "../events.ts";
import type { ActingReads, ActingUnitOfWork, AnswerDesk, FillQuickReply, HeldChat } from "./ports.ts";

export type Answer =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "media"; readonly url: string; readonly text: string }
  | {
      readonly kind: "template";
      readonly templateId: number;
      readonly parameters: readonly string[];
      readonly mediaUrl?: string;
    }
  | { readonly kind: "quick-reply"; readonly quickReplyId: number }
  /** Visible to agents only; never sent. */
  | { readonly kind: "note"; readonly text: string };

interface AnswerCommand {
  readonly chatId: number;
  readonly answer: Answer;
  /** A message id of the same chat. */
  readonly replyToId: number | null;
}

export type AnswerFailure =
  | ChatNotFound
  | ChatTaken
  | WindowClosed
  | ContactErased
  | MessageNotFound
  | QuickReplyNotFound
  | QuickReplyEmpty
  | TextTooLong
  | PrepareTemplateFailure;

interface Prepared {
  readonly content: MessageContent;
  /** The sender to use; the chat's own sender if absent. */
  readonly sender?: Sender;
  readonly templateId: number | null;
  /** Takes back the template's usage count. Call it if the message was not sent. */
  readonly release: () => Promise<void>;
}

interface StoredAnswer {
  readonly messageId: number;
  readonly opened: OpenedMessage | null;
  readonly events: readonly LoggedEvent[];
}

const nothingCounted = async () => {};

/**
 * Answers a chat. One transaction stores the message, leases it and changes the chat; then the message is sent at most
 * once. An agent who answers a chat without an agent becomes its holder.
 */
export class AnswerChat {
  constructor(
    private readonly unitOfWork: ActingUnitOfWork,
    private readonly reads: ActingReads,
    private readonly templates: Pick<ChatTemplates, "prepare">,
    private readonly media: MediaProbe,
    private readonly sends: Pick<SendMessage, "sendOpened" | "exceeded">,
    private readonly feed: EventFeed,
    private readonly mediaBaseUrl: string | null,
    private readonly fill: FillQuickReply,
  ) {}

  /** Resolves with the message, even if the send failed. Rejects with an `AnswerFailure` if nothing was stored. */
  async execute(viewer: Viewer, command: AnswerCommand): Promise<MessageView> {
    const { businessId } = viewer;
    const { answer } = command;
    if (answer.kind === "note") return this.enterNote(viewer, command, answer.text);
    const prepared = await beforeAll(this.prepare(viewer, command.chatId, answer));
    const stored = await beforeAll(this.store(viewer, command, prepared)).catch(async (error) => {
      await takeBackCount(prepared);
      throw error;
    });
    this.feed.publish(stored.events);
    if (stored.opened) {
      const { sender } = prepared;
      await this.sends.sendOpened([{ ...stored.opened, ...(sender && { sender }) }]);
    }
    const message = await this.storedMessage(businessId, stored.messageId);
    if (!mayReach(message.state)) await takeBackCount(prepared);
    return message;
  }

  private async enterNote(viewer: Viewer, { chatId, replyToId }: AnswerCommand, text: string): Promise<MessageView> {
    const entering = this.unitOfWork.run(viewer.businessId, async ({ chats, answers }) => {
      await chats.enterFirst(viewer.businessId, chatId, firstState(true));
      const chat = reachable(await chats.hold(viewer, chatId), viewer, chatId);
      refuseErased(chat);
      const { conversationId } = chat;
      if (conversationId === null) throw new Error(`chat ${chatId} has no conversation`);
      const reply = await replied(answers, chat, replyToId);
      return answers.note({
        chat,
        conversationId,
        body: text,
        author: authorOf(viewer, chat),
        replyToId: reply?.id ?? null,
      });
    });
    const { id, events } = await beforeAll(entering);
    this.feed.publish(events);
    return this.storedMessage(viewer.businessId, id);
  }

  private async store(viewer: Viewer, command: AnswerCommand, prepared: Prepared): Promise<StoredAnswer> {
    const { businessId, agentId } = viewer;
    const { chatId, replyToId } = command;
    const begins = agentId === null ? firstState(true) : beginsBy.attend;
    return this.unitOfWork.run(businessId, async ({ chats, answers }) => {
      const conversation = await chats.openConversation(businessId, chatId, begins);
      if (!conversation) throw new ChatNotFound(`chat ${chatId}`);
      const { conversationId, isNew } = conversation;
      const chat = reachable(await chats.hold(viewer, chatId), viewer, chatId);
      refuseErased(chat);
      refuseOutsideWindow(chat, prepared.templateId !== null);
      const replyTo = await replied(answers, chat, replyToId);
      const takes = agentId !== null && (isNew || takesByAnswer(chat, viewer));
      const ticketsOf = takes ? await chats.attend(chat, agentId) : [];
      const { content, templateId, sender } = prepared;
      const channel = sender?.channel ?? chat.provider;
      const limit = this.sends.exceeded(channel, content);
      if (limit) throw new TextTooLong(limit, command.answer.kind === "text" || command.answer.kind === "media");
      const opened = await answers.openMessage({
        chat,
        conversationId,
        content,
        channel,
        // A ProviderB template may be sent on another channel than the chat's; ProviderB knows only phone numbers.
        to: channel === chat.provider ? chat.platformId : chat.phone,
        author: authorOf(viewer, chat),
        templateId,
        replyTo,
      });
      const events = takes || isNew ? await chats.announce([{ chat, ticketsOf }]) : [];
      return { messageId: opened.id, opened, events };
    });
  }

  private async prepare(viewer: Viewer, chatId: number, answer: Exclude<Answer, { kind: "note" }>): Promise<Prepared> {
    const { businessId, agentId } = viewer;
    const free = (content: MessageContent): Prepared => ({ content, templateId: null, release: nothingCounted });
    if (answer.kind === "text") return free({ text: answer.text });
    if (answer.kind === "media") return free(await this.withMedia(viewer, chatId, answer.url, answer.text));
    if (answer.kind === "quick-reply") {
      const reply = await this.reads.quickReply(viewer, chatId, answer.quickReplyId);
      if (!reply) throw new QuickReplyNotFound(`quick reply ${answer.quickReplyId}`);
      const link = storedMedia(reply.mediaUrl, this.mediaBaseUrl);
      const media = link ? { media: { type: mediaKindOf(reply.mediaType), link } } : {};
      const text = this.fill(reply.body, reply);
      if (text.trim() === "" && !link) throw new QuickReplyEmpty(`quick reply ${answer.quickReplyId}`);
      return free({ text, ...media });
    }
    const contact = await this.reads.chat(viewer, chatId);
    if (!contact) throw new ChatNotFound(`chat ${chatId}`);
    refuseErased(contact);
    const { templateId, parameters, mediaUrl } = answer;
    const { sender, content, release } = await this.templates.prepare({
      businessId,
      chatId,
      contactId: contact.contactId,
      templateId,
      parameters,
      userId: agentId,
      ...(mediaUrl === undefined ? {} : { mediaUrl }),
    });
    return { content, sender, templateId, release };
  }

  /** Probes the file only if the chat accepts it now. `store` checks the chat again under its lock. */
  private async withMedia(viewer: Viewer, chatId: number, url: string, text: string): Promise<MessageContent> {
    const chat = reachable(await this.reads.chat(viewer, chatId), viewer, chatId);
    refuseErased(chat);
    refuseOutsideWindow(chat, false);
    const { status, type = null } = await this.media.probe(viewer.businessId, url);
    if (status !== 200) throw new MediaNotAccessible(status);
    return { text, media: { type: mediaKindOf(type), link: url } };
  }

  private async storedMessage(businessId: number, messageId: number): Promise<MessageView> {
    const message = await this.reads.message(businessId, messageId);
    if (!message) throw new Error(`message ${messageId} of business ${businessId} is gone`);
    // `sending` means that the result of the send could not be saved. A delivery status may still settle the message.
    return message.state === "sending" ? { ...message, state: "unknown" } : message;
  }
}

/** Ignores a failure: the count then stays one too high, and the business can send one template less that month. */
const takeBackCount = ({ release }: Prepared): Promise<void> => release().catch(() => {});

/** Throws `ChatTaken` or `ChatNotFound`. */
function reachable<Chat extends Pick<HeldChat, "holder" | "isVisible">>(
  chat: Chat | null,
  viewer: Viewer,
  chatId: number,
): Chat {
  if (!chat) throw new ChatNotFound(`chat ${chatId}`);
  refuseTaken(chat, viewer);
  if (!chat.isVisible) throw new ChatNotFound(`chat ${chatId}`);
  return chat;
}

async function replied(answers: AnswerDesk, { businessId, chatId }: HeldChat, replyToId: number | null) {
  if (replyToId === null) return null;
  const message = await answers.message(businessId, chatId, replyToId);
  if (!message) throw new MessageNotFound(`message ${replyToId}`);
  return message;
}

function authorOf({ userId }: Viewer, { userName, businessName }: HeldChat): Author {
  if (userId === null) return { kind: "business", name: businessName, userId: null };
  return { kind: "user", name: userName ?? businessName, userId };
}
