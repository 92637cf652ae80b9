import type { IncomingMessage } from "node:http";
import type { Context, Middleware } from "koa";
import bodyParser from "koa-bodyparser";
import readRawBody from "raw-body";
import { within } from "../../../kernel/within.ts";
import { HttpProblem, InvalidInput, transportProblem } from "../routing/dialect.ts";

/**
 * Milliseconds in which a body must have arrived that is read whole: what is slower gets 408 and is cut off. Whoever
 * sends a body byte by byte would otherwise hold a place in memory for as long as an upload may take.
 */
export const bodyMs = 30_000;

/** Levels of nesting in a body. */
export const mostLevels = 100;

/** Of a body that is too large, what is still taken so that the client comes to read the answer. */
const overrun = { bytes: 8 * 1024 * 1024, ofRefused: 256 * 1024, ms: 2_000 };

/**
 * Reads a JSON body whatever the method: some routes take one with DELETE or GET. No body is `{}`.
 *
 * @param limit - bytes, counted after decompression
 * @param isClosed - its schema refuses unknown fields, so that it must see all of them
 */
export function jsonBody(limit: number, withinMs = bodyMs, isClosed = false): Middleware {
  const options = {
    enableTypes: ["json"],
    extendTypes: { json: ["+json"] },
    jsonLimit: `${limit}b`,
    // Without a type there is nothing else to take it for.
    detectJSON: (ctx: Context) => ctx.get("content-type") === "",
    // A body that is one string or number is JSON as well; its schema words what is wrong with it.
    strict: false,
    // Ignored like every unknown field, unless those are refused.
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
    // The parser leaves alone what is labelled as something else, and makes an empty text of an empty body.
    if (json === undefined) throw notLabelledJson();
    if (json === "") ctx.request.body = {};
    if (isTooDeep(json)) throw tooDeep();
    return next();
  };
}

/** JSON is UTF-8: bytes of another charset would be stored, and sent to customers, as other letters. */
export const hasOtherCharset = (type: string): boolean => /;\s*charset\s*=\s*"?(?!utf-?8\s*("|;|$))/i.test(type);

/** Hands over the bytes as they came. */
export function rawBody(limit: number, withinMs = bodyMs): Middleware {
  return async (ctx, next) => {
    const length = ctx.req.headers["content-length"] ?? null;
    const read = readRawBody(ctx.req, { limit, length });
    ctx.request.body = await within(withinMs, read, tooSlow).catch(refuse);
    return next();
  };
}

/** Rejects when a compressed body breaks off, which the decompression would wait out for ever. */
function brokenOff(req: IncomingMessage): Promise<never>[] {
  if (req.headers["content-encoding"] === undefined) return [];
  return [
    new Promise((_, reject) => {
      req.once("close", () => {
        if (!req.complete) reject(new Error("request broke off"));
      });
    }),
  ];
}

type BodyError = Error & { readonly status?: number };

export const tooSlow = () => transportProblem("tooSlow", { Connection: "close" });
export const notLabelledJson = () => transportProblem("notLabelledJson");
export const badEncoding = () => transportProblem("badEncoding");
export const tooLarge = (headers = {}) => transportProblem("tooLarge", headers);
export const notJson = () => transportProblem("notJson");
export const tooDeep = () => new InvalidInput(`La solicitud no puede tener más de ${mostLevels} niveles`);

/** Counts the brackets of valid JSON outside of its texts: cheaper than a walk through what was parsed. */
export function isTooDeep(json: string): boolean {
  if (json.length <= 2 * mostLevels) return false;
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (code === 0x22) index = endOfText(json, index);
    // `[` and `{`, `]` and `}` differ in this bit only.
    else if ((code | 0x20) === 0x7b) depth += 1;
    else if ((code | 0x20) === 0x7d) depth -= 1;
    if (depth > mostLevels) return true;
  }
  return false;
}

/** Where the quote is that ends the text that begins at `index`. */
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
  if (error.status === 415) throw badEncoding();
  if (error.status !== 413) throw notJson();
  throw tooLarge();
}

/**
 * A client that still writes when the connection closes sees a broken pipe instead of the answer.
 *
 * @param isRefused - where there is no room for more: then less is taken
 */
export function takeRest(req: IncomingMessage, isRefused: boolean): Promise<boolean> {
  req.unpipe();
  if (req.readableEnded || req.destroyed) return Promise.resolve(req.readableEnded);
  return new Promise((resolve) => {
    let left = isRefused ? overrun.ofRefused : overrun.bytes;
    const timer = setTimeout(() => stop(), overrun.ms);
    const take = (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) stop();
    };
    const stop = () => {
      clearTimeout(timer);
      req.off("data", take).off("end", stop).off("close", stop);
      req.pause();
      resolve(req.readableEnded);
    };
    req.on("data", take).on("end", stop).on("close", stop).resume();
  });
}
