import { once, setMaxListeners } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import getRawBody from "raw-body";
import { type Fault, type Faults, spoilsAnswer } from "./faults.ts";
import { BadInput } from "./input.ts";
import {
  type Answer,
  type Asked,
  type Call,
  type ControlRoute,
  type Platform,
  type PlatformRoute,
  Refusal,
  Router,
  SpecialAnswer,
} from "./route.ts";

const controlPrefix = "/__sandbox";
const maxBodyBytes = 1_000_000;
/** The limit of the control side, which takes files of customers as base64. */
const maxControlBytes = 150_000_000;

/** Where an answer would stand: the request gets none and stays open, or its connection is reset. */
type Outcome = Answer | "hang" | "reset";

/** What becomes of a request once its body is read. */
interface Served {
  readonly maxBodyBytes: number;
  outcome(bytes: Buffer): Outcome | Promise<Outcome>;
}

type OwnedRoute = PlatformRoute & { readonly platform: Platform };

/**
 * Takes requests of all platforms and of the control side, and lets faults get in their way. It stands on node:http
 * because benchmarks send to it at full speed: Koa and its router cost as much again as all the rest of a request.
 */
export class SandboxServer {
  private readonly server: Server;
  private readonly platformRoutes: Router<OwnedRoute>;
  private readonly controlRoutes: Router<ControlRoute>;
  private readonly closing = new AbortController();

  constructor(
    platforms: readonly Platform[],
    control: readonly ControlRoute[],
    private readonly faults: Faults,
    private readonly log: (line: string) => void,
  ) {
    // Any number of answers may be held back at once.
    setMaxListeners(0, this.closing.signal);
    this.platformRoutes = new Router(
      platforms.flatMap((platform) => platform.routes.map((route) => ({ ...route, platform }))),
    );
    this.controlRoutes = new Router(control);
    this.server = createServer((request, response) => void this.serve(request, response));
    this.server.on("upgrade", (request, socket, head) => {
      if (platforms.some((platform) => platform.upgrade?.(request, socket, head))) return;
      socket.on("error", () => {});
      socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", () => socket.destroy());
    });
    // Longer than any client keeps an idle connection: a connection closed under a request looks like a fault.
    this.server.keepAliveTimeout = 120_000;
  }

  async listen(port: number, host: string): Promise<number> {
    this.server.listen(port, host);
    await once(this.server, "listening");
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await new Promise((resolve) => {
      this.server.close(resolve);
      this.server.closeAllConnections();
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const served = this.servedBy(request);
      const outcome = await served.outcome(await getRawBody(request, { limit: served.maxBodyBytes }));
      if (outcome === "reset") request.socket.resetAndDestroy();
      else if (outcome !== "hang") write(response, outcome);
    } catch (error) {
      if (this.closing.signal.aborted || request.socket.destroyed) return;
      const { type, limit } = error as Partial<getRawBody.RawBodyError>;
      if (type === "entity.too.large") {
        request.resume();
        return write(response, { status: 413, body: { error: `a body may have at most ${limit} bytes` } });
      }
      this.log(`request failed: ${error instanceof Error ? (error.stack ?? error.message) : "?"}`);
      if (!response.headersSent) write(response, { status: 500, body: { error: "the sandbox failed; see its log" } });
    }
  }

  private servedBy({ method = "GET", url = "/", headers }: IncomingMessage): Served {
    const cut = url.indexOf("?");
    const path = cut === -1 ? url : url.slice(0, cut);
    const asked = { method, query: new URLSearchParams(cut === -1 ? "" : url.slice(cut + 1)), headers };

    if (path === controlPrefix || path.startsWith(`${controlPrefix}/`)) {
      const control = this.controlRoutes.find(path, asked);
      if (!control) return { maxBodyBytes, outcome: () => unknownControl };
      const { found, values } = control;
      return {
        maxBodyBytes: maxControlBytes,
        outcome: (bytes) => controlled(found, new ReceivedCall(asked, values, bytes)),
      };
    }
    const platform = this.platformRoutes.find(path, asked);
    if (!platform) return { maxBodyBytes, outcome: () => unknownPath(path) };
    const { found: route, values } = platform;
    return {
      maxBodyBytes: route.maxBodyBytes ?? maxBodyBytes,
      outcome: (bytes) => this.outcomeOf(route, new ReceivedCall(asked, values, bytes)),
    };
  }

  private outcomeOf(route: OwnedRoute, call: Call): Outcome | Promise<Outcome> {
    route.counter?.countRequest();
    const fault = this.faults.take(route.operation);
    return fault ? this.faulty(route, call, fault) : answerOf(route, call);
  }

  /** What the request does, it does at once; `delay_ms` holds back only the answer, as a slow platform would. */
  private async faulty(route: OwnedRoute, call: Call, fault: Fault): Promise<Outcome> {
    const isSpoilt = spoilsAnswer(fault);
    const answer = fault.accept || !isSpoilt ? await answerOf(route, call) : null;
    if (fault.delay_ms) await sleep(fault.delay_ms, undefined, { signal: this.closing.signal });
    if (fault.hang) return "hang";
    if (fault.reset) return "reset";
    return isSpoilt || answer === null ? spoilt(route.platform, fault) : answer;
  }
}

class ReceivedCall implements Call {
  readonly method: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;

