import { storage } from "../shared/storage.ts";

/** What a user wrote in a chat and did not send yet. */
const nameOf = (userId: number, chatId: number): string => `recado.draft.${userId}.${chatId}`;

export const readDraft = (userId: number, chatId: number): string => storage.get(nameOf(userId, chatId)) ?? "";

export const keepDraft = (userId: number, chatId: number, text: string): void =>
  storage.set(nameOf(userId, chatId), text);
