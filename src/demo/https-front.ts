import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { selfSigned } from "../fixtures/https/certificate.ts";

export interface HttpsFront {
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves stored files over https, as a proxy would in production, because `media_url` must begin with https://.
 *
 * @param port - if it is taken, any free port is used
 * @param apiPort - the service's port on this machine
 */
export async function startHttpsFront(port: number, apiPort: number): Promise<HttpsFront> {
  const server = createServer(await selfSigned(), (req, res) => forward(req, res, apiPort));
  await listen(server, port).catch((error: { code?: string }) => {
    if (error.code !== "EADDRINUSE") throw error;
    return listen(server, 0);
  });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const listen = (server: Server, port: number) => once(server.listen(port, "127.0.0.1"), "listening");

function forward(req: IncomingMessage, res: ServerResponse, port: number): void {
  const { method, url: path, headers } = req;
  if (!/^(GET|HEAD)$/.test(method ?? "") || !path?.startsWith("/media/")) {
    res.writeHead(404).end();
    return;
  }
  const asked = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  asked.on("error", () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
  res.once("close", () => asked.destroy());
  asked.end();
}
