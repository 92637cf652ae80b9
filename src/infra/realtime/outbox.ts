import { setTimeout as sleep } from "node:timers/promises";

/** The parts of an Engine.IO connection that are used here. Its types hide some of them. */
export interface Connection {
  readonly readyState: string;
  /** Packets that wait for the transport. */
  readonly writeBuffer: readonly unknown[];
  readonly transport: {
    /** False while the transport is sending. For long polling also false until the client's next request. */
    readonly writable: boolean;
    /** Undefined for long polling. */
    readonly socket?: { readonly bufferedAmount?: number };
  };
  on(event: "packetCreate", listener: (packet: unknown) => void): unknown;
}

interface Packet {
  readonly data?: string | Buffer;
  /** `wsPreEncodedFrame`: header and payload, encoded once for all receivers. */
  readonly options?: { readonly wsPreEncodedFrame?: readonly Buffer[] };
}

/** Runs for every packet of every client, so it must be fast. */
const bytesOf = ({ data, options }: Packet): number => {
  const frame = options?.wsPreEncodedFrame;
  if (frame) return (frame[0]?.length ?? 0) + (frame[1]?.length ?? 0);
  return data === undefined ? 0 : Buffer.byteLength(data);
};

const lookAgainMs = 5;
/** Milliseconds that a client may take to read what is queued while it catches up. */
const patienceMs = 10_000;

/** Counts the bytes queued for one client, in Engine.IO and in the WebSocket. */
export class Outbox {
  private queued = 0;

  constructor(
    private readonly connection: Connection,
    private readonly roomyBytes: number,
    /** Called before a packet is queued, if it and the waiting packets exceed `roomyBytes`. */
    onQueued: (bytes: number, waitingBytes: number) => void,
  ) {
    connection.on("packetCreate", (packet) => {
      const bytes = bytesOf(packet as Packet);
      this.queued = this.queuedBytes + bytes;
      // A writable transport has sent everything, so `bufferedBytes` need not be read.
      if (connection.transport.writable && this.queued <= roomyBytes) return;
      const waiting = this.queued + this.bufferedBytes;
      if (waiting > roomyBytes) onQueued(bytes, waiting);
    });
  }

  get waitingBytes(): number {
    return this.queuedBytes + this.bufferedBytes;
  }

  private get bufferedBytes(): number {
    return this.connection.transport.socket?.bufferedAmount ?? 0;
  }

  /** 0 once Engine.IO's buffer is empty, because everything was then passed to the transport. */
  private get queuedBytes(): number {
    return this.connection.writeBuffer.length > 0 ? this.queued : 0;
  }

  get isRoomy(): boolean {
    return this.waitingBytes <= this.roomyBytes;
  }

  /** Waits until little is queued or the connection is closed. Returns false if the client reads too slowly. */
  async roomy(): Promise<boolean> {
    const deadline = performance.now() + patienceMs;
    while (!this.isRoomy && this.connection.readyState === "open") {
      if (performance.now() > deadline) return false;
      await sleep(lookAgainMs, undefined, { ref: false });
    }
    return true;
  }
}
