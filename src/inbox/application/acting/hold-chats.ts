import type { ChatDesk, HeldChat } from "./ports.ts";

/**
 * Locks the open conversations of the chats, then the chats, both in the order of their ids. All transactions lock in
 * this order. Missing chats are left out.
 */
export async function holdChats(
  chats: ChatDesk,
  businessId: number,
  chatIds: readonly number[],
): Promise<Map<number, HeldChat>> {
  await chats.lockOpen(businessId, chatIds);
  const held = new Map<number, HeldChat>();
  for (const chatId of [...chatIds].sort((a, b) => a - b)) {
    const chat = await chats.hold({ businessId, userId: null, agentId: null }, chatId);
    if (chat) held.set(chatId, chat);
  }
  return held;
}
