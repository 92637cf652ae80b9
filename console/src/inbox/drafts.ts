import { storage } from "../shared/storage.ts";
import type { StoredFile } from "./outgoing.ts";

const nameOf = (userId: number, chatId: number, isNote: boolean): string =>
  `recado.${isNote ? "draft-note" : "draft"}.${userId}.${chatId}`;
const filesNameOf = (userId: number, chatId: number): string => `recado.draft-files.${userId}.${chatId}`;

interface Draft {
  readonly text: string;
  readonly isNote: boolean;
}

export const readText = (userId: number, chatId: number, isNote: boolean): string =>
  storage.get(nameOf(userId, chatId, isNote)) ?? "";

/** A chat can have a draft message and a draft note. Returns the note only if the message is empty. */
export function readDraft(userId: number, chatId: number): Draft {
  const message = readText(userId, chatId, false);
  const note = readText(userId, chatId, true);
  return message === "" && note !== "" ? { text: note, isNote: true } : { text: message, isNote: false };
}

export const keepDraft = (userId: number, chatId: number, { text, isNote }: Draft): void =>
  storage.set(nameOf(userId, chatId, isNote), text);

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
