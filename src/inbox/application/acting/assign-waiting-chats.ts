import type { EventFeed, LoggedEvent } from "../../../kernel/events.ts";
import { timezoneOf } from "../../../kernel/instants.ts";
import { waitsFor } from "../../domain/acting.ts";
import { distribute } from "../../domain/assignment.ts";
import { isOpen } from "../../domain/opening-hours.ts";
import type { ActingStores, ActingUnitOfWork, ChatChange, DepartmentLine, HeldChat, WaitingChats } from "./ports.ts";

const batchSize = 100;

/**
 * Assigns chats that wait for a department to its available agents, the oldest first. Safe in any number of
 * processes: a lock lets one at a time serve a line.
 */
export class AssignWaitingChats {
  constructor(
    private readonly waiting: WaitingChats,
    private readonly unitOfWork: ActingUnitOfWork,
    private readonly feed: EventFeed,
    private readonly onFailure: (error: unknown, line: DepartmentLine) => void,
  ) {}

  /** Returns the number of chats assigned. A line that fails does not stop the others. */
  execute(signal?: AbortSignal): Promise<number> {
    return this.serveAll(null, signal);
  }

  executeFor(businessId: number, signal?: AbortSignal): Promise<number> {
    return this.serveAll(businessId, signal);
  }

  private async serveAll(businessId: number | null, signal: AbortSignal | undefined): Promise<number> {
    let assigned = 0;
    let lines = await this.waiting.lines(businessId, null);
    while (lines.length > 0) {
      for (const line of lines) {
        if (signal?.aborted) return assigned;
        assigned += await this.serve(line);
      }
      lines = await this.waiting.lines(businessId, lines.at(-1) ?? null);
    }
    return assigned;
  }

  private async serve(line: DepartmentLine): Promise<number> {
    if (!isOpen(line.openingHours, new Date(), timezoneOf(line.timezone))) return 0;
    let served = 0;
    try {
      for (let given = batchSize; given === batchSize; served += given) {
        const events = await this.unitOfWork.run(line.businessId, (stores) => serveOn(stores, line));
        this.feed.publish(events);
        given = events.filter(({ name }) => name === "chat:changed").length;
      }
    } catch (error) {
      this.onFailure(error, line);
    }
    return served;
  }
}

async function serveOn({ chats, departments }: ActingStores, line: DepartmentLine): Promise<LoggedEvent[]> {
  const { businessId } = line;
  const now = await departments.tryHold(line);
  if (!now || !isOpen(line.openingHours, now, timezoneOf(line.timezone))) return [];
  await departments.forgetServed(line);
  const agents = await departments.agents(line);
  if (agents.length === 0) return [];
  const chatIds = await departments.oldest(line, batchSize);
  // Lock order, as everywhere: all conversations, then all chats, each by id.
  await chats.lockOpen(businessId, chatIds);
  const held = new Map<number, HeldChat>();
  for (const chatId of [...chatIds].sort((a, b) => a - b)) {
    const chat = await chats.hold({ businessId, userId: null, agentId: null }, chatId);
    if (chat && waitsFor(chat, line.departmentId)) held.set(chatId, chat);
  }
  const waiting = chatIds.flatMap((chatId) => held.get(chatId) ?? []);
  const changes: ChatChange[] = [];
  const given = distribute(Array(waiting.length).fill(null), agents);
  for (const [index, chat] of waiting.entries()) {
    const agent = given[index];
    if (agent) changes.push({ chat, ticketsOf: await chats.attend(chat, agent.id) });
  }
  await departments.noteGiven(businessId, [...new Set(given.flatMap((agent) => agent?.id ?? []))]);
  return chats.announce(changes);
}
