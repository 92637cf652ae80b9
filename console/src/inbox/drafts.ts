import { storage } from "../shared/storage.ts";
import type { StoredFile } from "./outgoing.ts";

const nameOf = (userId: number, chatId: number): string => `recado.draft.${userId}.${chatId}`;
const filesNameOf = (userId: number, chatId: number): string => `recado.draft-files.${userId}.${chatId}`;

export const readDraft = (userId: number, chatId: number): string => storage.get(nameOf(userId, chatId)) ?? "";

export const keepDraft = (userId: number, chatId: number, text: string): void =>
  storage.set(nameOf(userId, chatId), text);

/** The uploaded files that were not sent yet. */
export function readDraftFiles(userId: number, chatId: number): StoredFile[] {
  try {
    const kept: unknown = JSON.parse(storage.get(filesNameOf(userId, chatId)) ?? "[]");
    return Array.isArray(kept)
      ? kept.filter((file) => typeof file?.url === "string" && typeof file.type === "string")
      : [];
  } catch {
    return [];
  }
}

export const keepDraftFiles = (userId: number, chatId: number, files: readonly StoredFile[]): void =>
  storage.set(filesNameOf(userId, chatId), files.length === 0 ? null : JSON.stringify(files));
