import type { EventFeed, LoggedEvent } from "../../../kernel/events.ts";
import { KeyedMutex } from "../../../kernel/keyed-mutex.ts";
import type { ReadMessage, ReadReceipts } from "../../../messaging/public.ts";
import {
  AgentNotFound,
  DepartmentNotFound,
  Forbidden,
  refuseClose,
  refuseErased,
  refuseTaken,
  refuseTransfer,
  waitsFor,
} from "../../domain/acting.ts";
import { chooseAgent, receivers } from "../../domain/assignment.ts";
import { beginsBy } from "../../domain/conversation.ts";
import { isOpenAt } from "../../domain/opening-hours.ts";
import type { TicketEnd } from "../../domain/ticket.ts";
import { ChatNotFound, MessageNotFound, type Viewer } from "../../domain/visibility.ts";
import type { ChatView } from "../events.ts";
import type { ActingStores, ActingUnitOfWork, HeldChat } from "./ports.ts";

/** The new holder is an agent, an agent of a department, or no agent. */
export type Transfer = { readonly agentId: number | null } | { readonly departmentId: number };

type Receipt = ReadMessage & { readonly provider: string };
/** `isNew`: the action itself opened the conversation. */
type ActedOn = HeldChat & { readonly isNew: boolean };

/** What an action changed: nothing, only the chat, or also its tickets, with `ticketsOf` as in `ChatChange`. */
type Done = "nothing" | "chat" | { readonly ticketsOf: readonly number[] };

interface Outcome {
  readonly chat: ChatView;
  readonly events: readonly LoggedEvent[];
}

/**
 * The actions of users and App Keys on a chat. Each action is one transaction that locks the chat, so a second action
 * waits and sees the result of the first. An action that changes nothing succeeds and sends no event.
 */
export class ActOnChats {
  /** Runs transfers to a department one after the other. A transfer that waits here holds no database connection. */
  private readonly mutex = new KeyedMutex();

  constructor(
    private readonly unitOfWork: ActingUnitOfWork,
    private readonly feed: EventFeed,
    private readonly receipts: Pick<ReadReceipts, "send">,
  ) {}

  /** Does nothing if the user already works on the chat. */
  take(viewer: Viewer, chatId: number): Promise<ChatView> {
    const { userId } = viewer;
    if (userId === null) return Promise.reject(new Forbidden("a key takes no chat"));
    return this.act(viewer, chatId, "attend", async ({ chats }, chat) => {
      if (isWith(chat, userId)) return "nothing";
      refuseTaken(chat, { ...viewer, agentId: userId });
      refuseErased(chat);
      return { ticketsOf: await chats.attend(chat, userId) };
    });
  }

  transfer(viewer: Viewer, chatId: number, to: Transfer): Promise<ChatView> {
    if ("departmentId" in to) return this.transferToDepartment(viewer, chatId, to.departmentId);
    const { agentId } = to;
    if (agentId === null) return this.unassign(viewer, chatId);
    return this.act(viewer, chatId, "attend", async ({ chats }, chat) => {
      refuseHidden(chat);
      refuseTransfer(chat, viewer);
      if (!(await chats.hasUser(viewer.businessId, agentId))) throw new AgentNotFound(`user ${agentId}`);
      if (isWith(chat, agentId)) return "nothing";
      refuseErased(chat);
      return { ticketsOf: await chats.attend(chat, agentId) };
    });
  }

  private unassign(viewer: Viewer, chatId: number): Promise<ChatView> {
    return this.actOnOpen(viewer, chatId, refuseTransfer, async ({ chats }, chat) => {
      if (chat.holder === null && chat.state === "pending") return "nothing";
      // The chat would wait for an agent's answer, but an erased customer cannot be answered.
      refuseErased(chat);
      return { ticketsOf: await chats.queue(chat, null) };
    });
  }

  /**
   * Gives the chat to the available agent with the smallest load, but to the present holder only if no other agent is
   * available. Without an available agent, or outside opening hours, the chat waits in the department's line.
   */
  private transferToDepartment(viewer: Viewer, chatId: number, departmentId: number): Promise<ChatView> {
    const { businessId } = viewer;
    return this.mutex.runExclusive(`${businessId} ${departmentId}`, () =>
      this.run(businessId, async (stores) => {
        const { chats, departments, lines } = stores;
        const line = await departments.department(businessId, departmentId);
        if (!line) throw new DepartmentNotFound(`department ${departmentId}`);
        const now = await lines.hold(line);
        const agents = isOpenAt(line, now) ? await departments.agents(line) : [];
        const chat = await this.hold(stores, viewer, chatId, agents.length > 0 ? "attend" : "queue");
        refuseHidden(chat);
        refuseTransfer(chat, viewer);
        refuseErased(chat);
        const agent = chooseAgent(receivers(agents, chat.holder?.id ?? null), null);
        if (agent) {
          const ticketsOf = await chats.attend(chat, agent.id, departmentId);
          await departments.noteGiven(businessId, [agent.id]);
          return this.outcome(stores, chat, { ticketsOf });
        }
        const wasThere = waitsFor(chat, departmentId) && !chat.isNew;
        const ticketsOf = wasThere ? [] : await chats.queue(chat, departmentId);
        await departments.wait(businessId, chatId, departmentId);
        return this.outcome(stores, chat, wasThere ? "nothing" : { ticketsOf });
      }),
    );
  }

