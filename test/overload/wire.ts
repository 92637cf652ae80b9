import { connect, type Socket } from "node:net";

/** HTTP/1.1 on raw sockets with prepared requests. This saves CPU, which attackers share with the service. */

export interface Target {
  readonly host: string;
  readonly port: number;
}

export interface RequestSpec {
  /** GET unless given. */
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Repeated;
  /** The Content-Length, if it is wrong on purpose. */
  readonly declaredLength?: number;
}

/** A short description of a large text. */
export interface Repeated {
  readonly before?: string;
  readonly repeat: string;
  readonly times: number;
  readonly after?: string;
}

export function bytesOf({ method = "GET", path, headers = {}, body, declaredLength }: RequestSpec): Buffer {
  const content = contentOf(body);
  const chunked = Object.keys(headers).some((name) => name.toLowerCase() === "transfer-encoding");
  const own: Record<string, string | number> = {
    Host: "recado.test",
    ...(body !== undefined && !chunked && { "Content-Length": declaredLength ?? content.length }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...headers,
  };
  const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`), content]);
}

function contentOf(body: RequestSpec["body"]): Buffer {
  if (body === undefined || typeof body === "string") return Buffer.from(body ?? "");
  const { before = "", repeat, times, after = "" } = body;
  const middle = Buffer.alloc(Buffer.byteLength(repeat) * times, repeat);
  return Buffer.concat([Buffer.from(before), middle, Buffer.from(after)]);
}

/** The result of a request: a status, or why there is none. */
export interface Outcome {
  readonly status: number | "refused" | "cut" | "hung up";
  readonly hasRetryAfter: boolean;
}

/** Parses the answers on a connection. Bodies are skipped. */
class Answers {
  private head: Buffer = Buffer.alloc(0);
  private status = 0;
  private hasRetryAfter = false;
  private closes = false;
  private left = 0;
  private isChunked = false;
  private inBody = false;
  private tail = "";

  constructor(private readonly answered: (outcome: Outcome, closes: boolean) => void) {}

  take(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.inBody ? this.takeBody(rest) : this.takeHead(rest);
  }

  private takeHead(chunk: Buffer): Buffer {
    const all = this.head.length === 0 ? chunk : Buffer.concat([this.head, chunk]);
    const end = all.indexOf("\r\n\r\n");
    if (end < 0) {
      this.head = all;
      return all.subarray(all.length);
    }
    this.head = Buffer.alloc(0);
    const head = all.toString("latin1", 0, end).toLowerCase();
    this.status = Number(head.slice(9, 12));
    this.hasRetryAfter = head.includes("\r\nretry-after:");
    this.closes = head.includes("\r\nconnection: close");
    this.isChunked = head.includes("\r\ntransfer-encoding: chunked");
    this.left = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
    const rest = all.subarray(end + 4);
    if (this.status < 200) return rest;
    this.inBody = true;
    this.tail = "\r\n";
    if (!this.isChunked && this.left === 0) this.end();
    return rest;
  }

  private takeBody(chunk: Buffer): Buffer {
    if (this.isChunked) {
      this.tail = (this.tail + chunk.toString("latin1", Math.max(0, chunk.length - 7))).slice(-7);
      if (this.tail === "\r\n0\r\n\r\n") this.end();
      return chunk.subarray(chunk.length);
    }
    const taken = Math.min(this.left, chunk.length);
    this.left -= taken;
    if (this.left === 0) this.end();
    return chunk.subarray(taken);
  }

  private end(): void {
    this.inBody = false;
    this.answered({ status: this.status, hasRetryAfter: this.hasRetryAfter }, this.closes);
  }
}

/** A client with a kept-alive connection, which is opened on demand. */
export class Wire {
  private socket: Socket | undefined;
  private ended: ((outcome: Outcome) => void) | undefined;
  private earlierBytes = 0;

  constructor(
    private readonly target: Target,
    /** The client's own address. */
    private readonly from?: string,
  ) {}

  /** Bytes that the system accepted: an upper bound of what the server has read. */
  get bytesSent(): number {
    return this.earlierBytes + sentBy(this.socket);
  }

  get isOpen(): boolean {
    return this.socket?.readyState === "open";
  }

  /** @param hangUpAfterMs - if there is no answer within this time, the connection is closed */
  ask(request: Buffer, hangUpAfterMs?: number): Promise<Outcome> {
    return new Promise((resolve) => {
      const timer =
        hangUpAfterMs === undefined
          ? undefined
          : setTimeout(() => {
              this.end({ status: "hung up", hasRetryAfter: false });
              this.close();
            }, hangUpAfterMs);
      this.ended = (outcome) => {
        clearTimeout(timer);
        this.ended = undefined;
        resolve(outcome);
      };
      this.socket ??= this.open();
      this.socket.write(request);
    });
  }

  /** Writes without waiting for an answer. False if the send buffer is full or the connection is closed. */
  write(bytes: Buffer | string): boolean {
    return this.socket?.write(bytes) ?? false;
  }

  close(): void {
    const { socket } = this;
    this.socket = undefined;
    this.earlierBytes += sentBy(socket);
    // This discards unsent bytes, which are no longer needed.
    socket?.destroy();
    this.end({ status: "cut", hasRetryAfter: false });
  }

  private open(): Socket {
    let connected = false;
    const socket = connect({ ...this.target, ...(this.from && { localAddress: this.from }), noDelay: true });
    const answers = new Answers((outcome, closes) => {
      // Unsent bytes belong to the answered request, so the connection cannot be used for the next one.
      const isDone = closes || socket.writableLength > 0;
      const { ended } = this;
      if (isDone) this.drop(socket);
      ended?.(outcome);
    });
    socket.once("connect", () => {
      connected = true;
    });
    socket.on("data", (chunk) => answers.take(chunk));
    socket.on("error", () => {});
    socket.once("close", () => {
      this.drop(socket);
      this.end({ status: connected ? "cut" : "refused", hasRetryAfter: false }, socket);
    });
    return socket;
  }

  private drop(socket: Socket): void {
    if (this.socket === socket) {
      this.socket = undefined;
      this.earlierBytes += sentBy(socket);
    }
    socket.destroy();
  }

  private end(outcome: Outcome, of?: Socket): void {
    if (of === undefined || this.socket === undefined) this.ended?.(outcome);
  }
}

const sentBy = (socket: Socket | undefined): number => (socket ? socket.bytesWritten - socket.writableLength : 0);
