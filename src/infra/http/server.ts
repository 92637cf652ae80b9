import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import {
  type AddressInfo,
  createServer as createNetServer,
  type ListenOptions,
  type Server as NetServer,
  type Socket,
} from "node:net";
import { networkOf } from "./addresses.ts";
import { Slices } from "./slices.ts";

/** What can be served: a Koa application, whose callback returns a promise that resolves when its handler has ended. */
export interface Servable {
  callback(): (...request: Parameters<RequestListener>) => unknown;
}

/** How long a client may take, in ms, and how much its headers may hold, in bytes. */
export const serverLimits = {
  /** For the headers of a request. */
  headersTimeout: 10_000,
  /** For the whole request, a file that is uploaded included; other bodies have less (`bodyMs`). */
  requestTimeout: 600_000,
  /** Longer than a load balancer keeps its own end open, so that it never meets a connection just closed. */
  keepAliveTimeout: 65_000,
  /** Those that are too slow are ended a few at a time, not thousands at once. */
  connectionsCheckingInterval: 100,
  maxHeaderSize: 16_384,
} as const satisfies ServerOptions;

/**
 * Connections that wait to be accepted; the system's own limit (`net.core.somaxconn`) may be lower. Those beyond are tried
 * again by their clients after one, three and seven seconds, so Node's 511 makes a crowd's neighbours wait that long.
 */
const backlog = 8_192;

/**
 * Requests of one connection that may be under way: bounds that count connections, and the pause before a refusal, rely on
 * it. One that has its answer may still count when the next one arrives. Browsers and `fetch` never send ahead.
 */
const mostPipelined = 2;

/** Milliseconds in which nothing was sent or taken: Node ends no connection by itself whose client reads nothing. */
const silenceMs = 120_000;

export interface Hooks {
  /** Answers a request itself, or leaves it to the application. */
  readonly isAnswered?: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** The business of a request whose credentials the process remembers. Many requests that come at once wait for their turns. */
  readonly businessOf?: (req: IncomingMessage) => number | undefined;
  readonly onRefusal?: (reason: string, status: number) => void;
}

