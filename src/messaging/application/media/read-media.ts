import type { ByteRange, StoredMedia } from "../../domain/media.ts";
import type { Bytes, MediaRegister, MediaStorage } from "./ports.ts";

/** Files for whoever knows their names. */
export class ReadMedia {
  /** @param storage - null where none is configured: then nothing is found */
  constructor(
    private readonly storage: MediaStorage | null,
    private readonly register: Pick<MediaRegister, "find">,
  ) {}

  /** Null for what is not stored, or not whole yet. */
  async find(name: string): Promise<StoredMedia | null> {
    if (!this.storage) return null;
    const file = await this.register.find(name);
    return file && (await this.storage.has(name)) ? file : null;
  }

  /** Of a file that was found. Opens nothing before it is read. */
  content(file: StoredMedia, range: ByteRange | null): Bytes {
    if (!this.storage) throw new Error(`no storage for ${file.type.type}`);
    return this.storage.read(file.name, range);
  }
}
