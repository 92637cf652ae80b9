import type { EventFeed, LoggedEvent } from "../../../kernel/events.ts";
import type { ActingStores, ActingUnitOfWork, ChatChange, LeavingUser, LeavingUsers } from "./ports.ts";

const batchSize = 100;

/**
 * Takes open chats and tickets from users who attend no more, and puts each chat into the line of the department that it
 * waited for last. Any number of processes may do so at once.
 */
export class HandOverChats {
  constructor(
    private readonly leaving: LeavingUsers,
    private readonly unitOfWork: ActingUnitOfWork,
    private readonly feed: EventFeed,
    /** Serves those who wait in the business. */
    private readonly giveOut: (businessId: number) => Promise<unknown>,
    private readonly onFailure: (error: unknown, user: LeavingUser) => void,
  ) {}

  /** How many chats were handed over. A user with whom that fails does not hold up the others. */
  async execute(signal?: AbortSignal): Promise<number> {
    let handed = 0;
    for (const user of await this.leaving.list()) {
      if (signal?.aborted) return handed;
      handed += await this.executeFor(user);
    }
    return handed;
  }

  /** Never rejects: what is left is tried again by `execute`. */
  async executeFor(user: LeavingUser): Promise<number> {
    const { businessId } = user;
    let handed = 0;
    try {
      for (let isMore = true; isMore; ) {
        const chatIds = await this.leaving.chats(user, batchSize);
        const events = await this.unitOfWork.run(businessId, (stores) => handOver(stores, user, chatIds));
        this.feed.publish(events);
        const changed = events.filter(({ name }) => name === "chat:changed").length;
        handed += changed;
        isMore = chatIds.length === batchSize && changed > 0;
      }
      await this.leaving.settle(user);
      if (handed > 0) await this.giveOut(businessId);
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
  // All conversations first, then all chats, each in the order of their ids, as everybody locks them.
  await chats.lockOpen(businessId, chatIds);
  const changes: ChatChange[] = [];
  for (const chatId of [...chatIds].sort((a, b) => a - b)) {
    const chat = await chats.hold({ businessId, userId: null, agentId: null }, chatId);
    if (!chat || chat.state === "closed") continue;
    const { departmentId } = chat.audience;
    if (chat.holder !== null && chat.holder.id !== userId) {
      // Only a ticket of it was left behind: it goes to who has the chat.
      changes.push({ chat, ticketsOf: await chats.attend(chat, chat.holder.id) });
      continue;
    }
    changes.push({ chat, ticketsOf: await chats.queue(chat, departmentId) });
    if (departmentId !== null) await departments.wait(businessId, chatId, departmentId);
  }
  return chats.announce(changes);
}
