import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Socket } from "socket.io-client";
import { type Flood, type FloodName, floods, frameOf, upgradeHeaders, upgradePath } from "../support/floods.ts";
import type { Attack, Tally } from "./attack.ts";
import { offer } from "./offer.ts";
import { bytesOf, type RequestSpec, type Target, Wire } from "./wire.ts";

/** The pause after a refused or broken connection, to save CPU. */
const reconnectMs = 100;

const counted = <Item>(count: number, make: (n: number) => Item): Item[] =>
  Array.from({ length: count }, (_, n) => make(n));

const pause = (ms: number, signal: AbortSignal): Promise<unknown> => sleep(ms, undefined, { signal }).catch(() => {});

const aborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted ? Promise.resolve() : once(signal, "abort").catch(() => {});

/** Makes `variants` copies of the request. In each copy, `{n}` is replaced by a different number. */
const variantsOf = (spec: RequestSpec, variants: number): Buffer[] => {
  const text = JSON.stringify(spec);
  return counted(variants, (n) => bytesOf(JSON.parse(text.replaceAll("{n}", String(n)))));
};

export interface Hammering {
  readonly connections: number;
  /** The connections take the requests in turn. Each connection waits for an answer before its next request. */
  readonly requests: readonly RequestSpec[];
  readonly variants?: number;
  /** The maximum number of requests of all connections together. */
  readonly most?: number;
  readonly hangUpAfterMs?: number;
  /** The attacker's address. */
  readonly from?: string;
}

const hammer = (settings: Hammering): Attack => {
  const { connections, requests, variants = 1, most = Number.POSITIVE_INFINITY, hangUpAfterMs, from } = settings;
  const buffers = requests.flatMap((request) => variantsOf(request, variants));
  return async (target, signal, tally) => {
    let begun = 0;
    const one = async () => {
      const wire = new Wire(target, from);
      signal.addEventListener("abort", () => wire.close());
      while (!signal.aborted && begun < most) {
        const next = buffers[begun % buffers.length] as Buffer;
        begun += 1;
        const outcome = await wire.ask(next, hangUpAfterMs);
        if (signal.aborted) break;
        tally.add(outcome);
        if (typeof outcome.status === "string") await pause(reconnectMs, signal);
      }
      wire.close();
      tally.bytesSent += wire.bytesSent;
    };
    await Promise.all(counted(connections, one));
  };
};

export interface Holding {
  readonly connections: number;
  /** The first part of a request. */
  readonly beginning: RequestSpec;
  /** Text that is sent again and again after the first part. */
  readonly drip?: { readonly text: string; readonly everyMs: number };
}

