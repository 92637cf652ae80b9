import { useSyncExternalStore } from "react";
import { Refused } from "../shared/api.ts";
import { Listeners } from "../shared/listeners.ts";
import { newKey } from "../shared/new-key.ts";
import { upload } from "../shared/upload.ts";
import type { ChannelLimits } from "./channel-limits.ts";
import { keepDraftFiles, readDraftFiles } from "./drafts.ts";
import { prepared, type Trouble, troubleWith, troubleWithStored } from "./file-rules.ts";
import type { StoredFile } from "./outgoing.ts";

/** A file in the composer. */
export interface Attached {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  /** The URL of a picture; null for other files. */
  readonly preview: string | null;
  /** The progress of the upload, from 0 to 1. */
  readonly progress: number;
  /** Null until the file is uploaded. */
  readonly url: string | null;
  /** Null unless the upload failed. The service's message if it refused the file; empty after any other failure. */
  readonly failure: string | null;
}

/** Why a file was not attached. */
export type Refusal = { readonly name: string; readonly bytes: number } & (Trouble | { readonly kind: "tooMany" });

interface Tray {
  readonly files: readonly Attached[];
  readonly refusals: readonly Refusal[];
}

export const mostFiles = 10;

/** Trays by user and chat. They are kept here, so that uploads continue while another chat is open. */
const trays = new Map<string, Tray>();
/** The files whose upload is running or has failed, by `Attached.id`. */
const sources = new Map<string, { readonly file: File; cancel: () => void }>();
const listeners = new Listeners();

const trayName = (userId: number, chatId: number): string => `${userId}.${chatId}`;

function trayOf(userId: number, chatId: number): Tray {
  const name = trayName(userId, chatId);
  const known = trays.get(name);
  if (known) return known;
  const files = readDraftFiles(userId, chatId).map((file) => attachedOf(file));
  const tray = { files, refusals: [] };
  trays.set(name, tray);
  return tray;
}

function attachedOf({ url, name, type, bytes }: StoredFile): Attached {
  const preview = type.startsWith("image/") ? `/media/${url.split("/").at(-1)}` : null;
  return { id: newKey(), name, type, bytes, preview, progress: 1, url, failure: null };
}

/** The files of one chat's composer. */
export class FileTray {
  readonly #userId: number;
  readonly #chatId: number;

  constructor(userId: number, chatId: number) {
    this.#userId = userId;
    this.#chatId = chatId;
  }

  get = (): Tray => trayOf(this.#userId, this.#chatId);

  #change(change: Partial<Tray>): void {
    const next = { ...this.get(), ...change };
    trays.set(trayName(this.#userId, this.#chatId), next);
    // Only uploaded files can be restored after a reload.
    keepDraftFiles(this.#userId, this.#chatId, storedIn(next.files));
    listeners.notify();
  }

  #update(id: string, part: Partial<Attached>): void {
    this.#change({ files: this.get().files.map((one) => (one.id === id ? { ...one, ...part } : one)) });
  }

  async add(given: readonly File[], limits: ChannelLimits): Promise<void> {
    const refusals: Refusal[] = [];
    for (const original of given) {
      const file = await prepared(original, limits).catch(() => original);
      const trouble = this.get().files.length >= mostFiles ? ({ kind: "tooMany" } as const) : troubleWith(file, limits);
      if (trouble) refusals.push({ name: file.name, bytes: file.size, ...trouble });
      else this.#begin(file);
    }
    this.#change({ refusals });
  }

  /** Adds a file that needs no upload, since it already has a URL. The URL may be on any host. */
  addStored(file: StoredFile, limits: ChannelLimits): void {
    const { name, bytes, url } = file;
    const trouble = troubleWithStored(url, limits);
    if (trouble) this.#change({ refusals: [{ name, bytes, ...trouble }] });
    else this.#change({ files: [...this.get().files, attachedOf(file)].slice(0, mostFiles) });
  }

  #begin(file: File): void {
    const { name, type, size: bytes } = file;
    const preview = type.startsWith("image/") ? URL.createObjectURL(file) : null;
    const id = newKey();
    this.#change({
      files: [...this.get().files, { id, name, type, bytes, preview, progress: 0, url: null, failure: null }],
    });
    void this.#upload(id, file);
  }

  async #upload(id: string, file: File): Promise<void> {
    const { stored, cancel } = upload(file, file.name, (progress) => this.#update(id, { progress }));
    sources.set(id, { file, cancel });
    try {
      const url = await stored;
      sources.delete(id);
      this.#update(id, { url, progress: 1 });
    } catch (error) {
      this.#update(id, { failure: error instanceof Refused && error.status < 500 ? error.message : "" });
    }
  }

  retry(id: string): void {
    const source = sources.get(id);
    if (!source) return;
    this.#update(id, { failure: null, progress: 0 });
    void this.#upload(id, source.file);
  }

  remove(id: string): void {
    const one = this.get().files.find((other) => other.id === id);
    sources.get(id)?.cancel();
    sources.delete(id);
    if (one?.preview?.startsWith("blob:")) URL.revokeObjectURL(one.preview);
    this.#change({ files: this.get().files.filter((other) => other.id !== id) });
  }

  /** The uploaded files. */
  stored(): StoredFile[] {
    return storedIn(this.get().files);
  }

  /** Empties the tray and returns its uploaded files. */
  take(): StoredFile[] {
    const { files } = this.get();
    for (const { preview } of files) if (preview?.startsWith("blob:")) URL.revokeObjectURL(preview);
    this.#change({ files: [], refusals: [] });
    return storedIn(files);
  }

  dismiss(): void {
    this.#change({ refusals: [] });
  }
}

const storedIn = (files: readonly Attached[]): StoredFile[] =>
  files.flatMap(({ url, name, type, bytes }) => (url === null ? [] : [{ url, name, type, bytes }]));

export const useTray = (tray: FileTray): Tray => useSyncExternalStore(listeners.subscribe, tray.get);
