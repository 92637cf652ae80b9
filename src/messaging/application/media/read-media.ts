import type { ByteRange, StoredMedia } from "../../domain/media.ts";
import type { MediaProbe, ProbedMedia } from "../sends/ports.ts";
import type { Bytes, MediaRegister, MediaStorage } from "./ports.ts";

/** Serves files to everyone who knows their names. */
export class ReadMedia {
  /** @param storage - null if none is configured: then no file is found */
  constructor(
    private readonly storage: MediaStorage | null,
    private readonly register: Pick<MediaRegister, "find" | "touch">,
  ) {}

  /** Null if the file does not exist, was withdrawn, or is not complete yet. */
  async find(name: string): Promise<StoredMedia | null> {
    if (!this.storage) return null;
    const file = await this.register.find(name);
    return file && (await this.storage.has(name)) ? file : null;
  }

  /** Like `find`, but delays the sweep of the file, because the caller is about to store a reference to the file. */
  async findForUse(name: string): Promise<StoredMedia | null> {
    if (this.storage) await this.register.touch(name);
    return this.find(name);
  }

  /** The file is opened only when the caller begins to read the content. */
  content(file: StoredMedia, range: ByteRange | null): Bytes {
    if (!this.storage) throw new Error(`no storage for ${file.type.type}`);
    return this.storage.read(file.name, range);
  }
}

/** The name of our own file at this URL; null for other URLs, empty for the base URL itself. */
export function ownNameIn(url: string, baseUrl: string): string | null {
  const [address = ""] = url.split(/[?#]/);
  return baseUrl !== "" && `${address}/`.startsWith(baseUrl) ? address.slice(baseUrl.length) : null;
}

/**
 * Probes our own files without a request, because their URLs may point into our own network, which `outside` must not
 * enter. Probes other URLs through `outside`.
 */
export class ProbeMedia implements MediaProbe {
  constructor(
    private readonly outside: MediaProbe,
    private readonly own: ReadMedia,
    /** Ends in a slash; empty if files have no URL. */
    private readonly baseUrl: string,
  ) {}

  async probe(businessId: number, url: string): Promise<ProbedMedia> {
    const name = ownNameIn(url, this.baseUrl);
    if (name === null) return await this.outside.probe(businessId, url);
    const file = name === "" ? null : await this.own.findForUse(name);
    return file ? { status: 200, type: file.type.type } : { status: 404 };
  }
}
