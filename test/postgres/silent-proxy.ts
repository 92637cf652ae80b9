import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface SilentProxy {
  /** The database, by way of the proxy. */
  readonly url: string;
  /** From here on whatever the connections that are open send is swallowed, in both directions; new ones work. */
  fallSilent(): void;
  /** Nobody is there any more: what is open breaks, what is new is refused. */
  vanish(): void;
  /** Somebody is there again. */
  comeBack(): Promise<void>;
  close(): void;
}

/** A network in front of a database, which can be told to swallow everything. */
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
