import { setTimeout as sleep } from "node:timers/promises";

/** What Engine.IO has of a connection, as far as it is used here; its types hide some of it. */
export interface Connection {
  readonly readyState: string;
  /** Packets that the transport has not taken yet. */
  readonly writeBuffer: readonly unknown[];
  readonly transport: {
    /** False while the transport is still at what it was given last. */
    readonly writable: boolean;
    /** A long poll has none, and no buffer of its own. */
    readonly socket?: { readonly bufferedAmount?: number };
  };
  on(event: "packetCreate", listener: (packet: unknown) => void): unknown;
}

interface Packet {
  readonly data?: string | Buffer;
  /** `wsPreEncodedFrame`: the frame's header and its bytes, made once for all clients that get the packet. */
  readonly options?: { readonly wsPreEncodedFrame?: readonly Buffer[] };
}

/** Runs for every packet of every client. */
const bytesOf = ({ data, options }: Packet): number => {
  const frame = options?.wsPreEncodedFrame;
  if (frame) return (frame[0]?.length ?? 0) + (frame[1]?.length ?? 0);
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
    /** A packet of so many bytes is being added, and so many wait with it: more than is roomy. */
    onCrowded: (bytes: number, waitingBytes: number) => void,
  ) {
    connection.on("packetCreate", (packet) => {
      const bytes = bytesOf(packet as Packet);
      this.queued = this.queuedBytes + bytes;
      // A transport that has taken all it was given has room, and is not asked for more.
      if (connection.transport.writable && this.queued <= roomyBytes) return;
      const waiting = this.queued + this.bufferedBytes;
      if (waiting > roomyBytes) onCrowded(bytes, waiting);
    });
  }

  get waitingBytes(): number {
    return this.queuedBytes + this.bufferedBytes;
  }

  private get bufferedBytes(): number {
    return this.connection.transport.socket?.bufferedAmount ?? 0;
  }

  /** What was queued went to the transport where the buffer is empty; the packet that is added is not in it yet. */
  private get queuedBytes(): number {
    return this.connection.writeBuffer.length > 0 ? this.queued : 0;
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
