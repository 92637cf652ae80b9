import type { ChatDesk, HeldChat } from "./ports.ts";

/**
 * Locks the chats in the order of all transactions: all open conversations, then all chats, each by id. Missing chats
 * are left out.
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
