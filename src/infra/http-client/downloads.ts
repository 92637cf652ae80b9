import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { codeOf, isConnecting, rootOf } from "./http-client.ts";
import { AnyCertificateAgent, noteKeepAlive, pooled } from "./pooled-agent.ts";
import { isPublicLiteral, PublicOnlyAgent } from "./public-only-agent.ts";

export interface DownloadRequest {
  readonly url: string;
  /** GET unless given. A POST follows no redirect. */
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  /** Secret headers. They are sent to the origin of `url` only, not to other origins after a redirect. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** `url`: no redirect gets the credentials. `origin`: redirects to the same origin do. `origin` unless given. */
  readonly credentialsFor?: "origin" | "url";
  readonly body?: string;
  /** The platform's configured address. Only URLs of its origin may use a private address or plain http. */
  readonly home?: string;
  /** Reading throws beyond this many bytes; 101 MiB unless given. */
  readonly mostBytes?: number;
  /** Ends the request or the reading of its content. */
  readonly signal?: AbortSignal;
}

/** Reasons contain no URL, header or body, so they may be logged. */
export type DownloadOutcome =
  /** The status is 200 or 201. The content must be read or its iterator closed. Reading may throw `DownloadBroke`. */
  | {
      readonly kind: "content";
      readonly content: AsyncIterable<Uint8Array>;
      /** From the headers; null if unknown. */
      readonly size: number | null;
      /** The content type, or an empty text. */
      readonly type: string;
    }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly headers: http.IncomingHttpHeaders;
      /** The beginning of the body. */
      readonly text: string;
    }
  /** The address, or an address that it redirects to, is not allowed, or there were more than three redirects. */
  | { readonly kind: "forbidden"; readonly reason: string }
  /** There was no connection or no answer in time, the connection broke, or `signal` was aborted. */
  | { readonly kind: "unreachable"; readonly reason: string };

/** The content is too slow, too large or incomplete. */
class DownloadBroke extends Error {}

export interface DownloadTimeouts {
  /** Milliseconds until a connection is ready. */
  readonly connectMs: number;
  /** The longest wait for the next bytes, in milliseconds. */
  readonly idleMs: number;
  /** Milliseconds from the call to the last byte. */
  readonly totalMs: number;
  /** The lowest average speed while waiting for the server. The first `idleMs` of waiting do not count. */
  readonly leastBytesPerSecond: number;
}

export interface DownloadsSettings {
  readonly timeouts?: Partial<DownloadTimeouts>;
  /** Only for tests: allows private addresses, plain http and any certificate. */
  readonly allowPrivate?: boolean;
}

const megabyte = 1024 * 1024;
const defaultMostBytes = 101 * megabyte;
const mostRedirects = 3;
const longestUrl = 4_096;
/** Bytes of a refused answer's body that are read. */
const keptBytes = 64 * 1024;
/** `maxSockets` is unlimited, since the callers limit the number of downloads. */
const pool = { maxSockets: Number.POSITIVE_INFINITY, idleSocketMs: 4_000, keptSocketMs: 60_000 };

interface Agents {
  readonly http: http.Agent | null;
  readonly https: https.Agent;
}

/** Downloads large files as streams. Never retries. */
export class Downloads {
  private readonly timeouts: DownloadTimeouts;
  private readonly allowPrivate: boolean;
  private readonly ofPlatform: Agents;
  private readonly elsewhere: Agents;

  constructor({ timeouts, allowPrivate = false }: DownloadsSettings = {}) {
    this.timeouts = { connectMs: 5_000, idleMs: 20_000, totalMs: 300_000, leastBytesPerSecond: 16_384, ...timeouts };
    this.allowPrivate = allowPrivate;
    const plain = pooled(http.Agent, pool);
    this.ofPlatform = { http: plain, https: pooled(allowPrivate ? AnyCertificateAgent : https.Agent, pool) };
    this.elsewhere = allowPrivate ? this.ofPlatform : { http: null, https: pooled(PublicOnlyAgent, pool) };
  }

  /** Never rejects. */
  async open(request: DownloadRequest): Promise<DownloadOutcome> {
    const started = performance.now();
    let { url } = request;
    let credentials = request.credentials ?? {};
    let mayBeHome = true;
    for (let redirects = 0; redirects <= mostRedirects; redirects++) {
      const target = this.targetOf(url, mayBeHome ? request.home : undefined);
      if ("reason" in target) return { kind: "forbidden", reason: target.reason };
      const headers = { "accept-encoding": "identity", ...request.headers, ...credentials };
      const answer = await this.ask(target, { ...request, headers }, started);
      if ("reason" in answer) return { kind: "unreachable", reason: answer.reason };
      const next = redirectOf(answer, request, target.url);
      if (next === null) return this.outcomeOf(answer, request, started);
      answer.destroy();
      if (request.credentialsFor === "url" || next.origin !== target.url.origin) credentials = {};
      mayBeHome = mayBeHome && target.isHome;
      url = next.href;
    }
    return { kind: "forbidden", reason: `more than ${mostRedirects} redirects` };
  }

  close(): void {
    for (const agents of [this.ofPlatform, this.elsewhere]) {
      agents.http?.destroy();
      agents.https.destroy();
    }
  }

