import { EventEmitter } from "node:events";
import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import { type DefaultEventsMap, Server } from "socket.io";
import type { EventFeed, EventLog, LoggedEvent } from "../../kernel/events.ts";
import { groupBy } from "../../kernel/group-by.ts";
import { OccasionalLog } from "../../kernel/occasional-log.ts";
import { refusalDelayMs } from "../../kernel/refusal-delay.ts";
import { semaphore } from "../../kernel/semaphore.ts";
import { Access } from "./access.ts";
import { BusinessFeed } from "./business-feed.ts";
import {
  type Admission,
  Client,
  isSameHolder,
  type OutgoingEvents,
  type RealtimeIdentity,
  type RealtimeSocket,
} from "./client.ts";
import { ConnectedClients } from "./connected-clients.ts";
import { EventSender, type RealtimeNamespace } from "./event-sender.ts";
import { isFromAllowedOrigin, isFromOwnOrigin } from "./origins.ts";
import { PacketLimiter } from "./packet-limiter.ts";
import { openPeers, type Peers } from "./peers.ts";
import { Presence } from "./presence.ts";
import { HandshakeRefused, refuseUpgrade } from "./refusals.ts";
import { defaults, type RealtimeSettings, type WholeSettings } from "./settings.ts";
import { SlowClients } from "./slow-clients.ts";
import type { View } from "./visibility.ts";
import { onTheWire, resync } from "./wire.ts";

type Io = Server<DefaultEventsMap, OutgoingEvents, DefaultEventsMap, Admission>;

const path = "/socket.io/";
const maxMessageBytes = 16 * 1024;
const connectTimeoutMs = 10_000;
const repeatWarningsEveryMs = 10_000;

/** The Socket.IO namespace `/realtime`. `asyncapi.ts` describes its messages. */
export class RealtimeGateway implements EventFeed {
  private readonly io: Io;
  /**
   * Socket.IO gets its requests from this emitter. If Socket.IO were attached to the HTTP server, it would take
   * requests before the server limits them.
   */
  private readonly requests = new EventEmitter();
  private readonly namespace: RealtimeNamespace;
  private readonly connected: ConnectedClients;
  private readonly access: Access;
  private readonly packets: PacketLimiter;
  private readonly peers: Peers;
  private readonly log: EventLog;
  private readonly events: EventSender;
  private readonly presence: Presence | undefined;
  private readonly settings: WholeSettings;
  private readonly warnings: OccasionalLog;
  private readonly slow: SlowClients;
  private sweepTimer: NodeJS.Timeout | undefined;
  private closing = false;

  constructor(settings: RealtimeSettings) {
    this.settings = { ...defaults, ...settings };
    // A thousand clients that reconnect at once must not take all database connections.
    const limited = semaphore(4);
    this.log = {
      read: (...asked) => limited(() => settings.log.read(...asked)),
      lastNumbers: (businessIds) => limited(() => settings.log.lastNumbers(businessIds)),
    };
    this.warnings = new OccasionalLog(settings.logger, repeatWarningsEveryMs);
    this.slow = new SlowClients(this.settings.maxWaitingBytes, this.warnings);
    const addressOf = settings.addressOf ?? (({ socket }) => socket.remoteAddress ?? "");
    this.access = new Access({
      authenticate: { token: settings.authenticate, key: settings.authenticateKey },
      visibility: settings.visibility,
      warnings: this.warnings,
      addressOf,
      isFromOwnOrigin: (request) => isFromOwnOrigin(request, settings),
      onView: (client, view, changes) => this.changeView(client, view, changes),
    });
    const { maxClientsPerAddress: clientsPerAddress, handshakesPerSecond, onRefusal } = this.settings;
    this.packets = new PacketLimiter({ clientsPerAddress, handshakesPerSecond }, addressOf, onRefusal);
    this.connected = new ConnectedClients(this.log, (businessId) => this.newFeed(businessId));
    this.peers = openPeers(settings, {
      wants: (businessId) => this.connected.has(businessId),
      receive: (businessId, events) => this.connected.offer(businessId, events),
      receiveSignal: (businessId, sender, signal) => this.presence?.receive(businessId, sender, signal),
    });
    this.io = new Server({
      path,
      serveClient: false,
      maxHttpBufferSize: maxMessageBytes,
      connectTimeout: connectTimeoutMs,
      wsEngine: this.packets.webSockets,
      cors: { origin: [...settings.corsOrigins] },
      allowRequest: (request, answer) => this.allow(request, answer),
    });
    // The default namespace would accept anybody.
    this.io.use((_socket, next) => next(new HandshakeRefused("namespace")));
    this.namespace = this.io.of("/realtime");
    this.events = new EventSender({
      namespace: this.namespace,
      connected: this.connected,
      visibility: settings.visibility,
      toWire: onTheWire(settings.translate, settings.logger),
    });
    if (settings.presence) {
      this.presence = new Presence({
        words: settings.presence,
        visibility: settings.visibility,
        events: this.events,
        peers: this.peers,
        warnings: this.warnings,
      });
    }
    this.namespace.use((socket, next) => {
      this.admit(socket).then(() => next(), next);
    });
    this.namespace.on("connection", (socket) => {
      this.packets.authenticated(socket.conn);
      this.connect(socket);
    });
  }

