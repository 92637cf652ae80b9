import type { IncomingMessage } from "node:http";
import type { EventLog, LoggedEvent } from "../../kernel/events.ts";
import type { Log } from "../../kernel/log.ts";
import type { Authenticate } from "./access.ts";
import type { PeerSettings } from "./peers.ts";
import type { PresenceWords } from "./presence.ts";
import type { Visibility } from "./visibility.ts";

export interface RealtimeSettings extends PeerSettings {
  readonly log: EventLog;
  readonly authenticate: Authenticate;
  /** The same for App Keys. */
  readonly authenticateKey: Authenticate;
  readonly visibility: Visibility;
  /** Without it clients cannot tell each other what they work on. */
  readonly presence?: PresenceWords;
  /** The event's own fields on the wire; `empresa_id`, `at` and `seq` are added. Null: not for sockets. */
  readonly translate: (event: LoggedEvent) => object | null;
  /**
   * Origins (`https://panel.example`) whose pages may connect, besides those of the host that was called. Programs that
   * send no Origin always may.
   */
  readonly corsOrigins: readonly string[];
  /** The host that the client called; the Host header unless given. */
  readonly hostOf?: (request: IncomingMessage) => string | undefined;
  readonly logger: Log;
  /** Whose handshake it is; the other end of the connection unless given. */
  readonly addressOf?: (request: IncomingMessage) => string;
  /** In this process, those that have not said who they are among them; a long poll is one without a connection. */
  readonly maxClients?: number;
  readonly maxClientsPerAddress?: number;
  /** Milliseconds after which an event that nobody told of is found in the log. */
  readonly sweepMs?: number;
  /** A client that is further behind is told to load anew. */
  readonly replayLimit?: number;
  /** In this process. */
  readonly maxSocketsPerUser?: number;
  /** A client for which more than this waits is dropped at once. */
  readonly maxWaitingBytes?: number;
}

export const defaults = {
  maxClients: 16_000,
  maxClientsPerAddress: 4_000,
  sweepMs: 1_000,
  replayLimit: 5_000,
  maxSocketsPerUser: 50,
  maxWaitingBytes: 1024 * 1024,
};

export type WholeSettings = RealtimeSettings & typeof defaults;
