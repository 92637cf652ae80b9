import type { EventFeed, LoggedEvent } from "../../../kernel/events.ts";
import { waitsFor } from "../../domain/acting.ts";
import { distribute } from "../../domain/assignment.ts";
import { isOpenAt } from "../../domain/opening-hours.ts";
import { AssignWaiting } from "../lines/assign-waiting.ts";
import type { DepartmentLine, WaitingLines } from "../lines/ports.ts";
import { holdChats } from "./hold-chats.ts";
import type { ActingStores, ActingUnitOfWork, ChatChange } from "./ports.ts";

const batchSize = 100;

/** Assigns the chats that wait in a department's line to available agents of the department. */
export class AssignWaitingChats extends AssignWaiting<DepartmentLine> {
  constructor(
    lines: WaitingLines<DepartmentLine>,
    private readonly unitOfWork: ActingUnitOfWork,
    private readonly feed: EventFeed,
    onFailure: (error: unknown, line: DepartmentLine) => void,
  ) {
    super(lines, onFailure);
  }

  protected async assignSome(line: DepartmentLine): Promise<number> {
    const events = await this.unitOfWork.run(line.businessId, (stores) => assignOn(stores, line));
    this.feed.publish(events);
    return events.filter(({ name }) => name === "chat:changed").length;
  }
}

async function assignOn({ chats, departments, lines }: ActingStores, line: DepartmentLine): Promise<LoggedEvent[]> {
  const { businessId } = line;
  const now = await lines.tryHold(line);
  if (!now || !isOpenAt(line, now)) return [];
  await departments.forgetServed(line);
  const agents = await departments.agents(line);
  if (agents.length === 0) return [];
  const chatIds = await departments.oldest(line, batchSize);
  const held = await holdChats(chats, businessId, chatIds);
  const waiting = chatIds.flatMap((chatId) => {
    const chat = held.get(chatId);
    return chat && waitsFor(chat, line.departmentId) ? [chat] : [];
  });
  const changes: ChatChange[] = [];
  const given = distribute(Array(waiting.length).fill(null), agents);
  for (const [index, chat] of waiting.entries()) {
    const agent = given[index];
    if (agent) changes.push({ chat, ticketsOf: await chats.attend(chat, agent.id) });
  }
  await departments.noteGiven(businessId, [...new Set(given.flatMap((agent) => agent?.id ?? []))]);
  return chats.announce(changes);
}
