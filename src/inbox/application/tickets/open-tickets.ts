import type { LoggedEvent } from "../../../kernel/events.ts";
import type { OpenedMessage } from "../../../messaging/public.ts";
import type { AgentLoad } from "../../domain/assignment.ts";
import { type TicketSetup, tagIds, ticketNote, welcome } from "../../domain/ticket.ts";
import type { ConversationThread, TicketDesk } from "./ports.ts";

interface TicketToOpen extends ConversationThread {
  readonly setup: TicketSetup;
  readonly agent: AgentLoad;
}

/** Events to publish and messages to send after the commit. */
export interface OpenedTickets {
  readonly ticketIds: readonly number[];
  readonly events: readonly LoggedEvent[];
  readonly messages: readonly OpenedMessage[];
}

export const noTickets: OpenedTickets = { ticketIds: [], events: [], messages: [] };

/**
 * Creates tickets of one business, at most one per chat, with their notes and greetings. The caller must hold the
 * agents' line and the locks of the conversations and chats.
 */
export async function openTickets(
  desk: TicketDesk,
  tickets: readonly TicketToOpen[],
  mediaBaseUrl: string | null,
): Promise<OpenedTickets> {
  const [first] = tickets;
  if (!first) return noTickets;
  const { businessId, businessName: authorName } = first.setup;
  const made = await desk.create(businessId, tickets.map(toNew));
  const idOf = new Map(made.map(({ chatId, id }) => [chatId, id]));
  const announced = await desk.announce(businessId, made);
  const notes = tickets.map((ticket) => ({
    ...threadOf(ticket),
    body: ticketNote(ticket.setup, ticket.agent.name),
    details: { ticketId: idOf.get(ticket.chatId), stepId: ticket.setup.stepId, agentId: ticket.agent.id },
  }));
  const noted = await desk.note({ businessId, authorName }, notes);
  const welcomes = tickets.flatMap((ticket) => {
    const content = welcome(ticket.setup, mediaBaseUrl);
    return content ? [{ ...threadOf(ticket), content }] : [];
  });
  const messages = await desk.openMessages({ businessId, authorName }, welcomes);
  return { ticketIds: [...idOf.values()], events: [...announced, ...noted], messages };
}

const threadOf = ({ chatId, conversationId }: ConversationThread): ConversationThread => ({ chatId, conversationId });

const toNew = (ticket: TicketToOpen) => ({
  ...threadOf(ticket),
  stepId: ticket.setup.stepId,
  agentId: ticket.agent.id,
  tagIds: tagIds(ticket.setup.tags),
});
