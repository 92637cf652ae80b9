import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import type { TLSSocket } from "node:tls";
import { urlToHttpOptions } from "node:url";
import { noteKeepAlive, pooled } from "./pooled-agent.ts";

export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  /** Absolute, http: or https:. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Override those of the client for this request. */
  readonly timeouts?: Partial<HttpTimeouts>;
}

/** An address without the slashes at its end, so that a path can follow. */
export const rootOf = (baseUrl: string): string => baseUrl.replace(/\/+$/, "");

export interface HttpTimeouts {
  /** Milliseconds until a connection is ready: waiting for a free one, looking up the name, TCP and TLS together. */
  readonly connectMs: number;
  /** Milliseconds for everything, from the call to the last byte of the answer. */
  readonly totalMs: number;
}

/** What is known once a request has ended. Reasons hold no URL, header or body: they are safe for logs. */
export type HttpOutcome =
  /** A whole answer, of any status; redirects are answers too. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: http.IncomingHttpHeaders;
      readonly text: string;
    }
  /** Proven: no byte of the request reached the other side. */
  | { readonly kind: "not-sent"; readonly reason: string; readonly brokeWhenKept?: true }
  /** Bytes may have left and no whole answer came back: it may or may not have been acted upon. */
  | {
      readonly kind: "unknown";
      readonly reason: string;
      /** The connection had been kept and broke before any answer: most likely the other side was just closing it. */
      readonly brokeWhenKept?: true;
    };

export interface HttpClientSettings {
  /** Default 3,000 ms to connect, 15,000 ms for everything. */
  readonly timeouts?: Partial<HttpTimeouts>;
  /** Connections to one host; requests beyond wait for a free one. Default 128. */
  readonly maxSockets?: number;
  /** Requests under way or waiting; those beyond are answered `not-sent` at once. Default 2,048. */
  readonly maxInFlight?: number;
  /** Milliseconds an unused connection is kept; below what servers usually allow (5,000). Default 4,000. */
  readonly idleSocketMs?: number;
  /** Larger answers end as `unknown`. Default 10 MiB. */
  readonly maxAnswerBytes?: number;
  /** Of answers only so many bytes are read, and what they say stands by then; the rest is not waited for. */
  readonly cutAnswersAt?: number;
  /** Replace the pools of this client, which then closes them as its own. */
  readonly agents?: { readonly http?: http.Agent; readonly https?: https.Agent };
}

/**
 * One request, one outcome: never rejects, never retries, follows no redirect. The outcome tells whether
 * the other side can have seen the request, which decides whether sending it again is safe.
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
      // Only building the request throws: a URL, method or header that HTTP cannot carry.
      return notSent(`invalid request: ${codeOf(error)}`);
    } finally {
      this.inFlight--;
      if (this.inFlight === 0) this.whenIdle?.();
    }
  }

  /** Takes no more requests, waits for those under way (each ends by its own timeout), closes every connection. */
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

  /** Requests in a row go to the same place. */
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

    // Until a connection is ready, whatever was written waits inside this process: that is the proof.
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

    // After a stall of this process the answer may be waiting to be read: one look at the sockets first.
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
        // One that has just died gets no byte any more; its error or close follows. A living one gets them now.
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

/** The text of so many bytes at most; a character that the end would cut is left out. */
export const beginningOf = (bytes: Buffer, most: number): string => new StringDecoder().write(bytes.subarray(0, most));

const notSent = (reason: string) => ({ kind: "not-sent", reason }) as const satisfies HttpOutcome;
const unknown = (reason: string) => ({ kind: "unknown", reason }) as const satisfies HttpOutcome;

/** TLS counts: before its handshake is done, and the certificate accepted, nothing of the request leaves. */
export const isConnecting = (
  socket: Socket & Partial<Pick<TLSSocket, "encrypted">> & { secureConnecting?: boolean },
): boolean => socket.connecting || socket.secureConnecting === true;

/** Codes only: messages of errors can quote addresses and headers. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "no code";
}
