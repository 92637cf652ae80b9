import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import type { TLSSocket } from "node:tls";
import { urlToHttpOptions } from "node:url";
import { noteKeepAlive, pooled } from "./pooled-agent.ts";

export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  /** Absolute, `http:` or `https:`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Timeouts that differ from the client's. */
  readonly timeouts?: Partial<HttpTimeouts>;
}

/** Removes trailing slashes, so that a path can be appended. */
export const rootOf = (baseUrl: string): string => baseUrl.replace(/\/+$/, "");

export interface HttpTimeouts {
  /** Milliseconds until a connection is ready, including the wait for a free one, DNS, TCP and TLS. */
  readonly connectMs: number;
  /** Milliseconds from the call to the end of the answer. */
  readonly totalMs: number;
}

/** Reasons contain no URL, header or body, so they may be logged. */
export type HttpOutcome =
  /** An answer with any status, redirects included. It is complete or was cut at `cutAnswersAt`. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: http.IncomingHttpHeaders;
      readonly text: string;
    }
  /** It is certain that no byte of the request was sent. */
  | { readonly kind: "not-sent"; readonly reason: string; readonly brokeWhenKept?: true }
  /** Bytes may have been sent, but there is no complete answer: the request may have been carried out. */
  | {
      readonly kind: "unknown";
      readonly reason: string;
      /** A reused connection broke before any answer: the server was probably closing it. */
      readonly brokeWhenKept?: true;
    };

export interface HttpClientSettings {
  /** 3,000 ms to connect and 15,000 ms in all, unless given. */
  readonly timeouts?: Partial<HttpTimeouts>;
  /** Connections per host; 128 unless given. */
  readonly maxSockets?: number;
  /** The maximum of running and waiting requests; 2,048 unless given. A further request is `not-sent` at once. */
  readonly maxInFlight?: number;
  /** Milliseconds until an unused connection is closed; 4,000 unless given. Servers usually allow 5,000. */
  readonly idleSocketMs?: number;
  /** Larger answers become `unknown`; 10 MiB unless given. */
  readonly maxAnswerBytes?: number;
  /** Answers are read up to this many bytes; the rest is dropped. */
  readonly cutAnswersAt?: number;
  /** Used instead of the client's own agents, and closed with the client. */
  readonly agents?: { readonly http?: http.Agent; readonly https?: https.Agent };
}

/**
 * Never rejects, never retries and follows no redirect. After the outcome `not-sent` it is safe to send the request
 * again. After `unknown` the server may have seen the request.
 */
export class HttpClient {
  private readonly timeouts: HttpTimeouts;
  private readonly maxInFlight: number;
  private readonly maxAnswerBytes: number;
  private readonly cutAnswersAt: number;
  private readonly httpAgent: http.Agent;
  private readonly httpsAgent: https.Agent;
  private inFlight = 0;
  private lastTarget: { readonly url: string; readonly options: http.RequestOptions } | undefined;
  private closing = false;
  private whenIdle: (() => void) | undefined;

  constructor(settings: HttpClientSettings = {}) {
    this.timeouts = { connectMs: 3_000, totalMs: 15_000, ...settings.timeouts };
    this.maxInFlight = settings.maxInFlight ?? 2_048;
    this.maxAnswerBytes = settings.maxAnswerBytes ?? 10 * 1024 * 1024;
    this.cutAnswersAt = settings.cutAnswersAt ?? Number.POSITIVE_INFINITY;
    const pool = { maxSockets: settings.maxSockets ?? 128, idleSocketMs: settings.idleSocketMs ?? 4_000 };
    this.httpAgent = settings.agents?.http ?? pooled(http.Agent, pool);
    this.httpsAgent = settings.agents?.https ?? pooled(https.Agent, pool);
  }

  async request(request: HttpRequest): Promise<HttpOutcome> {
    if (this.closing) return notSent("the client is closed");
    if (this.inFlight >= this.maxInFlight) return notSent("too many requests under way");
    this.inFlight++;
    try {
      return await new Promise<HttpOutcome>((resolve) => this.exchange(request, resolve));
    } catch (error) {
      // `exchange` throws only if the URL, the method or a header is invalid.
      return notSent(`invalid request: ${codeOf(error)}`);
    } finally {
      this.inFlight--;
      if (this.inFlight === 0) this.whenIdle?.();
    }
  }

