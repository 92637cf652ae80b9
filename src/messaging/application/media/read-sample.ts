import type { SampleFiles } from "../templates/ports.ts";
import type { Bytes, RecognizeMedia } from "./ports.ts";
import { ownNameIn, type ReadMedia } from "./read-media.ts";

/** Opens a public URL; null if it cannot be read. Reading may throw if the connection breaks. */
type OpenPublic = (url: string) => Promise<Bytes | null>;

/** Reads whole files, from our own URLs or public ones. */
export class ReadSample implements SampleFiles {
  constructor(
    private readonly own: ReadMedia,
    /** Ends in a slash; empty if files have no URL. */
    private readonly baseUrl: string,
    private readonly openPublic: OpenPublic,
    private readonly recognize: RecognizeMedia,
  ) {}

  async read(url: string, { types, mostBytes }: Parameters<SampleFiles["read"]>[1]): ReturnType<SampleFiles["read"]> {
    const found = await this.find(url);
    if (!found) return "unreachable";
    if (found.type === null || !types.includes(found.type)) {
      await found.content[Symbol.asyncIterator]().return?.();
      return "wrong-type";
    }
    const bytes = await wholeOf(found.content, mostBytes);
    return typeof bytes === "string" ? bytes : { name: found.name, type: found.type, bytes };
  }

  private async find(url: string) {
    const ownName = ownNameIn(url, this.baseUrl);
    if (ownName !== null) {
      const file = await this.own.findForUse(ownName);
      return file && { name: file.fileName, type: file.type.type, content: this.own.content(file, null) };
    }
    const name = new URL(url).pathname.split("/").at(-1) || "sample";
    try {
      const content = await this.openPublic(url);
      return content && { ...(await this.recognize(content, name)), name };
    } catch {
      return null;
    }
  }
}

async function wholeOf(content: Bytes, mostBytes: number): Promise<Buffer | "unreachable" | "too-large"> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of content) {
      size += chunk.length;
      if (size > mostBytes) return "too-large";
      chunks.push(chunk);
    }
  } catch {
    return "unreachable";
  }
  return Buffer.concat(chunks);
}
