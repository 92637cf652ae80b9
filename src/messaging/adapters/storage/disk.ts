import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bytes, MediaStorage } from "../../application/media/ports.ts";
import type { ByteRange } from "../../domain/media.ts";

/** Files in a folder of this machine, or of a volume that every process mounts. */
export class DiskStorage implements MediaStorage {
  constructor(private readonly directory: string) {}

  /** The file gets its name only after it is synced: even after a power failure, a file with that name is complete. */
  async write(name: string, _type: string, content: Bytes): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    const unfinished = this.unfinished(name);
    try {
      await writeFile(unfinished, content, { flag: "wx", mode: 0o640, flush: true });
      await rename(unfinished, this.pathOf(name));
      const directory = await open(this.directory, "r");
      await directory.sync().finally(() => directory.close());
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  async has(name: string): Promise<boolean> {
    const found = await stat(this.pathOf(name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    return found?.isFile() ?? false;
  }

  async *read(name: string, range: ByteRange | null): AsyncGenerator<Uint8Array> {
    yield* createReadStream(this.pathOf(name), range ? { start: range.from, end: range.to } : {});
  }

  async remove(name: string): Promise<void> {
    for (const path of [this.unfinished(name), this.pathOf(name)]) await rm(path, { force: true });
  }

  private pathOf(name: string): string {
    return join(this.directory, name);
  }

  private unfinished(name: string): string {
    return join(this.directory, `${name}.part`);
  }
}
