import type { IncomingMessage } from "node:http";
import type { Server } from "socket.io";
import { refusalPauseMs } from "../../kernel/refusal-pause.ts";

/** What one address may open; a long poll is a client without a connection, which the HTTP server cannot count. */
export interface HandshakeLimits {
  readonly clientsPerAddress: number;
  readonly handshakesPerSecond: number;
}

/** Packets of a client before its token is checked: enough to send the token and to answer pings. */
const strangersPackets = 10;
/** Packets that a known client may send at once, and those that come back to it in a second. */
const knownPackets = { most: 100, perSecond: 20 };

type Engine = Server["engine"];
interface Connection {
  readonly request: IncomingMessage;
  /** Its socket, where it is a WebSocket. */
  readonly transport: { readonly socket?: ReadSocket };
  on(event: "packet" | "close", listener: () => void): unknown;
  close(discard: boolean): void;
}

interface ReadSocket {
  terminate?(): void;
  pause?(): void;
  removeAllListeners?(event: string): void;
  /** The library's own: what has been read and is not taken apart yet. It has no other way to leave that. */
  readonly _receiver?: { _buffers?: Buffer[]; _bufferedBytes?: number; _write?: typeof leaveOut };
}

/** Bounds what clients send: Socket.IO handles each packet at once, also those of clients that read no answers. */
export class Flood {
  private readonly clients = new Map<string, number>();
  private readonly handshakes = new Map<string, number>();
  private readonly known = new WeakSet<object>();
  private second = 0;

  constructor(
    private readonly limits: HandshakeLimits,
    private readonly addressOf: (request: IncomingMessage) => string,
  ) {}

  watch(engine: Engine): void {
    // A piece of 64 kB holds thousands of messages: of each connection one is read in a turn of the event loop.
    const { ws } = engine as unknown as { readonly ws: { readonly options: { allowSynchronousEvents: boolean } } };
    ws.options.allowSynchronousEvents = false;
    engine.on("connection", (connection: Connection) => this.bound(connection));
  }

  /** Whether one more client of this address may come; counts the attempt. */
  allows(request: IncomingMessage): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.second) this.handshakes.clear();
    this.second = second;
    const address = this.addressOf(request);
    const attempts = (this.handshakes.get(address) ?? 0) + 1;
    this.handshakes.set(address, attempts);
    const { clientsPerAddress, handshakesPerSecond } = this.limits;
    return attempts <= handshakesPerSecond && (this.clients.get(address) ?? 0) < clientsPerAddress;
  }

  /** The client has shown a good token. */
  welcome(connection: object): void {
    this.known.add(connection);
  }

  private bound(connection: Connection): void {
    const address = this.addressOf(connection.request);
    this.clients.set(address, (this.clients.get(address) ?? 0) + 1);
    connection.on("close", () => {
      const left = (this.clients.get(address) ?? 1) - 1;
      if (left > 0) this.clients.set(address, left);
      else this.clients.delete(address);
    });
    let isKnown = false;
    let isCutOff = false;
    let left = strangersPackets;
    let at = performance.now();
    connection.on("packet", () => {
      if (!isKnown && this.known.has(connection)) {
        isKnown = true;
        left = knownPackets.most;
      }
      if (isKnown) {
        const now = performance.now();
        left = Math.min(knownPackets.most, left + ((now - at) / 1_000) * knownPackets.perSecond);
        at = now;
      }
      left -= 1;
      if (left >= 0 || isCutOff) return;
      isCutOff = true;
      cutOff(connection);
    });
  }
}

/** A client that is cut off would come again at once: it is heard no more, and its connection ends a little later. */
function cutOff(connection: Connection): void {
  const { socket } = connection.transport;
  socket?.pause?.();
  socket?.removeAllListeners?.("message");
  // The piece that was read last may hold thousands more messages. Parsing them would take milliseconds for nothing.
  if (socket?._receiver) Object.assign(socket._receiver, { _buffers: [], _bufferedBytes: 0, _write: leaveOut });
  const end = () => {
    socket?.terminate?.();
    connection.close(true);
  };
  if (socket) setTimeout(end, refusalPauseMs()).unref();
  else end();
}

const leaveOut = (_piece: Buffer, _encoding: string, done: () => void): void => done();
