import { once, setMaxListeners } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Router, type RouterMiddleware } from "@koa/router";
import Koa, { type Context, type Middleware } from "koa";
import getRawBody from "raw-body";
import { type Fault, type Faults, spoilsAnswer } from "./faults.ts";
import { BadInput } from "./input.ts";
import {
  type Answer,
  type Call,
  type ControlRoute,
  type Platform,
  type PlatformRoute,
  Refusal,
  type RequestHead,
  type Route,
  SpecialAnswer,
} from "./route.ts";

const controlPrefix = "/__sandbox";
const maxBodyBytes = 1_000_000;
/** The limit of the control side, which accepts customers' files as base64. */
const maxControlBytes = 150_000_000;

/** Serves the requests of all platforms and of the control side, and applies faults. */
export class SandboxServer {
  private readonly server: Server;
  private readonly closing = new AbortController();

  constructor(
    platforms: readonly Platform[],
    control: readonly ControlRoute[],
    private readonly faults: Faults,
    private readonly log: (line: string) => void,
  ) {
    // Turns off the warning about many listeners: each delayed answer listens to this signal.
    setMaxListeners(0, this.closing.signal);
    const routes = platforms.flatMap((platform) => platform.routes.map((route) => ({ platform, route })));
    const inOrder = [...routes.filter(({ route }) => route.serves), ...routes.filter(({ route }) => !route.serves)];
    const served = routerOf(inOrder.map(({ platform, route }) => [route, this.served(platform, route)]));
    const steered = routerOf(control.map((route) => [route, controlled(route)]));

    const app = new Koa();
    app.silent = true;
    app.use((ctx, next) => this.guarded(ctx, next));
    app.use((ctx, next) => (isControl(ctx.path) ? steered : served)(ctx, next));
    app.use(unknownPath);
    this.server = createServer(app.callback());
    this.server.on("upgrade", (request, socket, head) => {
      if (platforms.some((platform) => platform.upgrade?.(request, socket, head))) return;
      socket.on("error", () => {});
      socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", () => socket.destroy());
    });
    // Longer than clients keep idle connections. If the server closed a connection just as a request arrived, the
    // client would see an error.
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

  private async guarded(ctx: Context, next: () => Promise<unknown>): Promise<void> {
    try {
      await next();
    } catch (error) {
      const { type, limit } = error as Partial<getRawBody.RawBodyError>;
      if (this.closing.signal.aborted || ctx.req.socket.destroyed) {
        ctx.respond = false;
      } else if (type === "entity.too.large") {
        ctx.req.resume();
        write(ctx, { status: 413, body: { error: `a body may have at most ${limit} bytes` } });
      } else {
        this.log(`request failed: ${error instanceof Error ? (error.stack ?? error.message) : "?"}`);
        write(ctx, { status: 500, body: { error: "the sandbox failed; see its log" } });
      }
    }
  }

  private served(platform: Platform, route: PlatformRoute): Middleware {
    return async (ctx, next) => {
      const asked = headOf(ctx);
      if (route.serves?.(asked) === false) return next();
      const call = await callOf(ctx, asked, route.maxBodyBytes ?? maxBodyBytes);
      route.counter?.countRequest();
      const fault = this.faults.take(route.operation);
      if (fault) await this.faulty(ctx, platform, route, call, fault);
      else write(ctx, await answerOf(platform, route, call));
    };
  }

  /** `delay_ms` delays only the answer, as on a slow platform: the request takes effect before the delay, if at all. */
  private async faulty(ctx: Context, platform: Platform, route: PlatformRoute, call: Call, fault: Fault) {
    const isSpoilt = spoilsAnswer(fault);
    const answer = fault.accept || !isSpoilt ? await answerOf(platform, route, call) : null;
    if (fault.delay_ms) await sleep(fault.delay_ms, undefined, { signal: this.closing.signal });
    if (fault.hang || fault.reset) ctx.respond = false;
    else write(ctx, isSpoilt || answer === null ? spoilt(platform, fault) : answer);
    if (fault.reset && !fault.hang) ctx.req.socket.resetAndDestroy();
  }
}

function routerOf(routes: readonly (readonly [Route, Middleware])[]): Middleware {
  const router = new Router({ sensitive: true, strict: true });
  for (const [{ route }, middleware] of routes) {
    const [method = "", path = ""] = route.split(" ");
    router.register(path.replaceAll(/\{(\w+)\}/g, ":$1"), [method], middleware as RouterMiddleware);
  }
  return router.routes() as Middleware;
}

const isControl = (path: string): boolean => path === controlPrefix || path.startsWith(`${controlPrefix}/`);

const headOf = (ctx: Context): RequestHead => ({
  method: ctx.method,
  path: ctx.params,
  query: new URLSearchParams(ctx.querystring),
  headers: ctx.headers,
  origin: `http://${ctx.headers.host}`,
});

async function callOf(ctx: Context, asked: RequestHead, limit: number): Promise<Call> {
  const bytes = await getRawBody(ctx.req, { limit });
  return {
    ...asked,
    bytes,
    get body() {
      return bytes.toString("utf8");
    },
  };
}

async function answerOf(platform: Platform, route: PlatformRoute, call: Call): Promise<Answer> {
  const headers = route.headers?.(call) ?? {};
  try {
    const body = await route.handle(call);
    return body instanceof SpecialAnswer ? body : { status: route.status ?? 200, body, headers };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    route.counter?.countRefusal?.();
    return { ...platform.failure(error.failure), headers };
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

const controlled =
  (route: ControlRoute): Middleware =>
  async (ctx) => {
    try {
      const call = await callOf(ctx, headOf(ctx), maxControlBytes);
      write(ctx, { status: 200, body: await route.handle(inputOf(call), call) });
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      write(ctx, { status: 400, body: { error: error.message } });
    }
  };

function inputOf({ body }: Call): unknown {
  try {
    return body === "" ? {} : JSON.parse(body);
  } catch {
    throw new BadInput("body must be JSON");
  }
}

const unknownPath: Middleware = (ctx) => {
  const message = `Unknown path components: ${ctx.path.slice(0, 200)}`;
  if (isControl(ctx.path))
    write(ctx, { status: 404, body: { error: `no such control route; GET ${controlPrefix} lists them` } });
  else write(ctx, { status: 400, body: { error: { message, type: "OAuthException", code: 2500 } } });
};

function write(ctx: Context, { status, body, headers = {} }: Answer): void {
  ctx.status = status;
  ctx.body = body;
  if (typeof body === "string") ctx.type = "html";
  ctx.set(headers);
}
