import { IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "./addresses.ts";

/**
 * Each chunk of a body costs Node a microsecond of CPU. A read of 64 kB can hold ten thousand chunks and so cost 10 ms.
 * A message may have `free` chunks, and one more for each `bytesPerChunk` bytes: enough for clients that write whole
 * buffers. A client that writes a chunk for each row of a file needs further chunks, which `perSecond` limits.
 */
const free = 32;
const bytesPerChunk = 128;
/** A message is checked after every `step` chunks. */
const step = 16;
/**
 * The limits for further chunks per second. `ofOne` is for one business, or for one address if the business is unknown.
 * `inAll` is for all businesses together and, separately, for all addresses together.
 */
const perSecond = { ofOne: 30_000, inAll: 60_000 };
/** Bytes of an unread body that are discarded after the answer. If more bytes follow, the connection closes. */
const mostAfterAnswer = 256 * 1024;

/**
 * A body also has bytes between the data of its chunks, such as extensions of chunks. `bytesBetween` of these bytes
 * cost as much as one chunk. The first `freeBetween` of them in a message are free.
 */
const bytesBetween = 16;
const freeBetween = 128 * 1024;

/** Limits further chunks in this process to `perSecond`. Further chunks are those beyond a message's own allowance. */
export class FurtherChunks {
  private began = performance.now();
  private taken = 0;
  private readonly byKey = new Map<string | number, number>();

  /**
   * @param key - the business, or the address if the business is not known
   * @returns whether the limits still allowed that many chunks
   */
  take(key: string | number, chunks: number): boolean {
    const now = performance.now();
    if (now - this.began >= 1_000) {
      this.began = now;
      this.taken = 0;
      this.byKey.clear();
    }
    const own = (this.byKey.get(key) ?? 0) + chunks;
    if (own > perSecond.ofOne || this.taken + chunks > perSecond.inAll) return false;
    this.taken += chunks;
    this.byKey.set(key, own);
    return true;
  }
}

/** A request that is cut off once its body has too many chunks. */
export abstract class CountedMessage extends IncomingMessage {
  answer: ServerResponse | undefined = undefined;
  isCutOff = false;
  private credit = free;
  private chunks = 0;
  private bytes = 0;
  /** `readFrom` is the connection's `bytesRead` at the first check; `bytesInAll` is the size of all checked chunks. */
  private readFrom = -1;
  private bytesInAll = 0;
  private paidBetween = 0;
  /** How many more bytes are discarded before the connection closes; undefined before the answer. */
  private leftUnread: number | undefined = undefined;

  protected abstract takeFurther(chunks: number): boolean;
  protected abstract cutOff(): void;

  /** Node's parser calls this with each chunk, and with null at the end. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.isCutOff) return false;
    if (chunk !== null) {
      if (this.leftUnread !== undefined) {
        this.leftUnread -= chunk.length;
        if (this.leftUnread < 0) this.socket.destroy();
      }
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

  /** Node calls this after the answer to discard an unread body. The original method would bypass `push`. */
  _dump(): void {
    if (this.leftUnread !== undefined) return;
    this.leftUnread = mostAfterAnswer;
    this.removeAllListeners("data");
    this.resume();
  }

  /** Does nothing once the request is cut off: otherwise a reader would make Node read the connection again. */
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
    return this.takeFurther(missing);
  }
}

/** The class for the requests of one server: the option `IncomingMessage` of `http.createServer`. */
export function countedMessages(
  cutOff: (message: CountedMessage) => void,
  businessOf: (message: IncomingMessage) => number | undefined,
): typeof IncomingMessage & (new (socket: Socket) => CountedMessage) {
  // Businesses and strangers have separate allowances, so that strangers cannot use up those of businesses.
  const ofBusinesses = new FurtherChunks();
  const ofStrangers = new FurtherChunks();
  return class extends CountedMessage {
    protected override takeFurther(chunks: number): boolean {
      const businessId = businessOf(this);
      if (businessId !== undefined) return ofBusinesses.take(businessId, chunks);
      return ofStrangers.take(networkOf(this.socket.remoteAddress ?? ""), chunks);
    }

    protected override cutOff(): void {
      cutOff(this);
    }
  };
}

/** Whether the server has stopped reading the body because of too many chunks. */
export const isCutOff = (req: IncomingMessage): boolean => req instanceof CountedMessage && req.isCutOff;
