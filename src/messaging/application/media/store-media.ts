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

interface StoreMediaCommand {
  readonly businessId: number;
  /** The user who uploads it; null for an App Key, and for a file that a customer sent. */
  readonly userId: number | null;
  /** The client's name of the file. */
  readonly givenName: string;
  /** The file's least and largest possible size, from the length that the request or the platform announced. */
  readonly size: SizeBounds;
  /** Throws if the upload is interrupted. */
  readonly content: Bytes;
  /** Set for a file that a customer sent. Such a file may have a type that the messaging platform does not accept. */
  readonly received?: {
    /** Called before anything is stored under the name. A rejection ends the upload. */
    onName(name: string): Promise<void>;
  };
}

export type StoreMediaFailure = MediaTypeRefused | MediaTooLarge | MediaQuotaReached | MediaEmpty | MediaNotConfigured;

/** Seconds after which a client should try again if running uploads have reserved the space. */
const uploadSeconds = 5;

/** The storage of files, and the URL under which they are served. */
interface MediaHome {
  readonly storage: MediaStorage;
  /** Ends in a slash. */
  readonly baseUrl: string;
}

/** Stores a file while it arrives. The content decides the type; the name only tells older Office types apart. */
export class StoreMedia {
  constructor(
    private readonly home: MediaHome | null,
    private readonly register: MediaRegister,
    private readonly recognize: RecognizeMedia,
    /** Creates an unguessable text that is valid in a URL. */
    private readonly newName: () => string,
    /** Called if the remains of a failed upload could not be removed now; the sweep removes them later. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** @returns the URL of the file */
  async execute({ businessId, userId, givenName, size, content, received }: StoreMediaCommand): Promise<string> {
    if (!this.home) throw new MediaNotConfigured("no place for media");
    const { storage, baseUrl } = this.home;
    const recognized = await this.recognize(content, givenName);
    if (recognized.isEmpty) throw new MediaEmpty("an empty file");
    const type = mediaTypeOf(recognized.type);
    if (!type || !(type.isSendable || received)) throw new MediaTypeRefused(recognized.type ?? "nothing that is known");
    if (size.least > type.limit) throw new MediaTooLarge(type);

    const name = `${this.newName()}.${type.extension}`;
    const file = { businessId, name, type, fileName: downloadName(givenName, type), uploadedBy: userId };
    const most = Math.min(size.most, type.limit);
    await received?.onName(name);
    const { reserved, waits, quota } = await this.register.begin(file, { least: size.least, most });
    // Running uploads reserve their largest possible size. When an upload ends, the unused part is freed.
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

/** Counts the content's bytes. Throws when they exceed the type's limit or the reserved space. */
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
