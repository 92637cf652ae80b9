import { IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "./addresses.ts";

/**
 * Node makes a buffer and a callback for each chunk of a body, a microsecond of CPU, so that a read of 64 kB in chunks
 * of one byte takes 10 ms. Each message may have `free` chunks, and one more for each `bytesPerChunk`. Further ones
 * count in a second's allowance. Clients that write whole buffers need none of it; one that writes a chunk for each row
 * of a file does. Without `free`, many connections at once could not have a chunk each.
 */
const free = 32;
const bytesPerChunk = 128;
/** The chunks after which a message is checked. */
const step = 16;
/** Further chunks in a second. */
const further = { ofAddress: 30_000, inAll: 60_000 };

/** Bytes between chunks, such as their extensions, that cost as much as a chunk; and how many of them are free. */
const bytesBetween = 16;
const freeBetween = 128 * 1024;

/** The chunks that messages may have beyond their own, in one process. */
export class FurtherChunks {
  private began = performance.now();
  private taken = 0;
  private readonly byAddress = new Map<string, number>();

  /** @returns whether there were so many left */
  take(address: string, chunks: number): boolean {
    const now = performance.now();
    if (now - this.began >= 1_000) {
      this.began = now;
      this.taken = 0;
      this.byAddress.clear();
    }
    const own = (this.byAddress.get(address) ?? 0) + chunks;
    if (own > further.ofAddress || this.taken + chunks > further.inAll) return false;
    this.taken += chunks;
    this.byAddress.set(address, own);
    return true;
  }
}

/** A request whose body is no longer taken once it has too many chunks. */
export abstract class CountedMessage extends IncomingMessage {
  answer: ServerResponse | undefined = undefined;
  isCutOff = false;
  private credit = free;
  private chunks = 0;
  private bytes = 0;
  /** `bytesRead` of the connection when the body began, and how many bytes of the body came since. */
  private readFrom = -1;
  private bytesInAll = 0;
  private paidBetween = 0;

  protected abstract readonly further: FurtherChunks;
  protected abstract cutOff(): void;

  /** Node's parser calls this for each chunk, and for the end with null. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.isCutOff) return false;
    if (chunk !== null) {
      this.chunks += 1;
      this.bytes += chunk.length;
      if (this.chunks === step && !this.isPaid()) {
        this.isCutOff = true;
        this.cutOff();
        return false;
      }
    }
    return super.push(chunk, encoding);
  }

  /** A reader would make Node read the connection again. */
  override _read(size: number): void {
    if (!this.isCutOff) super._read(size);
  }

  private isPaid(): boolean {
    const { bytesRead } = this.socket;
    if (this.readFrom < 0) this.readFrom = bytesRead;
    this.bytesInAll += this.bytes;
    const between = Math.floor((bytesRead - this.readFrom - this.bytesInAll - freeBetween) / bytesBetween);
    const unpaid = Math.max(0, between - this.paidBetween);
    this.paidBetween += unpaid;
    this.credit = Math.min(free, this.credit + this.bytes / bytesPerChunk - step - unpaid);
    this.chunks = 0;
    this.bytes = 0;
    if (this.credit >= 0) return true;
    const missing = Math.ceil(-this.credit);
    this.credit = 0;
    return this.further.take(networkOf(this.socket.remoteAddress ?? ""), missing);
  }
}

/** The class of the messages of one server, for `http.createServer`. */
export function countedMessages(
  cutOff: (message: CountedMessage) => void,
): typeof IncomingMessage & (new (socket: Socket) => CountedMessage) {
  const all = new FurtherChunks();
  return class extends CountedMessage {
    protected override readonly further = all;
    protected override cutOff(): void {
      cutOff(this);
    }
  };
}

/** Whether no more of the body comes, although the connection is open. */
export const isCutOff = (req: IncomingMessage): boolean => req instanceof CountedMessage && req.isCutOff;
