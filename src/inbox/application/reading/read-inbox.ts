import { ChatNotFound, type Viewer } from "../../domain/visibility.ts";
import type { AgentView, ChatView, MessageView } from "../events.ts";
import type {
  ChatCounts,
  ChatDetails,
  ChatFilter,
  ChatPosition,
  InboxReads,
  OrderSummary,
  OrdersOfChat,
  PageAsked,
  PageOf,
} from "./ports.ts";

const mostOrders = 5;

/** The pages of the inbox. Chats that the viewer may not see are reported as `ChatNotFound`. */
export class ReadInbox {
  constructor(
    private readonly reads: InboxReads,
    private readonly orders: OrdersOfChat,
  ) {}

  chats(
    viewer: Viewer,
    filter: ChatFilter,
    page: PageAsked<ChatPosition>,
    signal?: AbortSignal,
  ): Promise<PageOf<ChatView, ChatPosition>> {
    return this.reads.chats(viewer, filter, page, signal);
  }

  counts(viewer: Viewer): Promise<ChatCounts> {
    return this.reads.counts(viewer);
  }

  async chat(viewer: Viewer, chatId: number): Promise<{ chat: ChatDetails; orders: readonly OrderSummary[] }> {
    const [chat, orders] = await Promise.all([
      this.reads.chat(viewer, chatId),
      this.orders.latest(viewer.businessId, chatId, mostOrders),
    ]);
    if (!chat) throw new ChatNotFound(`chat ${chatId}`);
    return { chat, orders };
  }

  async messages(viewer: Viewer, chatId: number, page: PageAsked<number>): Promise<PageOf<MessageView, number>> {
    return orNotFound(await this.reads.messages(viewer, chatId, page), chatId);
  }

  async messagesAfter(viewer: Viewer, chatId: number, page: PageAsked<number>): Promise<PageOf<MessageView, number>> {
    return orNotFound(await this.reads.messagesAfter(viewer, chatId, page), chatId);
  }

  agents(businessId: number): Promise<AgentView[]> {
    return this.reads.agents(businessId);
  }
}

function orNotFound<Page>(page: Page | null, chatId: number): Page {
  if (!page) throw new ChatNotFound(`chat ${chatId}`);
  return page;
}
