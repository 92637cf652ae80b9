import type http from "node:http";
import type https from "node:https";
import type { Socket } from "node:net";

export interface PoolSettings {
  /** Connections to one host. */
  readonly maxSockets: number;
  /** Milliseconds an unused connection is kept. */
  readonly idleSocketMs: number;
  /** Milliseconds after which one in use is left too, so that its name is looked up again. Default: never. */
  readonly keptSocketMs?: number;
}

/** How long before a server's announced limit we close first, so that no request meets a closing connection. */
const headStartMs = 1_000;

/**
 * An agent whose connections are left before the server leaves them. A request on a connection that the
 * server is just closing has an unknown fate, so such meetings must be rare: the connection used last goes
 * first, idle ones are dropped early, and a server's `Keep-Alive: timeout=n` is honoured with a head start.
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
    // Node's 250 ms gives up on an address that is merely far away.
    autoSelectFamilyAttemptTimeout: 1_000,
  });
  // Node asks this each time a connection becomes free.
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

/** When a connection was first free for another request. */
const keptSince = new WeakMap<Socket, number>();

/** Milliseconds that the server behind a connection said it keeps it unused. */
const announced = new WeakMap<Socket, number>();

/** Remembers the `Keep-Alive: timeout=n` of an answer for its connection. */
export function noteKeepAlive(response: http.IncomingMessage): void {
  const header = response.headers["keep-alive"];
  const seconds = header && /(?:^|[\s,])timeout=(\d+)/i.exec(String(header))?.[1];
  if (seconds) announced.set(response.socket, Number(seconds) * 1_000);
}
