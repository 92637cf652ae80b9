import type { EventFeed, LoggedEvent } from "../../../kernel/events.ts";
import { holdChats } from "./hold-chats.ts";
import type { ActingStores, ActingUnitOfWork, ChatChange, LeavingUser, LeavingUsers } from "./ports.ts";

const batchSize = 100;

/**
 * Takes open chats and tickets from users who may no longer attend. Puts each of these users' chats into the line of
 * the department that the chat last waited for, if any. Safe in any number of processes.
 */
export class HandOverChats {
  constructor(
    private readonly leaving: LeavingUsers,
    private readonly unitOfWork: ActingUnitOfWork,
    private readonly feed: EventFeed,
    /** Assigns the waiting chats of the business. */
    private readonly giveOut: (businessId: number, signal?: AbortSignal) => Promise<unknown>,
    private readonly onFailure: (error: unknown, user: LeavingUser) => void,
  ) {}

  /** Returns the number of chats handed over. A failure with one user does not stop the others. */
  async execute(signal?: AbortSignal): Promise<number> {
    let handed = 0;
    for (const user of await this.leaving.list()) {
      if (signal?.aborted) return handed;
      handed += await this.executeFor(user, signal);
    }
    return handed;
  }

  /** Never rejects. After a failure, or if `signal` is aborted between two batches, a later `execute` does the rest. */
  async executeFor(user: LeavingUser, signal?: AbortSignal): Promise<number> {
    const { businessId } = user;
    let handed = 0;
    try {
      for (let isMore = true; isMore; ) {
        if (signal?.aborted) return handed;
        const chatIds = await this.leaving.chats(user, batchSize);
        const events = await this.unitOfWork.run(businessId, (stores) => handOver(stores, user, chatIds));
        this.feed.publish(events);
        const changed = events.filter(({ name }) => name === "chat:changed").length;
        handed += changed;
        isMore = chatIds.length === batchSize && changed > 0;
      }
      await this.leaving.settle(user);
      if (handed > 0) await this.giveOut(businessId, signal);
    } catch (error) {
      this.onFailure(error, user);
    }
    return handed;
  }
}

async function handOver(
  { chats, departments }: ActingStores,
  { businessId, userId }: LeavingUser,
  chatIds: readonly number[],
): Promise<LoggedEvent[]> {
  const changes: ChatChange[] = [];
  for (const [chatId, chat] of await holdChats(chats, businessId, chatIds)) {
    if (chat.state === "closed") continue;
    const { departmentId } = chat.audience;
    if (chat.holder !== null && chat.holder.id !== userId) {
      // Another user holds the chat; the leaving user had a ticket of it. The ticket goes to the holder.
      changes.push({ chat, ticketsOf: await chats.attend(chat, chat.holder.id) });
      continue;
    }
    changes.push({ chat, ticketsOf: await chats.queue(chat, departmentId) });
    // An erased customer cannot be answered, so the chat is not given to another agent.
    if (departmentId !== null && !chat.isErased) await departments.wait(businessId, chatId, departmentId);
  }
  return chats.announce(changes);
}
