import type { IncomingMessage } from "node:http";
import type { EventLog, LoggedEvent } from "../../kernel/events.ts";
import type { Authenticate } from "./access.ts";
import type { PeerSettings } from "./peers.ts";
import type { PresenceWords } from "./presence-words.ts";
import type { Visibility } from "./visibility.ts";

export interface RealtimeSettings extends PeerSettings {
  readonly log: EventLog;
  readonly authenticate: Authenticate;
  readonly authenticateKey: Authenticate;
  readonly visibility: Visibility;
  /** Without it, clients cannot send presence. */
  readonly presence?: PresenceWords;
  /** The event's own fields on the wire; null if sockets do not get it. */
  readonly translate: (event: LoggedEvent) => object | null;
  /** Further origins that may connect, such as `https://panel.example`. */
  readonly corsOrigins: readonly string[];
  /** Returns the host that the client called. The default is the Host header. */
  readonly hostOf?: (request: IncomingMessage) => string | undefined;
  /** Returns the client's address. The default is the address of the connection. */
  readonly addressOf?: (request: IncomingMessage) => string;
  /** The limit for this process. It includes long-polling and unauthenticated clients. */
  readonly maxClients?: number;
  readonly maxClientsPerAddress?: number;
  /** Per address. One handshake takes a tenth of a millisecond. */
  readonly handshakesPerSecond?: number;
  /** Milliseconds between two comparisons with the log. */
  readonly sweepMs?: number;
  /** A client that missed more events gets `resync`. */
  readonly replayLimit?: number;
  /** Per user or App Key, in this process. */
  readonly maxSocketsPerUser?: number;
  /** A client with more queued bytes is dropped, unless a single large packet is the cause. */
  readonly maxWaitingBytes?: number;
  /**
   * Called with 403 when an HTTP request that would open a connection is refused. Also called when a client is cut
   * off: with 101 if it uses a WebSocket, with 400 if it uses long polling.
   */
  readonly onRefusal?: (cause: string, status: number) => void;
}

export const defaults = {
  maxClients: 16_000,
  maxClientsPerAddress: 4_000,
  handshakesPerSecond: 500,
  sweepMs: 1_000,
  replayLimit: 5_000,
  maxSocketsPerUser: 50,
  maxWaitingBytes: 1024 * 1024,
  onRefusal: (_cause: string, _status: number): void => {},
};

export type WholeSettings = RealtimeSettings & typeof defaults;
