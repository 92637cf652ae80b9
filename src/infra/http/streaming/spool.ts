import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Busy } from "../../../kernel/errors.ts";

/** Bytes. A larger body is moved to a file. */
const mostInMemory = 256 * 1024;

/** Stores one body for reading in any order. A large body's file is unlinked at once and vanishes with the process. */
export class Spool {
  private chunks: Buffer[] = [];
  private file: FileHandle | undefined;
  private written = 0;

  async write(chunk: Buffer): Promise<void> {
    if (this.file === undefined) {
      this.chunks.push(chunk);
      this.written += chunk.length;
      if (this.written > mostInMemory) await this.moveToFile();
      return;
    }
    await this.append(this.file, chunk);
  }

  async read(start: number, end: number): Promise<Buffer> {
    if (this.file === undefined) {
      if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks)];
      return (this.chunks[0] ?? Buffer.alloc(0)).subarray(start, end);
    }
    const bytes = Buffer.allocUnsafe(end - start);
    for (let done = 0; done < bytes.length; ) {
      const { bytesRead } = await this.file.read(bytes, done, bytes.length - done, start + done);
      if (bytesRead === 0) throw new Error("the file of a body is shorter than the body");
      done += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    this.chunks = [];
    await this.file?.close();
  }

  private async moveToFile(): Promise<void> {
    const { chunks } = this;
    this.chunks = [];
    this.written = 0;
    this.file = await namelessFile().catch(noRoom);
    for (const chunk of chunks) await this.append(this.file, chunk);
  }

  private async append(file: FileHandle, chunk: Buffer): Promise<void> {
    for (let done = 0; done < chunk.length; ) {
      const { bytesWritten } = await file.write(chunk, done, chunk.length - done, this.written).catch(noRoom);
      done += bytesWritten;
      this.written += bytesWritten;
    }
  }
}

async function namelessFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `recado-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Seconds. */
const retryAfter = 30;

function noRoom(error: NodeJS.ErrnoException): never {
  if (["ENOSPC", "EDQUOT", "EMFILE", "ENFILE"].includes(error.code ?? "")) throw new Busy("spool", false, retryAfter);
  throw error;
}