  /** The server's request handler has to pass requests on to `serve`. */
  attach(server: HttpServer): void {
    this.io.attach(this.requests as HttpServer);
    server.on("upgrade", (request, socket, head) => {
      // Other paths are refused here, because Engine.IO would let their clients keep the connection open.
      const isKnownPath = request.url?.startsWith(path) === true;
      if (isKnownPath && this.packets.countUpgrade(request)) this.requests.emit("upgrade", request, socket, head);
      else {
        this.settings.onRefusal("handshakes", 403);
        refuseUpgrade(socket);
      }
    });
    this.packets.watch(this.io.engine);
    this.peers.start();
    this.sweepTimer = setInterval(() => this.sweep(), this.settings.sweepMs).unref();
  }

  /** Handles a request of a client that uses long polling. Returns false for other requests. */
  serve(req: IncomingMessage, res: ServerResponse): boolean {
    return req.url?.startsWith(path) === true && this.requests.emit("request", req, res);
  }

  publish(events: readonly LoggedEvent[]): void {
    for (const [businessId, group] of groupBy(events, (event) => event.businessId)) {
      try {
        this.connected.offer(businessId, group);
        this.peers.tell(businessId, group);
      } catch (error) {
        this.settings.logger.error(
          { err: error, businessId },
          "Events could not be published; the sweep will find them",
        );
      }
    }
  }

  /** After access to the business changed: disconnects clients whose token or key is no longer valid. */
  async recheck(businessId: number): Promise<void> {
    await this.access.recheck(this.connected.clients(businessId));
  }

  /** Does the same as `recheck` for all businesses for which `concerns` returns true. */
  async recheckAfterGap(concerns: (businessId: number) => boolean): Promise<void> {
    await this.access.recheck(this.connected.clients().filter(({ businessId }) => concerns(businessId)));
  }

  /** Reads the views of clients again after views of the business's users changed. */
  async recheckViews(businessId: number): Promise<void> {
    await this.access.recheckViews(this.connected.clients(businessId));
  }

  stats(): { sockets: number; businesses: number } {
    return { sockets: this.connected.clients().length, businesses: this.connected.size };
  }

  /** Disconnects all clients, which reconnect to another process. Does not close the HTTP server. */
  close(): void {
    this.closing = true;
    clearInterval(this.sweepTimer);
    this.connected.stopSending();
    this.peers.close();
    for (const client of this.connected.clients()) client.drop();
    this.io.engine?.close();
  }

  /** Checks the limits and the origin. Socket.IO's `cors` does not check the origin of WebSockets. */
  private allow(request: IncomingMessage, answer: (error: string | null, allowed: boolean) => void): void {
    const isAllowed = isFromAllowedOrigin(request, this.settings);
    const hasRoom = !this.closing && this.io.engine.clientsCount < this.settings.maxClients;
    if (isAllowed && hasRoom && this.packets.allows(request)) answer(null, true);
    else {
      this.settings.onRefusal("handshakes", 403);
      setTimeout(() => answer(null, false), this.closing ? 0 : refusalDelayMs());
    }
  }

