import {
  downloadName,
  MediaEmpty,
  MediaNotConfigured,
  MediaTooLarge,
  type MediaType,
  MediaTypeRefused,
  mediaTypeOf,
} from "../../domain/media.ts";
import type { Bytes, MediaRegister, MediaStorage, RecognizeMedia } from "./ports.ts";

export interface StoreMediaCommand {
  readonly businessId: number;
  /** What the client calls the file. */
  readonly givenName: string;
  /** Throws where it breaks off. */
  readonly content: Bytes;
}

export type StoreMediaFailure = MediaTypeRefused | MediaTooLarge | MediaEmpty | MediaNotConfigured;

/** Where files go and where they are found; null where the operator named no such place. */
export interface MediaHome {
  readonly storage: MediaStorage;
  /** Ends in a slash. */
  readonly baseUrl: string;
}

/** Keeps a file as it arrives, by what it is and not by what it is called, and tells its address. */
export class StoreMedia {
  constructor(
    private readonly home: MediaHome | null,
    private readonly register: MediaRegister,
    private readonly recognize: RecognizeMedia,
    /** A text that nobody can guess, fit for a URL. */
    private readonly newName: () => string,
    /** Hears why what is left of a failed upload could not be removed at once; the sweep will. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** @returns the URL of the file */
  async execute({ businessId, givenName, content }: StoreMediaCommand): Promise<string> {
    if (!this.home) throw new MediaNotConfigured("no place for media");
    const { storage, baseUrl } = this.home;
    const recognized = await this.recognize(content, givenName);
    if (recognized.isEmpty) throw new MediaEmpty("an empty file");
    const type = mediaTypeOf(recognized.type);
    if (!type) throw new MediaTypeRefused(recognized.type ?? "nothing that is known");

    const name = `${this.newName()}.${type.extension}`;
    const counted = new Counted(recognized.content, type);
    await this.register.begin({ businessId, name, type, fileName: downloadName(givenName, type) });
    try {
      await storage.write(name, type.type, counted);
      await this.register.complete(businessId, name, counted.size);
    } catch (error) {
      await this.discard(storage, businessId, name);
      throw error;
    }
    return `${baseUrl}${name}`;
  }

  private async discard(storage: MediaStorage, businessId: number, name: string): Promise<void> {
    try {
      await storage.remove(name);
      await this.register.forget(businessId, name);
    } catch (error) {
      this.onFailure(error);
    }
  }
}

/** Breaks off with the first byte that is too many. */
class Counted implements Bytes {
  size = 0;

  constructor(
    private readonly content: Bytes,
    private readonly type: MediaType,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.content) {
      this.size += chunk.length;
      if (this.size > this.type.limit) throw new MediaTooLarge(this.type);
      yield chunk;
    }
  }
}
