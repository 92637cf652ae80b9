import { once } from "node:events";
import {
  Agent,
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerOptions,
} from "node:http";
import type { AddressInfo } from "node:net";
import { closeServer, createServer, type Servable } from "../../src/infra/http/server.ts";

export interface Served {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly server: Server;
  close(): Promise<void>;
}

/** Serves an application or a handler on a free port. */
export async function serve(
  app: Servable | RequestListener,
  limits: ServerOptions = {},
  hooks?: Parameters<typeof createServer>[2],
): Promise<Served> {
  const server = typeof app === "function" ? createHttpServer(limits, app) : createServer(app, limits, hooks);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    const closed = closeServer(server, 1_000);
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${port}`, server, close };
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, as `application/json` unless `headers` has another type. */
  readonly rawBody?: string | Buffer;
  /** Sends the body in chunks, without Content-Length. */
  readonly chunked?: boolean;
  /** Without an agent, the request opens a connection and closes it afterwards. */
  readonly agent?: Agent;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The content type without its parameters. */
  readonly type: string;
  readonly text: string;
  /** The parsed text; throws if it is not JSON. */
  readonly json: ReturnType<typeof JSON.parse>;
}

/** Sends a request with any method and body. The path is not normalized. */
export function request(url: string, options: RequestOptions = {}): Promise<Answer> {
  const { method = "GET", headers = {}, body, chunked = false, agent } = options;
  const rawBody = options.rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
  const [, origin = "", path = ""] = /^(http:\/\/[^/?]+)(.*)$/.exec(url) ?? [];
  const { hostname, port } = new URL(origin);
  const own = {
    ...(rawBody !== undefined && { "content-type": "application/json" }),
    ...(rawBody !== undefined && !chunked && { "content-length": String(Buffer.byteLength(rawBody)) }),
    ...(rawBody !== undefined && chunked && { "transfer-encoding": "chunked" }),
  };
  return new Promise((resolve, reject) => {
    const req = httpRequest({
      method,
      hostname,
      port,
      path: path || "/",
      headers: { ...own, ...headers },
      agent: agent ?? new Agent({ keepAlive: false }),
    });
    req.on("error", reject);
    req.on("response", async (res) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of res) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers,
          type: (res.headers["content-type"] ?? "").split(";")[0] ?? "",
          text,
          get json() {
            return JSON.parse(text);
          },
        });
      } catch (error) {
        reject(error);
      }
    });
    req.end(rawBody);
  });
}
