import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { refusalDelayMs } from "../../kernel/refusal-delay.ts";
import { networkOf } from "./addresses.ts";
import { type CountedMessage, countedMessages } from "./counted-message.ts";
import { refuseNextRequest, stopParser, watchHeaders } from "./node-parser.ts";
import { Slices } from "./slices.ts";

/** A Koa application. `callback` returns a function whose promise resolves when the handler of a request has ended. */
export interface Servable {
  callback(): (...request: Parameters<RequestListener>) => unknown;
}

/** Times in milliseconds; `maxHeaderSize` in bytes. */
export const serverLimits = {
  headersTimeout: 10_000,
  /** Includes file uploads. Other bodies have less time (`bodyMs`). */
  requestTimeout: 600_000,
  /** Longer than load balancers keep idle connections, so that no balancer uses a connection that is being closed. */
  keepAliveTimeout: 65_000,
  /** The checks are frequent, so that one check does not close thousands of slow connections. */
  connectionsCheckingInterval: 100,
  maxHeaderSize: 16_384,
  /** `hasOneHost` checks the header. */
  requireHostHeader: false,
} as const satisfies ServerOptions;

/**
 * Connections that may wait to be accepted, if `net.core.somaxconn` allows so many. Further clients retry only after
 * one, three and seven seconds, so Node's default of 511 is too small for a rush.
 */
export const backlog = 8_192;

/**
 * Requests in progress per connection. The limits on connections and the delays of refusals rely on this limit. It is
 * two, since an answered request may still be counted when the next one arrives. Browsers and `fetch` do not pipeline.
 */
const mostPipelined = 2;

/** Milliseconds without traffic until a connection closes. By default, Node waits for clients that stop reading. */
const silenceMs = 120_000;

/** Headers of a request. Apache has the same limit; browsers behind several proxies send forty. */
const mostHeaders = 100;
const tooManyHeaders = `At most ${mostHeaders} headers are allowed`;
const tooSmall = "The chunks of the body are too small";

interface Hooks {
  /** Called when a request would begin. Returns true if it answered the request itself. */
  readonly isAnswered?: (req: IncomingMessage, res: ServerResponse, businessId: number | undefined) => boolean;
  /** The business of the request's credential if that is cached. The function must not ask a store. */
  readonly businessOf?: (req: IncomingMessage) => number | undefined;
  readonly onRefusal?: (reason: string, status: number) => void;
  /**
   * The mean time in milliseconds from the cut-off of a connection, when reading stops, to its close. The time must not
   * be short, since the client reconnects after the close.
   */
  readonly cutOffMs?: number;
}