/** Records the largest number of open connections. */
function watchOpen(wires: readonly Wire[], signal: AbortSignal, tally: Tally): void {
  const look = () => tally.peak("connections at most", wires.filter((wire) => wire.isOpen).length);
  const timer = setInterval(look, 250);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** Connections with incomplete requests. Closed connections are opened again. */
const hold = ({ connections, beginning, drip }: Holding): Attack => {
  const [bytes] = variantsOf(beginning, 1) as [Buffer];
  // Without a body, the drip adds headers, so the empty line that ends the headers is cut off.
  const first = beginning.body === undefined && drip ? bytes.subarray(0, -2) : bytes;
  return async (target, signal, tally) => {
    const wires = counted(connections, () => new Wire(target));
    watchOpen(wires, signal, tally);
    const one = async (wire: Wire) => {
      signal.addEventListener("abort", () => wire.close());
      while (!signal.aborted) {
        const ended = wire.ask(first);
        const dripping = drip && setInterval(() => wire.write(drip.text), drip.everyMs);
        const outcome = await ended;
        clearInterval(dripping);
        if (signal.aborted) break;
        tally.add(outcome);
        wire.close();
        await pause(reconnectMs * 5, signal);
      }
      tally.bytesSent += wire.bytesSent;
    };
    await Promise.all(wires.map(one));
  };
};

/** Connections that send one request and then stay open. */
const idle = ({ connections }: { readonly connections: number }): Attack => {
  const request = bytesOf({ path: "/livez" });
  return async (target, signal, tally) => {
    const wires = counted(connections, () => new Wire(target));
    signal.addEventListener("abort", () => {
      for (const wire of wires) wire.close();
    });
    watchOpen(wires, signal, tally);
    // Connects in groups of 100, since more at once could fill the server's queue of new connections.
    for (let at = 0; at < wires.length && !signal.aborted; at += 100) {
      const outcomes = await Promise.all(wires.slice(at, at + 100).map((wire) => wire.ask(request)));
      if (!signal.aborted) for (const outcome of outcomes) tally.add(outcome);
    }
    await aborted(signal);
  };
};

export interface Pouring {
  readonly connections: number;
  readonly request: RequestSpec;
  /** The number of requests that a connection sends at once. */
  readonly ahead: number;
  /** Whether the answers are read. */
  readonly reads: boolean;
}

/** Pipelined requests. Closed connections are opened again. */
const pour = ({ connections, request, ahead, reads }: Pouring): Attack => {
  const bytes = Buffer.concat(counted(ahead, () => bytesOf(request)));
  return (target, signal, tally) =>
    onRawConnections(connections, target, signal, tally, (socket) => {
      socket.write(bytes);
      if (!reads) {
        socket.pause();
        return;
      }
      let left = ahead;
      socket.on("data", (chunk) => {
        const [, ...answers] = chunk.toString("latin1").split("HTTP/1.1 ");
        for (const answer of signal.aborted ? [] : answers) {
          tally.add({ status: Number(answer.slice(0, 3)), hasRetryAfter: /^retry-after:/im.test(answer) });
        }
        left -= answers.length;
        if (left > 0) return;
        left = ahead;
        socket.write(bytes);
      });
    });
};

type RawSocket = ReturnType<typeof connect>;

/** Passes each connection to `use`, and replaces it by a new connection when it is closed. */
async function onRawConnections(
  connections: number,
  target: Target,
  signal: AbortSignal,
  tally: Tally,
  use: (socket: RawSocket, gone: Promise<void>) => void | Promise<void>,
): Promise<void> {
  let open = 0;
  const one = async () => {
    while (!signal.aborted) {
      const socket = connect({ ...target, noDelay: true });
      const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      const leave = () => socket.destroy();
      signal.addEventListener("abort", leave);
      socket.on("error", () => {});
      open += 1;
      tally.peak("connections at most", open);
      await use(socket, gone);
      await gone;
      open -= 1;
      signal.removeEventListener("abort", leave);
      tally.bytesSent += socket.bytesWritten - socket.writableLength;
      await pause(reconnectMs, signal);
    }
  };
  await Promise.all(counted(connections, one));
}

export interface SocketFlood {
  readonly connections: number;
  /** The kinds of data that are sent. The connections take the kinds in turn. */
  readonly kinds: readonly FloodName[];
  /** Authenticates the sockets before the flood. */
  readonly appKey?: string;
}

/** Milliseconds that an attack waits for the authentication before it floods. The authentication takes less. */
const authenticationMs = 500;

/** WebSockets that send without a pause and read nothing. Closed WebSockets are opened again. */
const socketFlood = ({ connections, kinds, appKey }: SocketFlood): Attack => {
  const upgrade = bytesOf({ path: upgradePath, headers: upgradeHeaders });
  let opened = 0;
  return (target, signal, tally) =>
    onRawConnections(connections, target, signal, tally, async (socket, gone) => {
      const { head, body }: Flood = floods[kinds[opened++ % kinds.length] as FloodName];
      socket.write(upgrade);
      socket.once("data", () => socket.pause());
      if (appKey !== undefined) {
        socket.write(frameOf("text", `40/realtime,${JSON.stringify({ key: appKey })}`));
        await pause(authenticationMs, signal);
      }
      if (head) socket.write(head);
      while (!socket.destroyed) {
        if (!socket.write(body)) await Promise.race([once(socket, "drain").catch(() => {}), gone]);
      }
    });
};

export interface Streaming {
  readonly connections: number;
  /** The head of a request with a chunked body. */
  readonly beginning: RequestSpec;
  /** A part of the body in chunked encoding. The part is sent again and again. */
  readonly part: { readonly repeat: string; readonly times: number };
}

/** Bodies without an end, sent as fast as the connections take them. Closed connections are opened again. */
const stream = ({ connections, beginning, part }: Streaming): Attack => {
  const head = bytesOf({ ...beginning, headers: { ...beginning.headers, "Transfer-Encoding": "chunked" } });
  const bytes = Buffer.from(part.repeat.repeat(part.times));
  return (target, signal, tally) =>
    onRawConnections(connections, target, signal, tally, async (socket, gone) => {
      socket.on("data", (answer) => {
        const [, status] = /^HTTP\/1\.1 (\d+)/.exec(answer.toString("latin1")) ?? [];
        if (status && !signal.aborted) {
          tally.add({ status: Number(status), hasRetryAfter: /^retry-after:/im.test(answer.toString("latin1")) });
        }
      });
      socket.write(head);
      while (!socket.destroyed) {
        if (!socket.write(bytes)) await Promise.race([once(socket, "drain").catch(() => {}), gone]);
      }
    });
};

/** An endless upload without a key, which continues after the refusal. */
const endless = (): Attack => {
  const head = bytesOf({
    method: "POST",
    path: "/media",
    headers: { "Transfer-Encoding": "chunked", "Content-Type": "multipart/form-data; boundary=x" },
  });
  const begin = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
  const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(65_536, "a"), Buffer.from("\r\n")]);
  return async (target, signal, tally) => {
    const socket = connect({ ...target, noDelay: true });
    const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    signal.addEventListener("abort", () => socket.destroy());
    socket.on("error", () => {});
    socket.once("data", (answer) => {
      tally.add({ status: Number(answer.toString("latin1", 9, 12)), hasRetryAfter: answer.includes("Retry-After") });
    });
    socket.write(head);
    socket.write(`${begin.length.toString(16)}\r\n${begin}\r\n`);
    while (!socket.destroyed) {
      tally.bytesSent = socket.bytesWritten - socket.writableLength;
      if (!socket.write(chunk)) await Promise.race([once(socket, "drain").catch(() => {}), gone]);
    }
  };
};

