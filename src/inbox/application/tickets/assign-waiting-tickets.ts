import type { EventFeed } from "../../../kernel/events.ts";
import type { SendMessage } from "../../../messaging/public.ts";
import { distribute } from "../../domain/assignment.ts";
import { isOpenAt } from "../../domain/opening-hours.ts";
import { namedAgent } from "../../domain/ticket.ts";
import { AssignWaiting } from "../lines/assign-waiting.ts";
import type { WaitingLine, WaitingLines } from "../lines/ports.ts";
import { noTickets, type OpenedTickets, openTickets } from "./open-tickets.ts";
import type { TicketStores, TicketUnitOfWork, WaitingTicket } from "./ports.ts";

const batchSize = 100;

/** Creates the tickets that had to wait because no agent was available or the line was closed. */
export class AssignWaitingTickets extends AssignWaiting<WaitingLine> {
  constructor(
    lines: WaitingLines<WaitingLine>,
    private readonly unitOfWork: TicketUnitOfWork,
    private readonly feed: EventFeed,
    private readonly sends: Pick<SendMessage, "sendInBackground">,
    private readonly mediaBaseUrl: string | null,
    onFailure: (error: unknown, line: WaitingLine) => void,
  ) {
    super(lines, onFailure);
  }

  protected async assignSome(line: WaitingLine): Promise<number> {
    const { ticketIds, events, messages } = await this.unitOfWork.run(line.businessId, (stores) =>
      assignOn(stores, line, this.mediaBaseUrl),
    );
    this.feed.publish(events);
    // Sends in the background, so that a hanging platform does not delay the lines of other businesses.
    await this.sends.sendInBackground(messages);
    return ticketIds.length;
  }
}

async function assignOn(
  { desk, waiting, lines }: TicketStores,
  line: WaitingLine,
  mediaBaseUrl: string | null,
): Promise<OpenedTickets> {
  const now = await lines.tryHold(line);
  if (!now || !isOpenAt(line, now)) return noTickets;
  await waiting.forgetServed(line);
  const agents = await desk.agents(line, await waiting.namedAgents(line));
  if (agents.length === 0) return noTickets;
  const named = agents.some(({ takesAll }) => takesAll) ? null : agents.map(({ id }) => id);
  const found = oneOfEachChat(await waiting.oldest(line, named, batchSize));
  await desk.lockThreads(line.businessId, found);
  // An agent may have taken or closed some of the chats before they were locked.
  const tickets = await waiting.stillWaiting(line.businessId, found);
  const chosen = distribute(
    tickets.map(({ setup }) => namedAgent(setup)),
    agents,
  );
  return await openTickets(
    desk,
    tickets.flatMap((ticket, index) => {
      const agent = chosen[index];
      return agent ? [{ ...ticket, agent }] : [];
    }),
    mediaBaseUrl,
  );
}

/** The first ticket of each chat. The chat's other tickets follow in later batches, one in each. */
const oneOfEachChat = (tickets: readonly WaitingTicket[]): WaitingTicket[] => {
  const firsts = new Map<number, WaitingTicket>();
  for (const ticket of tickets) if (!firsts.has(ticket.chatId)) firsts.set(ticket.chatId, ticket);
  return [...firsts.values()];
};
