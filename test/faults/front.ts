import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy with a fixed address in front of a service that restarts, like a load balancer. */
export interface Front {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Forwards connections to this service, including those on hold. */
  forwardTo(url: string): void;
  /** Holds new connections until the next `forwardTo`. */
  hold(): void;
  close(): Promise<void>;
}

/** Opens a proxy. It closes a connection when the service ends or does not run. Connections on hold stay open. */
export async function openFront(): Promise<Front> {
  const open = new Set<Socket>();
  let waiting: Socket[] = [];
  let port: number | null = 0;
  const passOn = (client: Socket, port: number) => {
    const service = connect(port, "127.0.0.1");
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      open.add(socket);
      // Each error is followed by `close`, whose handler closes the other side.
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  };
  const server = createServer((client) => {
    if (port === null) waiting.push(client);
    else passOn(client, port);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo: (url) => {
      port = Number(new URL(url).port);
      for (const client of waiting) passOn(client, port);
      waiting = [];
    },
    hold: () => {
      port = null;
    },
    close: async () => {
      server.close();
      for (const socket of [...open, ...waiting]) socket.destroy();
      await once(server, "close");
    },
  };
}