/** Uses a share of one CPU and sends nothing. */
const burn = ({ percent }: { readonly percent: number }): Attack => {
  const sliceMs = 10;
  return async (_target, signal) => {
    while (!signal.aborted) {
      const until = performance.now() + (sliceMs * percent) / 100;
      while (performance.now() < until);
      await sleep(percent < 100 ? sliceMs * (1 - percent / 100) : 0);
    }
  };
};

export interface SlowHost {
  readonly connections: number;
  /** `{url}` is replaced by the URL of a host that never answers. */
  readonly request: RequestSpec;
}

const slowHost = async ({ connections, request }: SlowHost): Promise<Attack> => {
  const { createServer } = await import("node:https");
  const { selfSigned } = await import("../../src/fixtures/https/certificate.ts");
  const server = createServer(await selfSigned(), () => {});
  return async (target, signal, tally) => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const text = JSON.stringify(request).replaceAll("{url}", `https://127.0.0.1:${port}/slow.png`);
    await hammer({ connections, requests: [JSON.parse(text)] })(target, signal, tally);
    server.closeAllConnections();
    server.close();
  };
};

export interface Listening {
  readonly url: string;
  readonly tokens: readonly string[];
  readonly socketsEach: number;
  /** The name of the events that the sockets count. */
  readonly event: string;
}

/** Sockets that count how often each event arrives. They are connected before the measurement. */
const listen = async ({ url, tokens, socketsEach, event }: Listening): Promise<Attack> => {
  // Loaded only for this attack.
  const { io } = await import("socket.io-client");
  const heard: Map<number, number>[] = [];
  const sockets: Socket[] = [];
  let breaks = 0;
  for (const token of tokens) {
    const group = counted(socketsEach, () => {
      const socket = io(`${url}/realtime`, {
        forceNew: true,
        transports: ["websocket"],
        auth: { token },
        reconnection: false,
      });
      const seen = new Map<number, number>();
      heard.push(seen);
      socket.on(event, ({ seq }: { seq: number }) => void seen.set(seq, (seen.get(seq) ?? 0) + 1));
      socket.on("disconnect", () => {
        breaks += 1;
      });
      return socket;
    });
    sockets.push(...group);
    await Promise.all(
      group.map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once("ready", () => resolve());
            // There are more sockets than the server accepts per address and second, so some have to try again.
            socket.on("connect_error", () => setTimeout(() => socket.connect(), 500 + Math.random() * 1_000));
          }),
      ),
    );
  }
  return async (_target, signal, tally) => {
    await aborted(signal);
    tally.figures.sockets = sockets.length;
    tally.figures.breaks = breaks;
    const all = new Set(heard.flatMap((seen) => [...seen.keys()]));
    tally.figures.events = all.size;
    tally.figures.missed = heard.reduce((sum, seen) => sum + all.size - seen.size, 0);
    tally.figures.doubled = heard.reduce(
      (sum, seen) => sum + [...seen.values()].filter((times) => times > 1).length,
      0,
    );
    for (const socket of sockets) socket.disconnect();
  };
};

/** The attacks by name. A promise resolves when the attack is prepared. */
export const attacks: Readonly<Record<string, (settings: never) => Attack | Promise<Attack>>> = {
  hammer,
  pour,
  socketFlood,
  hold,
  idle,
  stream,
  endless,
  burn,
  slowHost,
  listen,
  offer,
};
