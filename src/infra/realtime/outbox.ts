import { setTimeout as sleep } from "node:timers/promises";

/** What Engine.IO has of a connection, as far as it is used here. */
interface Connection {
  readonly readyState: string;
  readonly transport: object;
  on(event: "packetCreate" | "flush", listener: (given: unknown) => void): unknown;
}

interface Packet {
  readonly data?: string | Buffer;
  /** `wsPreEncodedFrame`: the frame's header and its bytes, made once for all clients that get the packet. */
  readonly options?: { readonly wsPreEncodedFrame?: readonly Buffer[] };
}

const bytesOf = ({ data, options }: Packet): number => {
  const frame = options?.wsPreEncodedFrame;
  if (frame) return frame.reduce((bytes, { length }) => bytes + length, 0);
  return data === undefined ? 0 : Buffer.byteLength(data);
};

const lookAgainMs = 5;
/** Milliseconds that a client has to take enough of what waits for it, while the past is read for it. */
const patienceMs = 10_000;

/** Counts the bytes that wait on their way to one client: in Engine.IO's buffer, and in the WebSocket's. */
export class Outbox {
  private queued = 0;

  constructor(
    private readonly connection: Connection,
    private readonly roomyBytes: number,
    /** A packet is being added. */
    onAdded: (bytes: number) => void,
  ) {
    connection.on("packetCreate", (packet) => {
      const bytes = bytesOf(packet as Packet);
      this.queued += bytes;
      onAdded(bytes);
    });
    // All that is queued goes to the transport, whose own buffer is counted.
    connection.on("flush", () => {
      this.queued = 0;
    });
  }

  get waitingBytes(): number {
    // A long poll has no buffer of its own.
    const { socket } = this.connection.transport as { readonly socket?: { readonly bufferedAmount?: number } };
    return this.queued + (socket?.bufferedAmount ?? 0);
  }

  get isRoomy(): boolean {
    return this.waitingBytes <= this.roomyBytes;
  }

  /** Resolves when little waits, or nothing is sent any more. False where the client takes too little for too long. */
  async roomy(): Promise<boolean> {
    const deadline = performance.now() + patienceMs;
    while (!this.isRoomy && this.connection.readyState === "open") {
      if (performance.now() > deadline) return false;
      await sleep(lookAgainMs, undefined, { ref: false });
    }
    return true;
  }
}
