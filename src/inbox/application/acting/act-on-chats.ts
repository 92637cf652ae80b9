import type { EventFeed, LoggedEvent } from "../../../kernel/events.ts";
import { timezoneOf } from "../../../kernel/instants.ts";
import type { ReadReceipts } from "../../../messaging/public.ts";
import {
  AgentNotFound,
  type ChatTaken,
  DepartmentNotFound,
  Forbidden,
  refuseTaken,
  refuseTransfer,
} from "../../domain/acting.ts";
import { chooseAgent } from "../../domain/assignment.ts";
import type { TagNotFound } from "../../domain/contact.ts";
import { beginsBy } from "../../domain/conversation.ts";
import { isOpen } from "../../domain/opening-hours.ts";
import type { TicketEnd } from "../../domain/ticket.ts";
import { ChatNotFound, MessageNotFound, type Viewer } from "../../domain/visibility.ts";
import type { ChatView } from "../events.ts";
import type { ActingUnitOfWork, ChatDesk, HeldChat } from "./ports.ts";

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

/** With a conversation that may have been opened for it only now. */
type ActedOn = HeldChat & { readonly isNew: boolean };

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
  constructor(
    private readonly unitOfWork: ActingUnitOfWork,
    private readonly feed: EventFeed,
    private readonly receipts: Pick<ReadReceipts, "send">,
  ) {}

  /** An agent who has it already keeps it. */
  take(viewer: Viewer, chatId: number): Promise<ChatView> {
    const { userId } = viewer;
    if (userId === null) return Promise.reject(new Forbidden("a key takes no chat"));
    return this.act(
      viewer,
      chatId,
      "attend",
      async (desk, chat) => {
        if (isWith(chat, userId)) return false;
        refuseTaken(chat, { ...viewer, agentId: userId });
        await desk.attend(viewer.businessId, chatId, userId);
        return true;
      },
      true,
    );
  }

  transfer(viewer: Viewer, chatId: number, to: Transfer): Promise<ChatView> {
    if ("departmentId" in to) return this.transferToDepartment(viewer, chatId, to.departmentId);
    const { businessId } = viewer;
    const { agentId } = to;
    return this.act(
      viewer,
      chatId,
      agentId === null ? "queue" : "attend",
      async (desk, chat) => {
        refuseHidden(chat);
        refuseTransfer(chat, viewer);
        if (agentId === null) {
          if (chat.holder === null && chat.state === "pending" && !chat.isNew) return false;
          await desk.queue(businessId, chatId, null);
          return true;
        }
        if (!(await desk.hasUser(businessId, agentId))) throw new AgentNotFound(`user ${agentId}`);
        if (isWith(chat, agentId)) return false;
        await desk.attend(businessId, chatId, agentId);
        return true;
      },
      true,
    );
  }

  /** By the rule by which tickets are given out; with nobody available the chat waits in the department's line. */
  private transferToDepartment(viewer: Viewer, chatId: number, departmentId: number): Promise<ChatView> {
    const { businessId } = viewer;
    return this.run(businessId, async (desk) => {
      const line = await desk.department(businessId, departmentId);
      if (!line) throw new DepartmentNotFound(`department ${departmentId}`);
      const now = await desk.holdLine(line);
      const agents = isOpen(line.openingHours, now, timezoneOf(line.timezone)) ? await desk.agents(line) : [];
      const agent = chooseAgent(agents, null);
      const chat = await this.hold(desk, viewer, chatId, agent ? "attend" : "queue");
      refuseHidden(chat);
      refuseTransfer(chat, viewer);
      await desk.queue(businessId, chatId, departmentId);
      if (agent) await desk.attend(businessId, chatId, agent.id);
      else await desk.wait(businessId, chatId, departmentId);
      return this.told(desk, chat, true);
    });
  }

  /** A closed one stays as it was closed. */
  close(viewer: Viewer, chatId: number, end: TicketEnd, reason: string | null): Promise<ChatView> {
    return this.act(
      viewer,
      chatId,
      null,
      async (desk, chat) => {
        refuseHidden(chat);
        if (chat.state === "closed") return false;
        await desk.close(viewer.businessId, chatId, end, reason);
        return true;
      },
      true,
    );
  }

  setBot(viewer: Viewer, chatId: number, isAvailable: boolean): Promise<ChatView> {
    return this.act(viewer, chatId, null, (desk, chat) => {
      refuseHidden(chat);
      return desk.setBot(viewer.businessId, chatId, isAvailable);
    });
  }

  tag(viewer: Viewer, chatId: number, tagId: number, isOn: boolean): Promise<ChatView> {
    return this.act(viewer, chatId, null, (desk, chat) => {
      refuseHidden(chat);
      const { businessId } = viewer;
      return isOn ? desk.tag(businessId, chatId, tagId) : desk.untag(businessId, chatId, tagId);
    });
  }

  /** Never moves back. The platform is told once of each message that is the last to be read. */
  async read(viewer: Viewer, chatId: number, upTo: number): Promise<ChatView> {
    const { businessId } = viewer;
    let receipt: { readonly provider: string; readonly platformMessageId: string } | null = null;
    const view = await this.act(viewer, chatId, null, async (desk, chat) => {
      receipt = null;
      refuseHidden(chat);
      if (!(await desk.message(businessId, chatId, upTo))) throw new MessageNotFound(`message ${upTo}`);
      const read = await desk.read(businessId, chatId, upTo);
      if (read?.receiptFor) receipt = { provider: chat.provider, platformMessageId: read.receiptFor };
      return read !== undefined;
    });
    const told = receipt as { readonly provider: string; readonly platformMessageId: string } | null;
    if (told) this.receipts.send(businessId, told.provider, told.platformMessageId);
    return view;
  }

  /** `work` tells whether it changed anything. */
  private act(
    viewer: Viewer,
    chatId: number,
    opening: keyof typeof beginsBy | null,
    work: (desk: ChatDesk, chat: ActedOn) => Promise<boolean>,
    withTickets = false,
  ): Promise<ChatView> {
    return this.run(viewer.businessId, async (desk) => {
      const chat = await this.hold(desk, viewer, chatId, opening);
      if (await work(desk, chat)) return this.told(desk, chat, withTickets);
      return { chat: await desk.view(viewer.businessId, chatId), events: [] };
    });
  }

  private async hold(
    desk: ChatDesk,
    viewer: Viewer,
    chatId: number,
    opening: keyof typeof beginsBy | null,
  ): Promise<ActedOn> {
    const opened = opening && (await desk.openConversation(viewer.businessId, chatId, beginsBy[opening]));
    const chat = await desk.hold(viewer, chatId);
    if (!chat) throw new ChatNotFound(`chat ${chatId}`);
    return { ...chat, isNew: opened?.isNew ?? false };
  }

  private async told(desk: ChatDesk, chat: HeldChat, withTickets: boolean): Promise<Outcome> {
    const events = await desk.announce(chat, withTickets);
    return { chat: await desk.view(chat.businessId, chat.chatId), events };
  }

  private async run(businessId: number, work: (desk: ChatDesk) => Promise<Outcome>): Promise<ChatView> {
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
