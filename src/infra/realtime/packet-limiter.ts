import type { IncomingMessage } from "node:http";
import type { Server } from "socket.io";
import type { WebSocket } from "ws";
import { allowance } from "../../kernel/allowance.ts";
import { cutOff, limitedServer } from "./web-sockets.ts";

/** Limits per address. Long-polling clients keep no connection open, so the HTTP server cannot count them. */
interface HandshakeLimits {
  readonly clientsPerAddress: number;
  readonly handshakesPerSecond: number;
}

/** Packets before authentication: enough for the token and pings. */
const strangersPackets = { most: 10, perMs: 0 };
const knownPackets = { most: 100, perMs: 0.02 };

type Engine = Server["engine"];
interface Transport {
  /** Undefined if the transport is not a WebSocket. */
  readonly socket?: WebSocket;
}
interface Connection {
  readonly request: IncomingMessage;
  readonly transport: Transport;
  on(event: "packet" | "close", listener: () => void): unknown;
  on(event: "upgrade", listener: (transport: Transport) => void): unknown;
  close(discard: boolean): void;
}

/** Counts what one WebSocket or one client of long polling sends. */
class Sender {
  private isKnown = false;
  private isCutOff = false;
  private mayGoOn = allowance(strangersPackets);

  constructor(private readonly end: () => void) {}

  /** Only the first call has an effect: authenticating again does not let a client send more packets. */
  authenticated(): void {
    if (this.isKnown) return;
    this.isKnown = true;
    this.mayGoOn = allowance(knownPackets);
  }

  count(): void {
    if (!this.isCutOff && !this.mayGoOn()) this.cutOff();
  }

  cutOff(): void {
    if (this.isCutOff) return;
    this.isCutOff = true;
    this.end();
  }
}

/** Limits what clients send. Socket.IO handles every packet at once, even if the client reads no answers. */
export class PacketLimiter {
  private readonly clients = new Map<string, number>();
  private readonly handshakes = new Map<string, number>();
  private readonly known = new WeakSet<object>();
  /** The key is the WebSocket. For a long-polling client, it is the connection of Engine.IO. */
  private readonly senders = new WeakMap<object, Sender>();
  /** Requests that were counted, and whether they were allowed. */
  private readonly counted = new WeakMap<IncomingMessage, boolean>();
  private readonly upgraded = new WeakSet<object>();
  private clientsById: Readonly<Record<string, object>> = {};
  private second = 0;

  constructor(
    private readonly limits: HandshakeLimits,
    private readonly addressOf: (request: IncomingMessage) => string,
    private readonly onRefusal: (cause: string, status: number) => void,
  ) {}

  /** For Socket.IO's option `wsEngine`. Frames are counted here, because Socket.IO sees no pings and pongs. */
  readonly webSockets = limitedServer((webSocket) => {
    const sender = new Sender(() => {
      this.onRefusal("packets", 101);
      cutOff(webSocket);
    });
    this.senders.set(webSocket, sender);
    return { onFrame: () => sender.count(), onLate: () => sender.cutOff() };
  });

  watch(engine: Engine): void {
    // Engine.IO documents `clients`, but its types hide it.
    this.clientsById = (engine as unknown as { readonly clients: Record<string, object> }).clients;
    engine.on("connection", (connection: Connection) => this.bound(connection));
  }

  /**
   * Counts a request for a WebSocket, or for a new client of long polling. Each request is counted once. Returns false
   * if the address sends too many.
   */
  countHandshake(request: IncomingMessage): boolean {
    const counted = this.counted.get(request);
    if (counted !== undefined) return counted;
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.second) this.handshakes.clear();
    this.second = second;
    const address = this.addressOf(request);
    const attempts = (this.handshakes.get(address) ?? 0) + 1;
    this.handshakes.set(address, attempts);
    const isAllowed = attempts <= this.limits.handshakesPerSecond;
    this.counted.set(request, isAllowed);
    return isAllowed;
  }

  /**
   * Counts requests for a WebSocket, except a long-polling client's first: the client's handshake was already counted.
   * Must be called for every upgrade, because Engine.IO calls `allowRequest` only for some upgrades.
   */
  countUpgrade(request: IncomingMessage): boolean {
    const id = new URLSearchParams(request.url?.split("?")[1]).get("sid") ?? "";
    const client = Object.hasOwn(this.clientsById, id) ? this.clientsById[id] : undefined;
    if (!client || this.upgraded.has(client)) return this.countHandshake(request);
    this.upgraded.add(client);
    return true;
  }

  /** Counts the handshake. Returns whether the address may open one more client. */
  allows(request: IncomingMessage): boolean {
    const hasRoom = (this.clients.get(this.addressOf(request)) ?? 0) < this.limits.clientsPerAddress;
    return this.countHandshake(request) && hasRoom;
  }

  authenticated(connection: object): void {
    this.known.add(connection);
    this.senderOf(connection as Connection)?.authenticated();
  }

  private senderOf(connection: Connection): Sender | undefined {
    return this.senders.get(connection.transport.socket ?? connection);
  }

  private bound(connection: Connection): void {
    const address = this.addressOf(connection.request);
    this.clients.set(address, (this.clients.get(address) ?? 0) + 1);
    connection.on("close", () => {
      const left = (this.clients.get(address) ?? 1) - 1;
      if (left > 0) this.clients.set(address, left);
      else this.clients.delete(address);
    });
    // The frames of WebSockets are counted by `webSockets`.
    if (connection.transport.socket) return;
    const sender = new Sender(() => {
      // The client's next requests get a 400, because its session is gone.
      this.onRefusal("packets", 400);
      connection.close(true);
    });
    this.senders.set(connection, sender);
    connection.on("packet", () => {
      if (!connection.transport.socket) sender.count();
    });
    connection.on("upgrade", () => {
      if (this.known.has(connection)) this.senderOf(connection)?.authenticated();
    });
  }
}
