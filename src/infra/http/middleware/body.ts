import type { IncomingMessage } from "node:http";
import type { Context, Middleware } from "koa";
import bodyParser from "koa-bodyparser";
import readRawBody from "raw-body";
import { within } from "../../../kernel/within.ts";
import { HttpProblem } from "../routing/dialect.ts";

/**
 * Milliseconds in which a body must have arrived that is read whole: what is slower gets 408 and is cut off. Whoever
 * sends a body byte by byte would otherwise hold a place in memory for as long as an upload may take.
 */
export const bodyMs = 30_000;

/** Of a body that is too large, what is still taken so that the client comes to read the answer. */
const overrun = { bytes: 8 * 1024 * 1024, ms: 2_000 };

/**
 * Reads a JSON body whatever the method: some routes take one with DELETE or GET. No body is `{}`.
 *
 * @param limit - bytes, counted after decompression
 */
export function jsonBody(limit: number, withinMs = bodyMs): Middleware {
  const options = {
    enableTypes: ["json"],
    extendTypes: { json: ["+json"] },
    jsonLimit: `${limit}b`,
    // Without a type there is nothing else to take it for.
    detectJSON: (ctx: Context) => ctx.get("content-type") === "",
    // A body that is one string or number is JSON as well; its schema words what is wrong with it.
    strict: false,
    // Ignored like every unknown field.
    onProtoPoisoning: "remove",
  };
  const parse = bodyParser(options);
  return async (ctx, next) => {
    if (!hasBody(ctx.req)) {
      ctx.request.body ??= {};
      return next();
    }
    const parsed = parse(ctx, async () => {});
    const read = Promise.race([parsed, ...brokenOff(ctx.req)]);
    await within(withinMs, read, tooSlow).catch((error: BodyError) => refuse(error, ctx));
    // The parser leaves alone what is labelled as something else, and makes an empty text of an empty body.
    if (ctx.request.rawBody === undefined) throw notLabelledJson();
    if (ctx.request.rawBody === "") ctx.request.body = {};
    return next();
  };
}

/** Hands over the bytes as they came. */
export function rawBody(limit: number, withinMs = bodyMs): Middleware {
  return async (ctx, next) => {
    const length = ctx.req.headers["content-length"] ?? null;
    const read = readRawBody(ctx.req, { limit, length });
    ctx.request.body = await within(withinMs, read, tooSlow).catch((error: BodyError) => refuse(error, ctx));
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

const tooSlow = () => new HttpProblem(408, "Request body took too long", { Connection: "close" });
const notLabelledJson = () => new HttpProblem(415, "Content-Type must be application/json");
const notJson = () => new HttpProblem(400, "Request body is not valid JSON");

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

async function refuse(error: BodyError, { req }: Context): Promise<never> {
  if (error instanceof HttpProblem) throw error;
  if (error.status === 415) throw new HttpProblem(415, "Content-Encoding is not supported");
  if (error.status !== 413) throw notJson();
  const isReusable = await takeRest(req);
  throw new HttpProblem(413, "Request body is too large", isReusable ? {} : { Connection: "close" });
}

/** A client that still writes when the connection closes sees a broken pipe instead of the answer. */
export function takeRest(req: IncomingMessage): Promise<boolean> {
  req.unpipe();
  if (req.readableEnded || req.destroyed) return Promise.resolve(req.readableEnded);
  return new Promise((resolve) => {
    let left = overrun.bytes;
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
