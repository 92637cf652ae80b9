import type { IncomingMessage } from "node:http";
import type { Context, Middleware } from "koa";
import bodyParser from "koa-bodyparser";
import readRawBody from "raw-body";
import { within } from "../../../kernel/within.ts";
import { HttpProblem, InvalidInput, transportProblem } from "../routing/dialect.ts";

/**
 * Milliseconds until a body must be complete, else 408. Files and streamed bodies have more time. Without this limit, a
 * client that sends byte by byte would hold memory for too long.
 */
export const bodyMs = 30_000;

/** The maximum nesting of a JSON body. */
export const mostLevels = 100;

/** The limits of a `RestTaker`. All bytes of the connection count, since a chunk may have an extension of 16 kB. */
const overrun = {
  ms: 2_000,
  /** Bytes that are read of each unread body. */
  bytes: 256 * 1024,
  /** Further bytes that are read if the body gets a place. */
  bytesWithPlace: 8 * 1024 * 1024,
  /** Places for bodies that are read beyond `bytes`. Each may cost 1 ms (up to 2 MB) per turn of the event loop. */
  places: 16,
  placesOfOne: 4,
};

/**
 * Reads a JSON body of any method, since some routes take one with DELETE or GET. A missing body is `{}`.
 *
 * @param limit - bytes after decompression
 * @param isClosed - the schema refuses unknown fields, so `__proto__` must not be removed
 */
export function jsonBody(limit: number, withinMs = bodyMs, isClosed = false): Middleware {
  const options = {
    enableTypes: ["json"],
    extendTypes: { json: ["+json"] },
    jsonLimit: `${limit}b`,
    detectJSON: (ctx: Context) => ctx.get("content-type") === "",
    // A string or number is valid JSON; the schema refuses it.
    strict: false,
    // "ignore" keeps `__proto__` in the body, so that a closed schema refuses it like any unknown field.
    onProtoPoisoning: isClosed ? "ignore" : "remove",
  };
  const parse = bodyParser(options);
  return async (ctx, next) => {
    if (!hasBody(ctx.req)) {
      ctx.request.body ??= {};
      return next();
    }
    if (hasOtherCharset(ctx.get("content-type"))) throw transportProblem("badCharset");
    const parsed = parse(ctx, async () => {});
    const read = Promise.race([parsed, ...brokenOff(ctx.req)]);
    await within(withinMs, read, tooSlow).catch(refuse);
    const { rawBody: json } = ctx.request as { rawBody?: string };
    // The parser skips a body whose content type is not JSON. For an empty body, `json` is an empty text.
    if (json === undefined) throw transportProblem("notLabelledJson");
    if (json === "") ctx.request.body = {};
    if (isTooDeep(json)) throw tooDeep();
    return next();
  };
}

/** JSON is UTF-8. Bytes of another charset would be stored as wrong letters. */
export const hasOtherCharset = (type: string): boolean => /;\s*charset\s*=\s*"?(?!utf-?8\s*("|;|$))/i.test(type);

export function rawBody(limit: number, withinMs = bodyMs): Middleware {
  return async (ctx, next) => {
    const length = ctx.req.headers["content-length"] ?? null;
    const read = readRawBody(ctx.req, { limit, length });
    ctx.request.body = await within(withinMs, read, tooSlow).catch(refuse);
    return next();
  };
}

/** Rejects if a compressed body breaks off. Without this, the decompression would wait for ever. */
function brokenOff(req: IncomingMessage): Promise<never>[] {
  if (req.headers["content-encoding"] === undefined) return [];
  return [
    new Promise((_, reject) => {
      onBrokenOff(req, () => reject(new Error("request broke off")));
    }),
  ];
}

/**
 * Calls `report` if the client leaves before its body was read to the end: unread bytes are lost, even if they have
 * arrived. `req.complete` cannot show this, since it is true as soon as all bytes have arrived.
 */
export function onBrokenOff(req: IncomingMessage, report: () => void): void {
  const check = (): void => {
    if (!req.readableEnded) report();
  };
  if (req.destroyed) check();
  else req.once("close", check);
}

type BodyError = Error & { readonly status?: number };

export const tooSlow = () => transportProblem("tooSlow", { Connection: "close" });
export const notJson = () => transportProblem("notJson");
export const tooDeep = () => new InvalidInput(`La solicitud no puede tener más de ${mostLevels} niveles`);

/** Counts brackets outside of strings, which is cheaper than walking the parsed value. */
export function isTooDeep(json: string): boolean {
  if (json.length <= 2 * mostLevels) return false;
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (code === 0x22) index = endOfText(json, index);
    // `[` and `{` differ only in the bit 0x20, as do `]` and `}`.
    else if ((code | 0x20) === 0x7b) depth += 1;
    else if ((code | 0x20) === 0x7d) depth -= 1;
    if (depth > mostLevels) return true;
  }
  return false;
}

function endOfText(json: string, index: number): number {
  for (let at = index + 1; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) at += 1;
  }
  return json.length;
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

function refuse(error: BodyError): never {
  if (error instanceof HttpProblem) throw error;
  if (error.status === 415) throw transportProblem("badEncoding");
  if (error.status !== 413) throw notJson();
  throw transportProblem("tooLarge");
}

/**
 * Reads and discards what was left unread of a body, within the limits of `overrun`. If the connection closed while the
 * client still writes, the client would see an error instead of the answer.
 */
export class RestTaker {
  private taken = 0;
  private readonly byAddress = new Map<string, number>();

  /**
   * @param address - of the client. An address gets at most `placesOfOne` places
   * @param isRefused - true for the answers 429 and 503. They must be cheap, so the unread body gets no place
   * @returns whether the body was read to its end
   */
  async take(req: IncomingMessage, address: string, isRefused: boolean): Promise<boolean> {
    req.unpipe();
    if (req.readableEnded || req.destroyed) return req.readableEnded;
    const began = performance.now();
    if (await readOn(req, overrun.bytes, overrun.ms)) return true;
    const msLeft = overrun.ms - (performance.now() - began);
    if (isRefused || msLeft < 1 || req.destroyed || !this.takePlace(address)) return false;
    try {
      return await readOn(req, overrun.bytesWithPlace, msLeft);
    } finally {
      this.leavePlace(address);
    }
  }

  private takePlace(address: string): boolean {
    const own = this.byAddress.get(address) ?? 0;
    if (this.taken >= overrun.places || own >= overrun.placesOfOne) return false;
    this.taken += 1;
    this.byAddress.set(address, own + 1);
    return true;
  }

  private leavePlace(address: string): void {
    const own = (this.byAddress.get(address) ?? 1) - 1;
    this.taken -= 1;
    if (own > 0) this.byAddress.set(address, own);
    else this.byAddress.delete(address);
  }
}

/** @returns whether the body has ended */
function readOn(req: IncomingMessage, bytes: number, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const { socket } = req;
    const most = socket.bytesRead + bytes;
    const timer = setTimeout(() => stop(), ms);
    const look = () => {
      if (socket.bytesRead > most) stop();
    };
    const stop = () => {
      clearTimeout(timer);
      req.off("data", look).off("end", stop).off("close", stop);
      req.pause();
      resolve(req.readableEnded);
    };
    req.on("data", look).on("end", stop).on("close", stop).resume();
  });
}
