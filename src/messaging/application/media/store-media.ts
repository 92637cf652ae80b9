import { Busy } from "../../../kernel/errors.ts";
import {
  downloadName,
  MediaEmpty,
  MediaNotConfigured,
  MediaQuotaReached,
  MediaTooLarge,
  type MediaType,
  MediaTypeRefused,
  mediaTypeOf,
} from "../../domain/media.ts";
import type { Bytes, MediaRegister, MediaStorage, RecognizeMedia, SizeBounds } from "./ports.ts";
import { removeFile } from "./remove-file.ts";

export interface StoreMediaCommand {
  readonly businessId: number;
  /** The user who uploads it; null for an App Key. */
  readonly userId: number | null;
  /** What the client calls the file. */
  readonly givenName: string;
  /** Of the file, as the client announced them. */
  readonly size: SizeBounds;
  /** Throws where it breaks off. */
  readonly content: Bytes;
}

export type StoreMediaFailure = MediaTypeRefused | MediaTooLarge | MediaQuotaReached | MediaEmpty | MediaNotConfigured;

/** After which to come again where only files on their way leave no room. */
const uploadSeconds = 5;

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
  async execute({ businessId, userId, givenName, size, content }: StoreMediaCommand): Promise<string> {
    if (!this.home) throw new MediaNotConfigured("no place for media");
    const { storage, baseUrl } = this.home;
    const recognized = await this.recognize(content, givenName);
    if (recognized.isEmpty) throw new MediaEmpty("an empty file");
    const type = mediaTypeOf(recognized.type);
    if (!type) throw new MediaTypeRefused(recognized.type ?? "nothing that is known");
    if (size.least > type.limit) throw new MediaTooLarge(type);

    const name = `${this.newName()}.${type.extension}`;
    const file = { businessId, name, type, fileName: downloadName(givenName, type), uploadedBy: userId };
    const most = Math.min(size.most, type.limit);
    const { reserved, waits, quota } = await this.register.begin(file, { least: size.least, most });
    // Files on their way hold the most that they may become; what they leave is known within seconds.
    if (waits) throw new Busy("uploads", true, uploadSeconds);
    if (reserved === null) throw new MediaQuotaReached(quota);
    const counted = new Counted(recognized.content, type, { reserved, quota });
    try {
      await storage.write(name, type.type, counted);
      await this.register.complete(businessId, name, counted.size);
    } catch (error) {
      await removeFile({ storage, register: this.register }, file, this.onFailure);
      throw error;
    }
    return `${baseUrl}${name}`;
  }
}

/** Breaks off with the first byte that is too many. */
class Counted implements Bytes {
  size = 0;

  constructor(
    private readonly content: Bytes,
    private readonly type: MediaType,
    private readonly room: { readonly reserved: number; readonly quota: number },
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.content) {
      this.size += chunk.length;
      if (this.size > this.type.limit) throw new MediaTooLarge(this.type);
      if (this.size > this.room.reserved) throw new MediaQuotaReached(this.room.quota);
      yield chunk;
    }
  }
}
