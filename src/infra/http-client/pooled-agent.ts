import type http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";

interface PoolSettings {
  readonly maxSockets: number;
  /** Milliseconds until an unused connection is closed. */
  readonly idleSocketMs: number;
  /** Milliseconds after which a connection is not reused, so that DNS is asked again. No limit unless given. */
  readonly keptSocketMs?: number;
}

/** Milliseconds by which a connection is closed earlier than the server announced. */
const headStartMs = 1_000;

/**
 * An agent that closes idle connections before the server does: a request on a connection that the server is closing
 * has an unknown outcome. For the same reason the agent obeys `Keep-Alive: timeout=n`, and reuses the connection that
 * was used last.
 */
export function pooled<Agent extends http.Agent>(
  Kind: new (options: https.AgentOptions) => Agent,
  settings: PoolSettings,
): Agent {
  const agent = new Kind({
    keepAlive: true,
    scheduling: "lifo",
    maxSockets: settings.maxSockets,
    maxFreeSockets: settings.maxSockets,
    // Node's default of 250 ms is too short for distant servers.
    autoSelectFamilyAttemptTimeout: 1_000,
  });
  // The agent calls `keepSocketAlive` each time a connection becomes free.
  return Object.assign(agent, {
    keepSocketAlive(socket: Socket): boolean {
      const announcedMs = announced.get(socket) ?? Number.POSITIVE_INFINITY;
      const idleMs = Math.min(settings.idleSocketMs, announcedMs - headStartMs);
      if (idleMs <= 0) return false;
      const now = performance.now();
      const since = keptSince.get(socket) ?? now;
      if (now - since > (settings.keptSocketMs ?? Number.POSITIVE_INFINITY)) return false;
      keptSince.set(socket, since);
      socket.setKeepAlive(true, 1_000);
      socket.unref();
      if (socket.timeout !== idleMs) socket.setTimeout(idleMs);
      return true;
    },
  });
}

/** Used only if a setting allows private addresses. Production refuses such settings. */
export class AnyCertificateAgent extends https.Agent {
  constructor(options: https.AgentOptions) {
    super({ ...options, rejectUnauthorized: false });
  }
}

/** When a connection became free for the first time. */
const keptSince = new WeakMap<Socket, number>();

/** Milliseconds for which the server said it keeps the connection. */
const announced = new WeakMap<Socket, number>();

/** Stores the `Keep-Alive: timeout=n` of an answer for its connection. */
export function noteKeepAlive(response: http.IncomingMessage): void {
  const header = response.headers["keep-alive"];
  const seconds = header && /(?:^|[\s,])timeout=(\d+)/i.exec(String(header))?.[1];
  if (seconds) announced.set(response.socket, Number(seconds) * 1_000);
}
