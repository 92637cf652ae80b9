import type { IncomingMessage } from "node:http";
import type { Server } from "socket.io";
import { allowance } from "../../kernel/allowance.ts";
import { refusalDelayMs } from "../../kernel/refusal-delay.ts";

/** Limits per address. The HTTP server cannot count long-polling clients, since they have no open connection. */
interface HandshakeLimits {
  readonly clientsPerAddress: number;
  readonly handshakesPerSecond: number;
}

/** Packets before authentication: enough for the token and pings. */
const strangersPackets = { most: 10, perMs: 0 };
const knownPackets = { most: 100, perMs: 0.02 };

type Engine = Server["engine"];
interface Connection {
  readonly request: IncomingMessage;
  /** Undefined if the transport is not a WebSocket. */
  readonly transport: { readonly socket?: ReadSocket };
  on(event: "packet" | "close", listener: () => void): unknown;
  close(discard: boolean): void;
}

interface ReadSocket {
  terminate?(): void;
  pause?(): void;
  removeAllListeners?(event: string): void;
  /** Internals of `ws`: received bytes that are not parsed yet. There is no other way to discard them. */
  readonly _receiver?: { _buffers?: Buffer[]; _bufferedBytes?: number; _write?: typeof leaveOut };
}

/** Limits what clients send. Socket.IO handles every packet at once, even if the client reads no answers. */
export class PacketLimiter {
  private readonly clients = new Map<string, number>();
  private readonly handshakes = new Map<string, number>();
  private readonly known = new WeakSet<object>();
  private second = 0;

  constructor(
    private readonly limits: HandshakeLimits,
    private readonly addressOf: (request: IncomingMessage) => string,
  ) {}

  watch(engine: Engine): void {
    // A chunk of 64 kB can hold thousands of messages. With this setting, `ws` handles one per connection and turn of
    // the event loop.
    const { ws } = engine as unknown as { readonly ws: { readonly options: { allowSynchronousEvents: boolean } } };
    ws.options.allowSynchronousEvents = false;
    engine.on("connection", (connection: Connection) => this.bound(connection));
  }

  /** Whether the address may open one more client. Counts the attempt. */
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

  authenticated(connection: object): void {
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
    let mayGoOn = allowance(strangersPackets);
    connection.on("packet", () => {
      if (!isKnown && this.known.has(connection)) {
        isKnown = true;
        mayGoOn = allowance(knownPackets);
      }
      if (isCutOff || mayGoOn()) return;
      isCutOff = true;
      cutOff(connection);
    });
  }
}

/** Stops reading at once. A WebSocket is closed only later, because its client would reconnect immediately. */
function cutOff(connection: Connection): void {
  const { socket } = connection.transport;
  socket?.pause?.();
  socket?.removeAllListeners?.("message");
  // The last chunk may hold thousands of messages; do not parse them.
  if (socket?._receiver) Object.assign(socket._receiver, { _buffers: [], _bufferedBytes: 0, _write: leaveOut });
  const end = () => {
    socket?.terminate?.();
    connection.close(true);
  };
  if (socket) setTimeout(end, refusalDelayMs()).unref();
  else end();
}

const leaveOut = (_piece: Buffer, _encoding: string, done: () => void): void => done();
