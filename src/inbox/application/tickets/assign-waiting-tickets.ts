import type { EventFeed } from "../../../kernel/events.ts";
import { timezoneOf } from "../../../kernel/instants.ts";
import type { SendMessage } from "../../../messaging/public.ts";
import { distribute } from "../../domain/assignment.ts";
import { isOpen } from "../../domain/opening-hours.ts";
import { namedAgent } from "../../domain/ticket.ts";
import { noTickets, type OpenedTickets, openTickets } from "./open-tickets.ts";
import type { AgentLine, TicketStores, TicketUnitOfWork, WaitingLine, WaitingLines, WaitingTicket } from "./ports.ts";

const batchSize = 100;

/**
 * Creates waiting tickets once agents are available again, the oldest first. Safe in any number of processes: a
 * lock lets one at a time serve a line.
 */
export class AssignWaitingTickets {
  constructor(
    private readonly lines: WaitingLines,
    private readonly unitOfWork: TicketUnitOfWork,
    private readonly feed: EventFeed,
    private readonly sends: Pick<SendMessage, "sendOpened">,
    private readonly mediaBaseUrl: string | null,
    private readonly onFailure: (error: unknown, line: AgentLine) => void,
  ) {}

  /** Returns the number of tickets created. A line that fails does not stop the others. */
  execute(signal?: AbortSignal): Promise<number> {
    return this.serveAll(null, signal);
  }

  executeFor(businessId: number, signal?: AbortSignal): Promise<number> {
    return this.serveAll(businessId, signal);
  }

  private async serveAll(businessId: number | null, signal: AbortSignal | undefined): Promise<number> {
    let assigned = 0;
    for await (const line of this.openLines(businessId)) {
      if (signal?.aborted) break;
      try {
        assigned += await this.serve(line, signal);
      } catch (error) {
        this.onFailure(error, line);
      }
    }
    return assigned;
  }

  private async *openLines(businessId: number | null): AsyncGenerator<WaitingLine> {
    let last: WaitingLine | null = null;
    do {
      const page: WaitingLine[] = await this.lines.list(businessId, last);
      yield* openAmong(page);
      last = page.at(-1) ?? null;
    } while (last !== null);
  }

  private async serve(line: WaitingLine, signal: AbortSignal | undefined): Promise<number> {
    let served = 0;
    while (!signal?.aborted) {
      const { ticketIds, events, messages } = await this.unitOfWork.run(line.businessId, (stores) =>
        assignOn(stores, line, this.mediaBaseUrl),
      );
      if (ticketIds.length === 0) break;
      served += ticketIds.length;
      this.feed.publish(events);
      await this.sends.sendOpened(messages);
    }
    return served;
  }
}

const openAmong = (lines: readonly WaitingLine[]): WaitingLine[] =>
  lines.filter(({ openingHours, timezone }) => isOpen(openingHours, new Date(), timezoneOf(timezone)));

async function assignOn(
  { desk, waiting }: TicketStores,
  line: WaitingLine,
  mediaBaseUrl: string | null,
): Promise<OpenedTickets> {
  const now = await desk.tryHold(line);
  if (now === null || !isOpen(line.openingHours, now, timezoneOf(line.timezone))) return noTickets;
  await waiting.forgetServed(line);
  const agents = await desk.agents(line, await waiting.namedAgents(line));
  if (agents.length === 0) return noTickets;
  const named = agents.some(({ takesAll }) => takesAll) ? null : agents.map(({ id }) => id);
  const found = oneOfEachChat(await waiting.oldest(line, named, batchSize));
  await desk.lockThreads(line.businessId, found);
  // An agent may have taken or closed some of them before the locks were held.
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

/** One ticket per chat and batch; the others follow in the next batch. */
const oneOfEachChat = (tickets: readonly WaitingTicket[]): WaitingTicket[] => {
  const firsts = new Map<number, WaitingTicket>();
  for (const ticket of tickets) if (!firsts.has(ticket.chatId)) firsts.set(ticket.chatId, ticket);
  return [...firsts.values()];
};
