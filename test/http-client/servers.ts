import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { selfSigned } from "../../src/fixtures/https/certificate.ts";

/** The certificate that all TLS servers of the tests share. */
export const certificate = (): ReturnType<typeof selfSigned> => {
  made ??= selfSigned();
  return made;
};

let made: ReturnType<typeof selfSigned> | undefined;

/** A server with hand-written answers and counters. */
export interface RawServer {
  readonly port: number;
  readonly url: string;
  /** The number of connections since the start, including closed ones. */
  connections(): number;
  /** The number of request heads. */
  requests(): number;
  /** The number of received bytes, after decryption. */
  bytes(): number;
  close(): Promise<void>;
}

/** `onRequest` is called for each request head, with its number (from 1) and connection. */
export async function serveRaw(
  onRequest: (socket: Socket, request: number) => void,
  tls?: TlsOptions,
): Promise<RawServer> {
  let connections = 0;
  let requests = 0;
  let bytes = 0;
  const open = new Set<Socket>();
  const onConnection = (socket: Socket): void => {
    connections++;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      bytes += data.length;
      if (/^(GET|HEAD|POST) /.test(data.toString("latin1"))) onRequest(socket, ++requests);
    });
  };
  const server: Server = tls
    ? createTlsServer({ ...(await certificate()), ...tls }, onConnection)
    : createServer(onConnection);
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls ? "https" : "http"}://127.0.0.1:${port}/`,
    connections: () => connections,
    requests: () => requests,
    bytes: () => bytes,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

export const answer = (body: string, headers = ""): string =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** A port without a server. */
export async function freePort(): Promise<number> {
  const server = await serveRaw(() => {});
  await server.close();
  return server.port;
}
