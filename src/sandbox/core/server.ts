import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Fault, type Faults, spoilsAnswer } from "./faults.ts";
import { BadInput } from "./input.ts";
import { type Answer, type Call, type ControlRoute, type Platform, type PlatformRoute, Router } from "./route.ts";

export const controlPrefix = "/__sandbox";

const maxBodyBytes = 1_000_000;

/** Where an answer would stand: the request gets none and stays open, or its connection is reset. */
type Outcome = Answer | "hang" | "reset";

type OwnedRoute = PlatformRoute & { readonly platform: Platform };

export interface ServerParts {
  readonly platforms: readonly Platform[];
  readonly control: readonly ControlRoute[];
  readonly faults: Faults;
  readonly log: (line: string) => void;
}

/** Takes requests of all platforms and of the control side, and lets faults get in their way. */
export class SandboxServer {
  private readonly server: Server;
  private readonly platformRoutes: Router<OwnedRoute>;
  private readonly controlRoutes: Router<ControlRoute>;
  private readonly closing = new AbortController();

  constructor(private readonly parts: ServerParts) {
    // Any number of answers may be held back at once.
    setMaxListeners(0, this.closing.signal);
    this.platformRoutes = new Router(
      parts.platforms.flatMap((platform) => platform.routes.map((route) => Object.assign({ platform }, route))),
    );
    this.controlRoutes = new Router(parts.control);
    this.server = createServer((request, response) => void this.serve(request, response));
    // Longer than any client keeps an idle connection: a connection closed under a request looks like a fault.
    this.server.keepAliveTimeout = 120_000;
  }

  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(port, host, resolve);
    });
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
      const body = await readBody(request);
      const outcome = body === null ? tooLarge : await this.handle(request, body);
      if (outcome === "reset") request.socket.resetAndDestroy();
      else if (outcome !== "hang") write(response, outcome);
    } catch (error) {
      if (this.closing.signal.aborted || request.socket.destroyed) return;
      this.parts.log(`request failed: ${error instanceof Error ? (error.stack ?? error.message) : "?"}`);
      if (!response.headersSent) write(response, { status: 500, body: { error: "the sandbox failed; see its log" } });
    }
  }

  private handle(request: IncomingMessage, body: string): Outcome | Promise<Outcome> {
    const target = request.url ?? "/";
    const cut = target.indexOf("?");
    const path = cut === -1 ? target : target.slice(0, cut);
    const call = (values: Record<string, string>): Call => ({
      method: request.method ?? "GET",
      path: values,
      query: new URLSearchParams(cut === -1 ? "" : target.slice(cut + 1)),
      headers: request.headers,
      body,
      origin: `http://${request.headers.host ?? "localhost"}`,
    });

    if (path === controlPrefix || path.startsWith(`${controlPrefix}/`)) {
      const found = this.controlRoutes.find(request.method, path);
      if (found) return controlled(found.route, call(found.values));
      return { status: 404, body: { error: `no such control route; GET ${controlPrefix} lists them` } };
    }
    const found = this.platformRoutes.find(request.method, path);
    if (!found) return unknownPath(path);
    found.route.arrived?.();
    const fault = this.parts.faults.take(found.route.operation);
    return fault ? this.faulty(found.route, call(found.values), fault) : found.route.handle(call(found.values));
  }

  /** What the request does, it does at once; `delay_ms` holds back only the answer, as a slow platform would. */
  private async faulty(route: OwnedRoute, call: Call, fault: Fault): Promise<Outcome> {
    const takesEffect = fault.accept === true || !spoilsAnswer(fault);
    const answer = takesEffect ? await route.handle(call) : null;
    if (fault.delay_ms) await sleep(fault.delay_ms, undefined, { signal: this.closing.signal });
    if (fault.hang) return "hang";
    if (fault.reset) return "reset";
    if (spoilsAnswer(fault) || answer === null) return spoilt(route.platform, fault);
    return answer;
  }
}

function spoilt(platform: Platform, fault: Fault): Answer {
  const { code, garbage } = fault;
  const headers = fault.retry_after === undefined ? {} : { "retry-after": `${fault.retry_after}` };
  if (garbage) {
    const cutOff = '{"messages":[{"id":"wamid.';
    return { status: fault.status ?? 200, headers: { ...headers, "content-type": "application/json" }, body: cutOff };
  }
  if (code !== undefined) {
    const failure = platform.failure({ ...fault, code });
    return { ...failure, headers: { ...failure.headers, ...headers } };
  }
  const status = fault.status ?? 200;
  return { status, headers, body: `<html><h1>${status}</h1></html>` };
}

async function controlled(route: ControlRoute, call: Call): Promise<Answer> {
  try {
    return await route.handle(call);
  } catch (error) {
    if (error instanceof BadInput) return { status: 400, body: { error: error.message } };
    throw error;
  }
}

/** The JSON of a control request; no body at all stands for an empty object. */
export function controlInput(call: Call): unknown {
  if (call.body === "") return {};
  try {
    return JSON.parse(call.body);
  } catch {
    throw new BadInput("body must be JSON");
  }
}

const tooLarge: Answer = { status: 413, body: { error: `a body may have at most ${maxBodyBytes} bytes` } };

const unknownPath = (path: string): Answer => ({
  status: 400,
  body: { error: { message: `Unknown path components: ${path.slice(0, 200)}`, type: "OAuthException", code: 2500 } },
});

/** `null` when the body is larger than allowed; the rest of it is read and thrown away. */
function readBody(request: IncomingMessage): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
    });
    request.on("end", () => resolve(size > maxBodyBytes ? null : Buffer.concat(chunks).toString("utf8")));
    request.on("error", reject);
  });
}

function write(response: ServerResponse, { status, body, headers }: Answer): void {
  const isText = typeof body === "string";
  const payload = isText ? body : JSON.stringify(body);
  response.writeHead(status, {
    "content-type": isText ? "text/html; charset=utf-8" : "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(payload),
    ...headers,
  });
  response.end(payload);
}