/** An HTTP server with limits against slow clients; `closeServer` stops it gracefully. */
export function createServer(
  app: Servable,
  limits: ServerOptions = {},
  { isAnswered = () => false, businessOf = () => undefined, onRefusal = () => {}, cutOffMs = 7_000 }: Hooks = {},
): Server {
  const handle = app.callback();
  const cutOffMessage = ({ socket, answer }: CountedMessage) => {
    onRefusal("chunks", 429);
    // The text goes directly to the socket, because `answer` belongs to the handler. If `answer` were used here, Node
    // would not tell the handler that the request broke off, and the handler's own answer would throw.
    // `answer.socket` is set only while this answer is the connection's current one.
    const isOpen = () => answer?.socket === socket && !answer.headersSent;
    // A handler that waits for the body ends when the connection is closed.
    cutOff(socket, refusalDelayMs(cutOffMs), () => (isOpen() ? rawAnswer(429, tooSmall, "Retry-After: 5\r\n") : ""));
  };
  const options = { ...serverLimits, ...limits, IncomingMessage: countedMessages(cutOffMessage, businessOf) };
  const server = createHttpServer(options, (req, res) => receive(req, res, true));
  // Without this listener, Node itself would answer requests with an unknown Expect header, and `underWay` would not
  // count them. `requireHostHeader` is false for the same reason.
  server.on("checkExpectation", (req: CountedMessage, res: ServerResponse) => receive(req, res, false));
  const receive = (req: CountedMessage, res: ServerResponse, isExpectationKnown: boolean) => {
    req.answer = res;
    const waiting = (underWay.get(req.socket) ?? 0) + 1;
    underWay.set(req.socket, waiting);
    if (waiting > mostPipelined) {
      onRefusal("pipelined", 429);
      // Only the first excess request gets an answer, which closes the connection.
      return waiting === mostPipelined + 1 ? refusePipelined(server, req.socket, res) : undefined;
    }
    res.once("close", () => {
      underWay.set(req.socket, (underWay.get(req.socket) ?? 1) - 1);
      // Otherwise a keep-alive connection would stay open after the server stopped listening.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    if (!hasOneHost(req)) return refuseHosts(res);
    if (!isExpectationKnown) return refuse(res, 417, "The expectation is not known");
    const businessId = businessOf(req);
    const begin = () => {
      // If the client left or was cut off while the request waited, reading the body would never end.
      if (req.socket.destroyed || req.isCutOff) return;
      // This check is made only now, since earlier requests of this turn may have filled the queues.
      if (isAnswered(req, res, businessId)) return;
      if (!server.listening || state.closesSoon) res.setHeader("Connection", "close");
      const ended = Promise.resolve(handle(req, res)).finally(() => state.running.delete(ended));
      state.running.add(ended);
    };
    if (businessId === undefined) ofStrangers.run(networkOf(req.socket.remoteAddress ?? ""), begin);
    else ofBusinesses.run(businessId, begin);
  };
  // Strangers and businesses wait separately, so that many unknown addresses do not delay businesses.
  const ofStrangers = new Slices<string>();
  const ofBusinesses = new Slices<number>();
  server.timeout = silenceMs;
  // `watchHeaders` limits the headers. With a limit here, newer versions of Node would refuse requests on their own,
  // and the service could not count the refusals.
  server.maxHeadersCount = 0;
  const underWay = new WeakMap<Socket, number>();
  const state = stateOf(server);
  server.on("connection", (socket) => {
    state.open.add(socket);
    socket.once("close", () => state.open.delete(socket));
    watchHeaders(socket, mostHeaders, () => {
      onRefusal("headers", 431);
      cutOff(socket, refusalDelayMs(), () => (underWay.get(socket) ? "" : rawAnswer(431, tooManyHeaders)));
    });
  });
  return server;
}

interface State {
  /** All open connections, including WebSockets, which Node no longer tracks. */
  readonly open: Set<Socket>;
  /** Running handlers, including those whose clients have left. */
  readonly running: Set<Promise<unknown>>;
  closesSoon: boolean;
}

const states = new WeakMap<Server, State>();

function stateOf(server: Server): State {
  const state = states.get(server) ?? { open: new Set(), running: new Set(), closesSoon: false };
  states.set(server, state);
  return state;
}

interface ConnectionLimits {
  readonly connections: number;
  /** At least 1,000, since all clients behind a load balancer share its address. */
  readonly connectionsPerAddress: number;
}

/** Refuses connections beyond the limits with 429 or 503 as soon as they are accepted. */
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

/**
 * Sends 429 after the earlier answers, then closes the connection. Later requests of the connection are not parsed: a
 * read of 64 kB can hold more than a thousand requests, and hundreds of connections may send that much at once.
 */
function refusePipelined(server: Server, socket: Socket, res: ServerResponse): void {
  res.writeHead(429, { "Retry-After": "1", "Content-Length": 0, Connection: "close" }).end();
  refuseNextRequest(server, socket);
}

/** Stops reading the connection and closes it after `delayMs`. Just before, sends the answer of `lastWords`, if any. */
function cutOff(socket: Socket, delayMs: number, lastWords: () => string): void {
  stopParser(socket);
  socket.pause();
  const close = () => {
    const answer = lastWords();
    if (answer) socket.end(answer);
    socket.destroySoon();
  };
  setTimeout(close, delayMs).unref();
}

/** An answer as text for the socket, sent without a `ServerResponse`. */
function rawAnswer(status: number, message: string, more = ""): string {
  const body = JSON.stringify({ message });
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n${more}` +
    `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
  );
}

/**
 * RFC 9112, 3.2. If there are several Host headers, a proxy may use a different one than this service does.
 * A request of HTTP/1.0 needs no Host header.
 */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0");
}

const refuseHosts = (res: ServerResponse): void => refuse(res, 400, "There must be one Host header");

function refuse(res: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ message });
  const headers = { "Content-Type": "application/json; charset=utf-8", "Content-Length": body.length };
  res.writeHead(status, { ...headers, Connection: "close" }).end(body);
}

/** Resolves when every handler has ended. Only then may resources that handlers use be closed. */
export async function handlersEnded(server: Server): Promise<void> {
  const { running } = stateOf(server);
  while (running.size > 0) await Promise.allSettled(running);
}

/** Rejects if the port is taken. @returns the port; if `port` is 0, the system chooses one */
export function listen(server: Server, port: number, host?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, ...(host !== undefined && { host }), backlog }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Closes each connection after its next answer, so that clients move to another process before this one stops. */
export function closeAfterNextAnswers(server: Server): void {
  stateOf(server).closesSoon = true;
}

/**
 * Stops listening, closes idle connections and waits for running requests.
 *
 * @param graceMs - milliseconds after which the remaining connections are destroyed
 * @returns whether all requests were answered
 */
export async function closeServer(server: Server, graceMs: number): Promise<boolean> {
  const { open } = stateOf(server);
  let answered = true;
  const cutOff = setTimeout(() => {
    answered = false;
    for (const socket of open) socket.destroy();
  }, graceMs);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Balancers open connections in advance. Closing would wait for an unused one, since Node does not count it as idle.
  for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  await closed;
  clearTimeout(cutOff);
  return answered;
}