  close(viewer: Viewer, chatId: number, end: TicketEnd, reason: string | null): Promise<ChatView> {
    return this.actOnOpen(viewer, chatId, refuseClose, async ({ chats }, chat) => {
      return { ticketsOf: await chats.close(chat, end, reason) };
    });
  }

  setBot(viewer: Viewer, chatId: number, isAvailable: boolean): Promise<ChatView> {
    return this.act(viewer, chatId, null, async ({ marks }, chat) => {
      refuseHidden(chat);
      return (await marks.setBot(viewer.businessId, chatId, isAvailable)) ? "chat" : "nothing";
    });
  }

  tag(viewer: Viewer, chatId: number, tagId: number, isOn: boolean): Promise<ChatView> {
    return this.act(viewer, chatId, null, async ({ marks }, chat) => {
      refuseHidden(chat);
      return (await marks.tag(viewer.businessId, chatId, tagId, isOn)) ? "chat" : "nothing";
    });
  }

  /** The read mark never moves back. If it passes customer messages, the platform gets a receipt for the last one. */
  async read(viewer: Viewer, chatId: number, upTo: number): Promise<ChatView> {
    const { businessId } = viewer;
    let receipt: Receipt | null = null;
    const view = await this.act(viewer, chatId, null, async ({ marks, answers }, chat) => {
      receipt = null;
      refuseHidden(chat);
      if (!(await answers.message(businessId, chatId, upTo))) throw new MessageNotFound(`message ${upTo}`);
      const read = await marks.read(businessId, chatId, upTo);
      const { provider, platformId: customer } = chat;
      if (read?.receiptFor) receipt = { provider, customer, platformMessageId: read.receiptFor };
      return read === undefined ? "nothing" : "chat";
    });
    const told = receipt as Receipt | null;
    if (told) this.receipts.send({ businessId, chatId, provider: told.provider }, told);
    return view;
  }

  /**
   * Does nothing to a closed chat. Locks the open conversation before the chat: the lock order that avoids deadlocks.
   */
  private actOnOpen(
    viewer: Viewer,
    chatId: number,
    refuse: (chat: HeldChat, viewer: Viewer) => void,
    work: (stores: ActingStores, chat: HeldChat) => Promise<Done>,
  ): Promise<ChatView> {
    return this.run(viewer.businessId, async (stores) => {
      const isOpen = (await stores.chats.lockOpen(viewer.businessId, [chatId])) > 0;
      const chat = await this.hold(stores, viewer, chatId, null);
      refuseHidden(chat);
      refuse(chat, viewer);
      return this.outcome(stores, chat, isOpen ? await work(stores, chat) : "nothing");
    });
  }

  private act(
    viewer: Viewer,
    chatId: number,
    opening: keyof typeof beginsBy | null,
    work: (stores: ActingStores, chat: ActedOn) => Promise<Done>,
  ): Promise<ChatView> {
    return this.run(viewer.businessId, async (stores) => {
      const chat = await this.hold(stores, viewer, chatId, opening);
      return this.outcome(stores, chat, await work(stores, chat));
    });
  }

  private async hold(
    { chats }: ActingStores,
    viewer: Viewer,
    chatId: number,
    opening: keyof typeof beginsBy | null,
  ): Promise<ActedOn> {
    const opened = opening && (await chats.openConversation(viewer.businessId, chatId, beginsBy[opening]));
    const chat = await chats.hold(viewer, chatId);
    if (!chat) throw new ChatNotFound(`chat ${chatId}`);
    return { ...chat, isNew: opened?.isNew ?? false };
  }

  private async outcome({ chats }: ActingStores, chat: HeldChat, done: Done): Promise<Outcome> {
    const ticketsOf = typeof done === "string" ? null : done.ticketsOf;
    const events = done === "nothing" ? [] : await chats.announce([{ chat, ticketsOf }]);
    return { chat: await chats.view(chat.businessId, chat.chatId), events };
  }

  private async run(businessId: number, work: (stores: ActingStores) => Promise<Outcome>): Promise<ChatView> {
    const { chat, events } = await this.unitOfWork.run(businessId, work);
    this.feed.publish(events);
    return chat;
  }
}

/** The agent already works on the chat. */
const isWith = ({ holder, state, isNew }: ActedOn, agentId: number): boolean =>
  holder?.id === agentId && state === "in_progress" && !isNew;

/** A chat that is hidden from the viewer counts as missing. Only taking and answering reveal who has such a chat. */
function refuseHidden({ isVisible, chatId }: HeldChat): void {
  if (!isVisible) throw new ChatNotFound(`chat ${chatId}`);
}
