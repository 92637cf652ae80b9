import type { Server as HttpServer, IncomingMessage } from "node:http";
import { type DefaultEventsMap, Server } from "socket.io";
import type { EventFeed, EventLog, LoggedEvent } from "../../kernel/events.ts";
import { groupBy } from "../../kernel/group-by.ts";
import { OccasionalLog } from "../../kernel/occasional-log.ts";
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
import { Flood } from "./flood.ts";
import { behind } from "./gated-log.ts";
import { isFromAllowedOrigin, isFromOwnOrigin } from "./origins.ts";
import { openPeers, type Peers } from "./peers.ts";
import { Presence } from "./presence.ts";
import { Refused } from "./refusals.ts";
import { defaults, type RealtimeSettings, type WholeSettings } from "./settings.ts";
import { SlowClients } from "./slow-clients.ts";
import { type RealtimeNamespace, Telling } from "./telling.ts";
import type { View } from "./visibility.ts";
import { onTheWire, resync } from "./wire.ts";

type Io = Server<DefaultEventsMap, OutgoingEvents, DefaultEventsMap, Admission>;

const maxMessageBytes = 16 * 1024;
const connectTimeoutMs = 10_000;
const repeatWarningsEveryMs = 10_000;
/** Of one address. Each takes a tenth of a millisecond. */
const handshakesPerSecond = 500;
/** Milliseconds that a refused handshake waits for its answer: refused at once it would come again at once. */
const refusalMs = 1_000;

/**
 * Socket.IO namespace `/realtime`: clients hear the events of their own business that they may hear.
 *
 * Handshake `auth: { token, since? }`, or `{ key, since? }` with an App Key. `access:ended { reason }` comes before the
 * service cuts a client off for good. Events arrive in the order of their `seq`, each once. `ready { seq }` says
 * that the client has everything up to `seq` that is for it; `resync { seq }` that it has missed events that cannot be
 * had any more, or may hear something else from now on, and should load again what it shows. A client that comes back
 * names the last `seq` it saw as `since`, and ignores
 * events whose `seq` it has seen: Socket.IO's client keeps what it receives while a connection breaks, and hands
 * it over when the next one stands.
 */
export class RealtimeGateway implements EventFeed {
  private readonly io: Io;
  private readonly namespace: RealtimeNamespace;
  private readonly connected: ConnectedClients;
  private readonly access: Access;
  private readonly flood: Flood;
  private readonly peers: Peers;
  private readonly log: EventLog;
  private readonly telling: Telling;
  private readonly presence: Presence | undefined;
  private readonly settings: WholeSettings;
  private readonly warnings: OccasionalLog;
  private readonly slow: SlowClients;
  private sweepTimer: NodeJS.Timeout | undefined;
  private closing = false;

  constructor(settings: RealtimeSettings) {
    this.settings = { ...defaults, ...settings };
    this.log = behind(semaphore(4), settings.log);
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
    const { maxClientsPerAddress: clientsPerAddress } = this.settings;
    this.flood = new Flood({ clientsPerAddress, handshakesPerSecond }, addressOf);
    this.connected = new ConnectedClients(this.log, (businessId) => this.newFeed(businessId));
    this.peers = openPeers(settings, {
      wants: (businessId) => this.connected.has(businessId),
      hear: (businessId, events) => this.connected.offer(businessId, events),
      hearSignal: (businessId, sender, signal) => this.presence?.hear(businessId, sender, signal),
    });
    this.io = new Server({
      serveClient: false,
      maxHttpBufferSize: maxMessageBytes,
      connectTimeout: connectTimeoutMs,
      cors: { origin: [...settings.corsOrigins] },
      allowRequest: (request, answer) => this.allow(request, answer),
    });
    // The default namespace would let anybody in.
    this.io.use((_socket, next) => next(new Refused("namespace")));
    this.namespace = this.io.of("/realtime");
    this.telling = new Telling({
      namespace: this.namespace,
      connected: this.connected,
      visibility: settings.visibility,
      toWire: onTheWire(settings.translate, settings.logger),
    });
    if (settings.presence) {
      this.presence = new Presence({
        words: settings.presence,
        visibility: settings.visibility,
        telling: this.telling,
        peers: this.peers,
        warnings: this.warnings,
      });
    }
    this.namespace.use((socket, next) => {
      this.admit(socket).then(() => next(), next);
    });
    this.namespace.on("connection", (socket) => {
      this.flood.welcome(socket.conn);
      this.welcome(socket);
    });
  }

