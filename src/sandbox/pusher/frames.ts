/** A WebSocket frame that breaks the protocol, or one that is too large; `code` is what the connection is closed with. */
export class FrameError extends Error {
  constructor(readonly code: number) {
    super(`closed with ${code}`);
  }
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface Message {
  readonly opcode: number;
  readonly payload: Buffer;
}

type Frame = Message & { readonly isLast: boolean };

const largestPayload = 64 * 1024;
const largestControl = 125;
const closeCodes = { protocol: 1002, tooLarge: 1009 };

/** Puts messages together from the bytes of a client; throws `FrameError` for bytes that no client may send. */
export class FrameReader {
  private bytes = Buffer.alloc(0);
  private parts: Buffer[] = [];
  private partsBytes = 0;
  private partsOpcode: number | undefined;

  /** The messages that these bytes complete. */
  read(chunk: Buffer): Message[] {
    this.bytes = Buffer.concat([this.bytes, chunk]);
    const messages: Message[] = [];
    for (let frame = this.nextFrame(); frame !== undefined; frame = this.nextFrame()) {
      const message = this.assembled(frame);
      if (message) messages.push(message);
    }
    return messages;
  }

  private nextFrame(): Frame | undefined {
    const header = headerOf(this.bytes);
    if (header === undefined || this.bytes.length < header.start + header.length) return undefined;
    const masked = this.bytes.subarray(header.start, header.start + header.length);
    const mask = this.bytes.subarray(header.start - 4, header.start);
    const payload = Buffer.from(masked.map((byte, index) => byte ^ (mask[index & 3] ?? 0)));
    this.bytes = this.bytes.subarray(header.start + header.length);
    return { opcode: header.opcode, isLast: header.isLast, payload };
  }

  private assembled(frame: Frame): Message | undefined {
    if (frame.opcode >= opcodes.close) return frame;
    const isFirst = frame.opcode !== opcodes.continuation;
    if (isFirst !== (this.partsOpcode === undefined)) throw new FrameError(closeCodes.protocol);
    this.partsOpcode ??= frame.opcode;
    this.parts.push(frame.payload);
    this.partsBytes += frame.payload.length;
    // Frames without content cost memory, too.
    if (this.partsBytes > largestPayload || this.parts.length > 1_000) throw new FrameError(closeCodes.tooLarge);
    if (!frame.isLast) return undefined;
    const message = { opcode: this.partsOpcode, payload: Buffer.concat(this.parts) };
    this.parts = [];
    this.partsBytes = 0;
    this.partsOpcode = undefined;
    return message;
  }
}

interface Header {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly length: number;
  /** Where the payload begins, right after the mask. */
  readonly start: number;
}

/** Undefined while it is not there as a whole. */
function headerOf(bytes: Buffer): Header | undefined {
  if (bytes.length < 2) return undefined;
  const [first, second] = [bytes.readUInt8(0), bytes.readUInt8(1)];
  const [opcode, isLast, short] = [first & 0x0f, first >= 0x80, second & 0x7f];
  const isReserved = (first & 0x70) !== 0 || !Object.values<number>(opcodes).includes(opcode);
  const isMasked = second >= 0x80;
  const isBadControl = opcode >= opcodes.close && (!isLast || short > largestControl);
  if (isReserved || !isMasked || isBadControl) throw new FrameError(closeCodes.protocol);
  // Only lengths above 64 kB are written in eight bytes.
  if (short === 127) throw new FrameError(closeCodes.tooLarge);
  const start = (short === 126 ? 4 : 2) + 4;
  if (bytes.length < start) return undefined;
  return { opcode, isLast, length: short === 126 ? bytes.readUInt16BE(2) : short, start };
}

/** A frame of the server; its payload has less than 64 kB. */
export function frameOf(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const header =
    length < 126 ? Buffer.from([0x80 | opcode, length]) : Buffer.from([0x80 | opcode, 126, length >> 8, length & 0xff]);
  return Buffer.concat([header, payload]);
}
