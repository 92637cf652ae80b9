import type { EventFeed, LoggedEvent } from "../../../kernel/events.ts";
import { timezoneOf } from "../../../kernel/instants.ts";
import { KeyedMutex } from "../../../kernel/keyed-mutex.ts";
import type { ReadMessage, ReadReceipts } from "../../../messaging/public.ts";
import {
  AgentNotFound,
  type ChatTaken,
  DepartmentNotFound,
  Forbidden,
  refuseClose,
  refuseTaken,
  refuseTransfer,
  waitsFor,
} from "../../domain/acting.ts";
import { chooseAgent, receivers } from "../../domain/assignment.ts";
import type { TagNotFound } from "../../domain/contact.ts";
import { beginsBy } from "../../domain/conversation.ts";
import { isOpen } from "../../domain/opening-hours.ts";
import type { TicketEnd } from "../../domain/ticket.ts";
import { ChatNotFound, MessageNotFound, type Viewer } from "../../domain/visibility.ts";
import type { ChatView } from "../events.ts";
import type { ActingStores, ActingUnitOfWork, HeldChat } from "./ports.ts";

/** To an agent, to the agents of a department, or to nobody. */
export type Transfer = { readonly agentId: number | null } | { readonly departmentId: number };

export type ActingFailure =
  | ChatNotFound
  | ChatTaken
  | Forbidden
  | AgentNotFound
  | DepartmentNotFound
  | TagNotFound
  | MessageNotFound;

type Receipt = ReadMessage & { readonly provider: string };
/** With a conversation that may have been opened for it only now. */
type ActedOn = HeldChat & { readonly isNew: boolean };

/**
 * What an action did: nothing; something of the chat alone; or something of its tickets as well, with the agents who have
 * more or fewer of them.
 */
type Done = "nothing" | "chat" | { readonly ticketsOf: readonly number[] };

interface Outcome {
  readonly chat: ChatView;
  readonly events: readonly LoggedEvent[];
}

/**
 * What people do with a chat. Each action locks the chat, looks whether it may be done, does it and logs that the chat
 * changed, in one transaction: of two at once the second sees what the first one did. What changes nothing is no error and
 * is told to nobody.
 */
export class ActOnChats {
  /** Transfers to one department wait for each other here, not with a connection of the database in hand. */
  private readonly mutex = new KeyedMutex();

  constructor(
    private readonly unitOfWork: ActingUnitOfWork,
    private readonly feed: EventFeed,
    private readonly receipts: Pick<ReadReceipts, "send">,
  ) {}

  /** An agent who has it already keeps it. */
  take(viewer: Viewer, chatId: number): Promise<ChatView> {
    const { userId } = viewer;
    if (userId === null) return Promise.reject(new Forbidden("a key takes no chat"));
    return this.act(viewer, chatId, "attend", async ({ chats }, chat) => {
      if (isWith(chat, userId)) return "nothing";
      refuseTaken(chat, { ...viewer, agentId: userId });
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
      return { ticketsOf: await chats.attend(chat, agentId) };
    });
  }

  private unassign(viewer: Viewer, chatId: number): Promise<ChatView> {
    return this.actOnOpen(viewer, chatId, refuseTransfer, async ({ chats }, chat) => {
      if (chat.holder === null && chat.state === "pending") return "nothing";
      return { ticketsOf: await chats.queue(chat, null) };
    });
  }

  /**
   * To the available agent with the least in hand, and not to the one who hands it on while others are there; with
   * nobody available it waits in the department's line.
   */
  private transferToDepartment(viewer: Viewer, chatId: number, departmentId: number): Promise<ChatView> {
    const { businessId } = viewer;
    return this.mutex.runExclusive(`${businessId} ${departmentId}`, () =>
      this.run(businessId, async (stores) => {
        const { chats, departments } = stores;
        const line = await departments.department(businessId, departmentId);
        if (!line) throw new DepartmentNotFound(`department ${departmentId}`);
        const now = await departments.hold(line);
        const agents = isOpen(line.openingHours, now, timezoneOf(line.timezone)) ? await departments.agents(line) : [];
        const chat = await this.hold(stores, viewer, chatId, agents.length > 0 ? "attend" : "queue");
        refuseHidden(chat);
        refuseTransfer(chat, viewer);
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
      const { businessId } = viewer;
      const changed = isOn ? marks.tag(businessId, chatId, tagId) : marks.untag(businessId, chatId, tagId);
      return (await changed) ? "chat" : "nothing";
    });
  }

  /** Never moves back. The platform is told once of each message that is the last to be read. */
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

  /** A closed one stays as it was closed. The open conversation is locked before the chat, as everybody locks them. */
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

/** The agent has it in hand already. */
const isWith = ({ holder, state, isNew }: ActedOn, agentId: number): boolean =>
  holder?.id === agentId && state === "in_progress" && !isNew;

/** Only taking and answering tell of a chat that somebody else has. */
function refuseHidden({ isVisible, chatId }: HeldChat): void {
  if (!isVisible) throw new ChatNotFound(`chat ${chatId}`);
}