/** An HTTP server with limits against slow clients, which `closeServer` stops without losing a request. */
export function createServer(
  app: Servable,
  limits: ServerOptions = {},
  { isAnswered = () => false, businessOf = () => undefined, onRefusal = () => {} }: Hooks = {},
): Server {
  const handle = app.callback();
  const server = createHttpServer({ ...serverLimits, ...limits }, (req, res) => {
    if (!hasOneHost(req)) return refuseHosts(res);
    const waiting = (underWay.get(req.socket) ?? 0) + 1;
    underWay.set(req.socket, waiting);
    if (waiting > mostPipelined) {
      onRefusal("pipelined", 429);
      // One refusal ends the connection: those behind it get no answer.
      return waiting === mostPipelined + 1 ? refusePipelined(req.socket, res) : undefined;
    }
    res.once("close", () => {
      underWay.set(req.socket, (underWay.get(req.socket) ?? 1) - 1);
      // A connection whose last request outlived the listening would otherwise stay until its keep-alive ends.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    if (isAnswered(req, res)) return;
    const begin = () => {
      // Its client left while it waited: it would wait for a body that never ends.
      if (req.socket.destroyed) return;
      if (!server.listening || lettingGo.has(server)) res.setHeader("Connection", "close");
      const ended = Promise.resolve(handle(req, res)).finally(() => running.delete(ended));
      running.add(ended);
    };
    const businessId = businessOf(req);
    if (businessId === undefined) ofStrangers.run(networkOf(req.socket.remoteAddress ?? ""), begin);
    else ofBusinesses.run(businessId, begin);
  });
  // Apart, so that no crowd of addresses stands between a business and its turn.
  const ofStrangers = new Slices<string>();
  const ofBusinesses = new Slices<number>();
  server.timeout = silenceMs;
  const underWay = new WeakMap<Socket, number>();
  const running = new Set<Promise<unknown>>();
  handlers.set(server, running);
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  connections.set(server, open);
  unasked.set(server, () => [...open].filter((socket) => socket.bytesRead === 0));
  return server;
}

export interface ConnectionLimits {
  readonly connections: number;
  /** A balancer is one address: at least 1,000. */
  readonly connectionsPerAddress: number;
}

/**
 * Closes connections beyond the limits, in all or of one address, as soon as they are accepted. They get a 429 or a 503
 * before they have asked for anything.
 */
export function refuseTooMany(
  server: Server,
  limits: ConnectionLimits,
  onRefusal: (reason: string, status: number) => void,
): void {
  const byAddress = new Map<string, number>();
  let open = 0;
  server.prependListener("connection", (socket) => {
    const address = networkOf(socket.remoteAddress ?? "");
    const ofAddress = byAddress.get(address) ?? 0;
    const isOwnDoing = ofAddress >= limits.connectionsPerAddress;
    if (isOwnDoing || open >= limits.connections) {
      const [status, text] = isOwnDoing ? [429, "Too Many Requests"] : [503, "Service Unavailable"];
      onRefusal("connections", Number(status));
      socket.on("error", () => {});
      socket.end(`HTTP/1.1 ${status} ${text}\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      socket.destroySoon();
      return;
    }
    open += 1;
    byAddress.set(address, ofAddress + 1);
    socket.once("close", () => {
      open -= 1;
      const left = (byAddress.get(address) ?? 1) - 1;
      if (left > 0) byAddress.set(address, left);
      else byAddress.delete(address);
    });
  });
}

/** Comes after the answers of the requests before it, and ends the connection. */
function refusePipelined(socket: Socket, res: ServerResponse): void {
  const { stackTraceLimit } = Error;
  // Node makes an error, with where it was made, for each request that a closed connection leaves without an answer.
  socket.prependOnceListener("close", () => {
    Error.stackTraceLimit = 0;
  });
  socket.once("close", () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  res.writeHead(429, { "Retry-After": "1", "Content-Length": 0, Connection: "close" }).end();
}

/** RFC 9112, 3.2: of several hosts, a proxy before us may have read another one than we do. Node refuses none at all. */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts < 2;
}

function refuseHosts(res: ServerResponse): void {
  const body = JSON.stringify({ message: "There must be one Host header" });
  const headers = { "Content-Type": "application/json; charset=utf-8", "Content-Length": body.length };
  res.writeHead(400, { ...headers, Connection: "close" }).end(body);
}

/** The connections of each server that have not sent a byte yet, as balancers open them ahead. Node ends them late. */
const unasked = new WeakMap<Server, () => readonly Socket[]>();

/** The open connections of each server; those taken over by a WebSocket are known to nobody else. */
const connections = new WeakMap<Server, ReadonlySet<Socket>>();

/** The handlers of each server that have not ended, whether or not their clients are still there. */
const handlers = new WeakMap<Server, ReadonlySet<Promise<unknown>>>();

/** Resolves once every handler has ended, those as well whose connection is gone: only then may go what they use. */
export async function handlersEnded(server: Server): Promise<void> {
  for (let running = handlers.get(server); running && running.size > 0; ) await Promise.allSettled(running);
}

/**
 * Sockets that accept connections for one server. libuv accepts one connection of each in a turn of the event loop, and
 * in a busy process, whose turns take 50 ms, new clients would wait for seconds. Several need `SO_REUSEPORT` (libuv 1.49,
 * Node.js 22.12).
 */
const acceptors = Number(process.versions.uv.split(".")[1]) >= 49 && process.platform === "linux" ? 8 : 1;

/** Resolves once connections are accepted; rejects when the port is taken. @returns the port, for 0 the one found */
export async function listen(server: Server, port: number, host?: string): Promise<number> {
  const where = { ...(host !== undefined && { host }), backlog };
  if (acceptors === 1) return await listenAt(server, { ...where, port });
  // Only a socket that shares no port finds out that another process has it.
  const alone = createNetServer();
  const found = await listenAt(alone, { ...where, port });
  await new Promise((resolve) => alone.close(resolve));
  const shared = { ...where, port: found, reusePort: true };
  await listenAt(server, shared);
  const others = Array.from({ length: acceptors - 1 }, () =>
    createNetServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket)),
  );
  await Promise.all(others.map((other) => listenAt(other, shared)));
  const close = server.close;
  // A socket belongs to the acceptor that it came by: each knows only when its own are gone.
  server.close = (callback) => {
    const closed = Promise.all(others.map((other) => new Promise((resolve) => other.close(resolve))));
    return close.call(server, (error) => void closed.then(() => callback?.(error)));
  };
  return found;
}

function listenAt(server: NetServer, options: ListenOptions & { readonly reusePort?: boolean }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

const lettingGo = new WeakSet<Server>();

/** Ends each connection after its next answer, so that clients ask another process before this one takes nothing new. */
export const letGo = (server: Server): void => void lettingGo.add(server);

/**
 * Accepts nothing new, closes idle connections and waits for the requests in flight.
 *
 * @param graceMs - how long they may take before their connections are cut off
 * @returns whether all of them were answered
 */
export async function closeServer(server: Server, graceMs: number): Promise<boolean> {
  let answered = true;
  const cutOff = setTimeout(() => {
    answered = false;
    for (const socket of connections.get(server) ?? []) socket.destroy();
  }, graceMs);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of unasked.get(server)?.() ?? []) socket.destroy();
  await closed;
  clearTimeout(cutOff);
  return answered;
}