  private targetOf(written: string, home: string | undefined): Target | { readonly reason: string } {
    if (written.length > longestUrl || !URL.canParse(written)) return { reason: "not a usable address" };
    const url = new URL(written);
    if (url.username !== "" || url.password !== "") return { reason: "an address with a password" };
    const isHome = home !== undefined && url.origin === new URL(rootOf(home)).origin;
    const agents = isHome ? this.ofPlatform : this.elsewhere;
    const agent = url.protocol === "https:" ? agents.https : url.protocol === "http:" ? agents.http : null;
    if (!agent) return { reason: "not an https address" };
    if (!isHome && !this.allowPrivate && !isPublicLiteral(url.hostname)) return { reason: "not a public address" };
    return { url, isHome, agent };
  }

  private ask(
    { url, agent }: Target,
    { method = "GET", headers, body, signal }: DownloadRequest,
    started: number,
  ): Promise<http.IncomingMessage | { readonly reason: string }> {
    const { connectMs, idleMs, totalMs } = this.timeouts;
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve({ reason: "ended" });
      const options = { method, headers, agent, ...(signal && { signal }) };
      let outgoing: http.ClientRequest;
      try {
        outgoing = (url.protocol === "https:" ? https : http).request(url, options);
      } catch (error) {
        return resolve({ reason: `invalid request: ${codeOf(error)}` });
      }
      let answered = false;
      const fail = (reason: string): void => {
        clearTimeout(timer);
        if (answered) return;
        resolve({ reason });
        outgoing.destroy();
      };
      const leftMs = (): number => totalMs - (performance.now() - started);
      let timer = setTimeout(() => fail("no connection in time"), Math.min(connectMs, leftMs()));
      const onConnection = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => fail("no answer in time"), Math.min(idleMs, leftMs()));
      };
      outgoing.on("socket", (socket: Socket) => {
        if (!isConnecting(socket)) onConnection();
        else socket.once("encrypted" in socket ? "secureConnect" : "connect", onConnection);
      });
      outgoing.on("error", (error) => fail(`connection failed: ${codeOf(error)}`));
      outgoing.on("close", () => fail("connection closed without an answer"));
      outgoing.on("response", (response) => {
        answered = true;
        clearTimeout(timer);
        noteKeepAlive(response);
        // Without a listener, an error between two reads would end the process. The next read throws the error.
        response.on("error", () => {});
        resolve(response);
      });
      outgoing.end(body);
    });
  }

  private async outcomeOf(
    response: http.IncomingMessage,
    { mostBytes = defaultMostBytes }: DownloadRequest,
    started: number,
  ): Promise<DownloadOutcome> {
    const { statusCode: status = 0, headers } = response;
    const content = contentOf(response, { ...this.timeouts, mostBytes, started });
    if (status !== 200 && status !== 201) return { kind: "refused", status, headers, text: await beginningOf(content) };
    const announced = headers["content-length"] ?? "";
    const size = /^\d{1,15}$/.test(announced) ? Number(announced) : null;
    return { kind: "content", content, size, type: headers["content-type"] ?? "" };
  }
}

interface Target {
  readonly url: URL;
  readonly isHome: boolean;
  readonly agent: http.Agent;
}

/** Null if the answer is not a redirect, or is one that must not be followed. */
function redirectOf(
  { statusCode = 0, headers: { location } }: http.IncomingMessage,
  { method = "GET" }: DownloadRequest,
  from: URL,
): URL | null {
  const follows = method === "GET" && [301, 302, 303, 307, 308].includes(statusCode);
  return follows && location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : null;
}

type ContentLimits = DownloadTimeouts & { readonly mostBytes: number; readonly started: number };

/** Waiting for the server may take `idleMs` in all, plus a second per `leastBytesPerSecond` received bytes. */
async function* contentOf(response: http.IncomingMessage, limits: ContentLimits): AsyncGenerator<Uint8Array> {
  const { idleMs, totalMs, leastBytesPerSecond, mostBytes, started } = limits;
  let received = 0;
  let waitedMs = 0;
  const chunks = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const next = async (): Promise<IteratorResult<Buffer>> => {
    const asked = performance.now();
    const patience = Math.min(idleMs, idleMs + (received / leastBytesPerSecond) * 1_000 - waitedMs);
    const left = totalMs - (asked - started);
    const tooLate = () => response.destroy(new DownloadBroke(left < patience ? "it took too long" : "it was too slow"));
    const timer = setTimeout(tooLate, Math.max(0, Math.min(patience, left)));
    try {
      return await chunks.next();
    } catch (error) {
      throw error instanceof DownloadBroke ? error : new DownloadBroke(`it broke off: ${codeOf(error)}`);
    } finally {
      clearTimeout(timer);
      waitedMs += performance.now() - asked;
    }
  };
  try {
    for (;;) {
      const { done, value } = await next();
      if (done) return;
      received += value.length;
      if (received > mostBytes) throw new DownloadBroke(`more than ${mostBytes} bytes`);
      yield value;
    }
  } finally {
    if (!response.readableEnded) response.destroy();
  }
}

async function beginningOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const taken: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of content) {
      taken.push(chunk);
      length += chunk.length;
      if (length >= keptBytes) break;
    }
  } catch {
    // The text is optional: the status is enough.
  }
  return Buffer.concat(taken).subarray(0, keptBytes).toString();
}