  /** Rejects with the error for `connect_error`. */
  private async admit(socket: RealtimeSocket): Promise<void> {
    const admission = await this.access.admit(socket);
    if (this.isFull(admission.identity)) throw new HandshakeRefused("connections");
    socket.data = admission;
  }

  private connect(socket: RealtimeSocket): void {
    const client = new Client(socket, {
      everything: this.settings.visibility.everything,
      roomyBytes: this.slow.roomyBytes,
      onQueued: (slow, bytes, waitingBytes) => this.slow.onQueued(slow, bytes, waitingBytes),
    });
    socket.on("disconnect", () => {
      this.presence?.leave(client);
      this.connected.remove(client);
      if (!this.connected.has(client.businessId)) this.presence?.forgetBusiness(client.businessId);
      socket.conn.close();
    });
    // Several handshakes at the same moment may all have passed the check in `admit`.
    if (this.isFull(client.identity)) {
      client.end("too_many_connections");
      return;
    }
    const feed = this.connected.add(client);
    this.presence?.join(client, socket);
    this.letIn(client, feed, socket.data).catch((error) => {
      this.warnings.warn({ err: error, businessId: client.businessId }, "A client could not join; it will come back");
      client.drop();
    });
  }

  private async letIn(client: Client, feed: BusinessFeed, admission: Admission): Promise<void> {
    // A recheck during the handshake missed this client, because it was not in `connected` yet.
    if (this.access.hasChangedSince(admission)) await this.access.verify([client]);
    if (client.connected) await feed.join(client, admission.since);
  }

  private newFeed(businessId: number): BusinessFeed {
    return new BusinessFeed(businessId, {
      log: this.log,
      replayLimit: this.settings.replayLimit,
      tellLive: (event) => {
        const subject = this.events.live(event);
        if (subject?.audience) this.presence?.audienceChanged(businessId, subject.id, subject.audience);
      },
      resyncLive: (number) => {
        this.events.resync(businessId, number);
        this.presence?.forget();
      },
      past: (events, listener) => this.events.past(businessId, events, listener),
      isCongested: () => this.slow.isCongested(businessId),
      onFailure: (error) => this.warnings.warn({ err: error, businessId }, "Missed events could not be read"),
    });
  }

  /** Makes clients reload after their business moved: their data may be from before the move. */
  async resync(businessId: number): Promise<void> {
    await this.catchUp(businessId);
    const reached = this.connected.reached(businessId);
    if (reached !== undefined) this.events.resync(businessId, reached);
  }

  private catchUp(businessId: number): Promise<void> {
    return this.connected
      .catchUp(businessId)
      .catch((error) => this.warnings.warn({ err: error, businessId }, "Missed events could not be read"));
  }

  private isFull(identity: RealtimeIdentity): boolean {
    const clients = this.connected.clients(identity.businessId);
    const own = clients.filter((client) => isSameHolder(client.identity, identity));
    return own.length >= this.settings.maxSocketsPerUser;
  }

  private changeView(client: Client, view: View, changes: number): void {
    const before = client.view;
    if (!client.connected || !client.setView(view, changes)) return;
    this.connected.changeView(client, before);
    this.presence?.viewChanged(client);
    if (client.isLive) void this.reload(client);
  }

  /** Sends `resync`. Catches up first, because `resync` must name the event that changed the view, or a later one. */
  private async reload(client: Client): Promise<void> {
    const { businessId } = client;
    await this.catchUp(businessId);
    client.send(resync(this.connected.reached(businessId) ?? 0));
  }

  private sweep(): void {
    for (const client of this.connected.clients()) {
      if (client.hasExpired) client.end("expired");
    }
    this.presence?.beat();
    void this.access.verifyLeftOver(this.connected.clients());
    this.connected
      .findUnheard()
      .catch((error) => this.warnings.warn({ err: error }, "The event log could not be swept"));
  }
}