  /** Serves Socket.IO's path of this server. The server's other request handlers must be in place already. */
  attach(server: HttpServer): void {
    this.io.attach(server);
    this.flood.watch(this.io.engine);
    this.peers.start();
    this.sweepTimer = setInterval(() => this.sweep(), this.settings.sweepMs).unref();
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

  /** Access to the business changed: disconnects those whose token or key is no longer good. */
  async recheck(businessId: number): Promise<void> {
    await this.access.recheck(this.connected.clients(businessId));
  }

  /** As `recheck`, when changes may have gone unheard of the businesses that it concerns. */
  async recheckAfterGap(concerns: (businessId: number) => boolean): Promise<void> {
    await this.access.recheck(this.connected.clients().filter(({ businessId }) => concerns(businessId)));
  }

  /** What users of the business may see changed: each hears from now on what it may see. */
  async lookAgain(businessId: number): Promise<void> {
    await this.access.lookAgain(this.connected.clients(businessId));
  }

  stats(): { sockets: number; businesses: number } {
    return { sockets: this.connected.clients().length, businesses: this.connected.size };
  }

  /** Disconnects everyone so that they come back to another process; the HTTP server is left to its owner. */
  close(): void {
    this.closing = true;
    clearInterval(this.sweepTimer);
    this.connected.silence();
    this.peers.close();
    for (const client of this.connected.clients()) client.drop();
    this.io.engine?.close();
  }

  /** Unlike `cors`, this also guards WebSocket. */
  private allow(request: IncomingMessage, answer: (error: string | null, allowed: boolean) => void): void {
    const isAllowed = isFromAllowedOrigin(request, this.settings);
    const hasRoom = !this.closing && this.io.engine.clientsCount < this.settings.maxClients;
    if (isAllowed && hasRoom && this.flood.allows(request)) answer(null, true);
    else setTimeout(() => answer(null, false), this.closing ? 0 : refusalMs);
  }

  /** Rejects with what the client is told in `connect_error`. */
  private async admit(socket: RealtimeSocket): Promise<void> {
    const admission = await this.access.admit(socket);
    if (this.isFull(admission.identity)) throw new Refused("crowd");
    socket.data = admission;
  }

  private welcome(socket: RealtimeSocket): void {
    const client = new Client(socket, {
      everything: this.settings.visibility.everything,
      roomyBytes: this.slow.roomyBytes,
      onCrowded: (slow, bytes, waitingBytes) => this.slow.weigh(slow, bytes, waitingBytes),
    });
    socket.on("disconnect", () => {
      this.presence?.leave(client);
      this.connected.remove(client);
      if (!this.connected.has(client.businessId)) this.presence?.abandon(client.businessId);
      socket.conn.close();
    });
    // Of several that connected at the same moment all were let in.
    if (this.isFull(client.identity)) {
      client.end("too_many_connections");
      return;
    }
    const feed = this.connected.add(client);
    this.presence?.welcome(client, socket);
    this.letIn(client, feed, socket.data).catch((error) => {
      this.warnings.warn({ err: error, businessId: client.businessId }, "A client could not join; it will come back");
      client.drop();
    });
  }

  private async letIn(client: Client, feed: BusinessFeed, admission: Admission): Promise<void> {
    // Between the look at its token and now it was in no list, and would have missed a recheck.
    if (this.access.hasChangedSince(admission)) await this.access.verify([client]);
    if (client.connected) await feed.join(client, admission.since);
  }

  private newFeed(businessId: number): BusinessFeed {
    return new BusinessFeed(businessId, {
      log: this.log,
      replayLimit: this.settings.replayLimit,
      tellLive: (event) => {
        const subject = this.telling.live(event);
        if (subject?.audience) this.presence?.moved(businessId, subject.id, subject.audience);
      },
      resyncLive: (number) => {
        this.telling.resync(businessId, number);
        this.presence?.forget();
      },
      past: (events, listener) => this.telling.past(businessId, events, listener),
      isPressed: () => this.slow.isPressed(businessId),
      onFailure: (error) => this.warnings.warn({ err: error, businessId }, "Missed events could not be read"),
    });
  }

  /** Its clients load again: what they have may be of a moment before it came to another database. */
  async resync(businessId: number): Promise<void> {
    await this.catchUp(businessId);
    const reached = this.connected.reached(businessId);
    if (reached !== undefined) this.telling.resync(businessId, reached);
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
    if (!client.connected || !client.see(view, changes)) return;
    this.connected.changeView(client, before);
    this.presence?.viewChanged(client);
    if (client.isLive) void this.reload(client);
  }

  /** The change of its view is an event, too: what the client names when it comes back is behind it. */
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
