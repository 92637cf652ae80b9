import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { json } from "node:stream/consumers";
import { type Commits, clock } from "./socket-servers.ts";
import { quantile } from "./table.ts";

/** The body of `POST /open`, which opens one socket per token. */
export interface Opening {
  readonly url: string;
  readonly tokens: readonly string[];
}

/** How events arrived at all sockets of a server. `p50` and `p99` are milliseconds from an event's commit. */
export interface Arrivals {
  readonly p50: number;
  readonly p99: number;
  readonly missing: number;
  readonly twice: number;
  /** Sockets that were disconnected. */
  readonly lost: number;
}

/**
 * A minimal Socket.IO client that answers pings and records the arrival of each event. A thousand real clients would
 * use too much of the CPU that the server needs.
 */
class Listener {
  readonly arrivals = new Map<number, number>();
  twice = 0;
  isReady = false;
  private rest: Buffer = Buffer.alloc(0);
  private isOpen = false;

  constructor(
    readonly socket: Socket,
    host: string,
    private readonly token: string,
    private readonly ready: () => void,
  ) {
    const key = randomBytes(16).toString("base64");
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("data", (chunk) => this.take(chunk));
    socket.write(
      `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\n` +
        `Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
  }

  private take(chunk: Buffer): void {
    const at = clock();
    let bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    if (!this.isOpen) {
      const end = bytes.indexOf("\r\n\r\n");
      if (end >= 0) {
        this.isOpen = true;
        bytes = bytes.subarray(end + 4);
      }
    }
    while (this.isOpen) {
      const frame = frameAt(bytes);
      if (!frame) break;
      this.hear(bytes.subarray(frame.begin, frame.end), at);
      bytes = bytes.subarray(frame.end);
    }
    this.rest = bytes;
  }

  private hear(text: Buffer, at: number): void {
    if (text[0] === 0x30) this.say(`40/realtime,${JSON.stringify({ token: this.token })}`);
    else if (text[0] === 0x32) this.say("3");
    else if (text.includes('["ready"')) {
      this.isReady = true;
      this.ready();
    } else if (text.includes('["message:new"')) {
      // The event's number is near the start of the text.
      const number = Number(/"seq":(\d+)/.exec(text.toString("latin1", 0, 160))?.[1]);
      if (this.arrivals.has(number)) this.twice += 1;
      this.arrivals.set(number, at);
    }
  }

  /** Begins the next measurement. */
  forget(): void {
    this.arrivals.clear();
    this.twice = 0;
  }

  /** Frames of clients must be masked. A mask of zeros leaves the content as it is. */
  private say(text: string): void {
    const content = Buffer.from(text);
    this.socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | content.length, 0, 0, 0, 0]), content]));
  }
}

/** The first frame, if it is complete. Frames are shorter than 64 kB. */
function frameAt(bytes: Buffer): { begin: number; end: number } | undefined {
  if (bytes.length < 4) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const begin = short === 126 ? 4 : 2;
  const end = begin + (short === 126 ? bytes.readUInt16BE(2) : short);
  return end <= bytes.length ? { begin, end } : undefined;
}

const byServer = new Map<string, Listener[]>();
/** How many sockets are opened per 80 ms. The server allows 500 handshakes per second from one address. */
const atOnce = 25;
const patienceMs = 10_000;

async function open({ url, tokens }: Opening): Promise<object> {
  const { hostname: host, port, host: named } = new URL(url);
  const listeners = byServer.get(url) ?? [];
  byServer.set(url, listeners);
  for (let start = 0; start < tokens.length; start += atOnce) {
    const begun = tokens.slice(start, start + atOnce).map(async (token) => {
      const socket = connect({ host, port: Number(port) });
      await once(socket, "connect");
      await new Promise<void>((resolve, reject) => {
        setTimeout(() => reject(new Error("a socket was not accepted")), patienceMs).unref();
        listeners.push(new Listener(socket, named, token, resolve));
      });
    });
    await Promise.all([...begun, new Promise((resolve) => setTimeout(resolve, 80))]);
  }
  return { open: listeners.length };
}

function close({ url }: { readonly url: string }): object {
  for (const { socket } of byServer.get(url) ?? []) socket.destroy();
  byServer.delete(url);
  return {};
}

async function judge({ url, commits }: { readonly url: string; readonly commits: Commits }): Promise<Arrivals> {
  const listeners = byServer.get(url) ?? [];
  const numbers = Object.keys(commits).map(Number);
  const isComplete = () => listeners.every(({ arrivals }) => numbers.every((number) => arrivals.has(number)));
  const deadline = clock() + patienceMs;
  while (!isComplete() && clock() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  const all = listeners.map(({ arrivals }) =>
    numbers.map((number) => (arrivals.get(number) ?? NaN) - (commits[number] ?? 0)),
  );
  const taken = all.flat();
  const arrived = taken.filter((ms) => !Number.isNaN(ms));
  const twice = listeners.reduce((sum, listener) => sum + listener.twice, 0);
  const lost = listeners.filter(({ socket }) => socket.destroyed).length;
  for (const listener of listeners) listener.forget();
  return {
    p50: quantile(arrived, 0.5),
    p99: quantile(arrived, 0.99),
    missing: taken.length - arrived.length,
    twice,
    lost,
  };
}

const does: Readonly<Record<string, (asked: never) => Promise<object> | object>> = {
  "/open": open,
  "/close": close,
  "/judge": judge,
};

const server = createServer((request, response) => {
  answer(request).then(
    (body) => response.end(JSON.stringify(body)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});

async function answer(request: IncomingMessage): Promise<object> {
  const asked = does[request.url ?? ""];
  return asked ? asked((await json(request)) as never) : {};
}

if (process.argv[1] === import.meta.filename) {
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
  });
}