  /** Refuses new requests, waits for running ones and closes all connections. */
  async close(): Promise<void> {
    this.closing = true;
    if (this.inFlight > 0) {
      await new Promise<void>((resolve) => {
        this.whenIdle = resolve;
      });
    }
    this.httpAgent.destroy();
    this.httpsAgent.destroy();
  }

  /** Keeps the last parsed URL, because consecutive requests often have the same URL. */
  private targetOf(url: string): http.RequestOptions {
    if (this.lastTarget?.url !== url) this.lastTarget = { url, options: urlToHttpOptions(new URL(url)) };
    return this.lastTarget.options;
  }

  private exchange(request: HttpRequest, settle: (outcome: HttpOutcome) => void): void {
    const started = performance.now();
    const connectMs = request.timeouts?.connectMs ?? this.timeouts.connectMs;
    const totalMs = request.timeouts?.totalMs ?? this.timeouts.totalMs;
    const secure = request.url.startsWith("https:");
    const outgoing = (secure ? https : http).request({
      ...this.targetOf(request.url),
      method: request.method,
      agent: secure ? this.httpsAgent : this.httpAgent,
      ...(request.headers && { headers: request.headers }),
    });

    // Until a connection is ready, written bytes stay in this process, so a failure before that is `not-sent`.
    let connected = false;
    let answering = false;
    let ended = false;
    let timer = setTimeout(onTime, Math.min(connectMs, totalMs));

    function end(outcome: HttpOutcome): void {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      settle(outcome);
    }

    function fail(reason: string): void {
      if (ended) return;
      end(connected ? unknown(reason) : notSent(reason));
      outgoing.destroy();
    }

    function broke(reason: string): void {
      if (answering || !outgoing.reusedSocket) fail(reason);
      else end({ ...(connected ? unknown(reason) : notSent(reason)), brokeWhenKept: true });
    }

    // If the process was stalled, the answer may already be readable: handle I/O first.
    function onTime(): void {
      setImmediate(expire);
    }

    function expire(): void {
      if (ended) return;
      const leftMs = totalMs - (performance.now() - started);
      if (!connected) fail(`no connection within ${Math.min(connectMs, totalMs)} ms`);
      else if (leftMs <= 0) fail(`no answer within ${totalMs} ms`);
      else timer = setTimeout(onTime, leftMs);
    }

    outgoing.on("socket", (socket: Socket) => {
      if (!isConnecting(socket)) {
        // A reused socket may just have closed. It is not writable then, so no byte of the request is sent.
        connected = socket.writable;
        return;
      }
      socket.once("encrypted" in socket ? "secureConnect" : "connect", () => {
        connected = true;
      });
    });
    outgoing.on("error", (error) => broke(`${connected ? "connection broke" : "connection failed"}: ${codeOf(error)}`));
    outgoing.on("response", (response) => {
      answering = true;
      noteKeepAlive(response);
      const { maxAnswerBytes, cutAnswersAt } = this;
      const chunks: Buffer[] = [];
      let size = 0;
      const answered = (text: string): void =>
        end({ kind: "answer", status: response.statusCode ?? 0, headers: response.headers, text });
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size >= cutAnswersAt) {
          answered(beginningOf(Buffer.concat([...chunks, chunk]), cutAnswersAt));
          outgoing.destroy();
        } else if (size > maxAnswerBytes) fail(`answer larger than ${maxAnswerBytes} bytes`);
        else chunks.push(chunk);
      });
      response.on("end", () => {
        if (!response.complete) return fail("answer broke off");
        const text = (chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)).toString();
        answered(text);
      });
      response.on("error", (error) => fail(`answer broke off: ${codeOf(error)}`));
      response.on("close", () => fail("answer broke off"));
    });
    outgoing.on("close", () => {
      if (!answering) broke("connection closed without an answer");
    });
    outgoing.end(request.body);
  }
}

/** Decodes the first `most` bytes. Leaves out a last character that is cut off. */
export const beginningOf = (bytes: Buffer, most: number): string => new StringDecoder().write(bytes.subarray(0, most));

const notSent = (reason: string) => ({ kind: "not-sent", reason }) as const satisfies HttpOutcome;
const unknown = (reason: string) => ({ kind: "unknown", reason }) as const satisfies HttpOutcome;

/** True until the connection and its TLS handshake are complete. Until then no byte of the request is sent. */
export const isConnecting = (
  socket: Socket & Partial<Pick<TLSSocket, "encrypted">> & { secureConnecting?: boolean },
): boolean => socket.connecting || socket.secureConnecting === true;

/** Returns only the code, because messages can contain addresses and headers. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "no code";
}