  constructor(
    { method, query, headers }: Asked,
    readonly path: Readonly<Record<string, string>>,
    readonly bytes: Buffer,
  ) {
    this.method = method;
    this.query = query;
    this.headers = headers;
  }

  get body(): string {
    return this.bytes.toString("utf8");
  }

  get origin(): string {
    return `http://${this.headers.host ?? "localhost"}`;
  }
}

/** It makes no promise where the route makes none: one for each request would slow benchmarks down. */
function answerOf(route: OwnedRoute, call: Call): Answer | Promise<Answer> {
  const headers = route.headers?.(call) ?? {};
  const good = (body: object): Answer =>
    body instanceof SpecialAnswer ? body : { status: route.status ?? 200, body, headers };
  const bad = (error: unknown): Answer => {
    if (!(error instanceof Refusal)) throw error;
    route.counter?.countRefusal();
    return { ...route.platform.failure(error.failure), headers };
  };
  try {
    const body = route.handle(call);
    return body instanceof Promise ? body.then(good, bad) : good(body);
  } catch (error) {
    return bad(error);
  }
}

function spoilt(platform: Platform, fault: Fault): Answer {
  const { code, status = 200, garbage } = fault;
  const headers = fault.retry_after === undefined ? {} : { "retry-after": `${fault.retry_after}` };
  if (garbage) {
    const cutOff = '{"messages":[{"id":"wamid.';
    return { status, headers: { ...headers, "content-type": "application/json" }, body: cutOff };
  }
  if (code !== undefined) return { ...platform.failure({ ...fault, code }), headers };
  return { status, headers, body: `<html><h1>${status}</h1></html>` };
}

async function controlled(route: ControlRoute, call: Call): Promise<Answer> {
  try {
    return { status: 200, body: await route.handle(inputOf(call), call) };
  } catch (error) {
    if (error instanceof BadInput) return { status: 400, body: { error: error.message } };
    throw error;
  }
}

function inputOf({ body }: Call): unknown {
  try {
    return body === "" ? {} : JSON.parse(body);
  } catch {
    throw new BadInput("body must be JSON");
  }
}

const unknownControl: Answer = {
  status: 404,
  body: { error: `no such control route; GET ${controlPrefix} lists them` },
};

const unknownPath = (path: string): Answer => ({
  status: 400,
  body: { error: { message: `Unknown path components: ${path.slice(0, 200)}`, type: "OAuthException", code: 2500 } },
});

function write(response: ServerResponse, { status, body, headers }: Answer): void {
  const [type, payload] = encoded(body);
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(payload), ...headers });
  response.end(payload);
}

function encoded(body: unknown): [type: string, payload: string | Buffer] {
  if (typeof body === "string") return ["text/html; charset=utf-8", body];
  if (Buffer.isBuffer(body)) return ["application/octet-stream", body];
  return ["application/json; charset=utf-8", JSON.stringify(body)];
}
