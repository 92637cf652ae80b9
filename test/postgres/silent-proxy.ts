import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface SilentProxy {
  /** The database's URL through the proxy. */
  readonly url: string;
  /** Stops forwarding on the open connections, in both directions. New connections work. */
  fallSilent(): void;
  /** Breaks the open connections and refuses new ones. */
  vanish(): void;
  /** Accepts connections again. */
  comeBack(): Promise<void>;
  close(): void;
}

/** Starts a proxy for a database. The proxy can simulate failures of the network. */
export async function silentProxy(databaseUrl: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    const server = connect(Number(port), hostname);
    sockets.push(socket, server);
    socket.on("error", () => {}).pipe(server);
    server.on("error", () => {}).pipe(socket);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = new URL(databaseUrl);
  const { port: ownPort } = proxy.address() as AddressInfo;
  url.host = `127.0.0.1:${ownPort}`;
  const vanish = () => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    fallSilent: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    vanish,
    comeBack: async () => {
      proxy.listen(ownPort, "127.0.0.1");
      await once(proxy, "listening");
    },
    close: vanish,
  };
}
