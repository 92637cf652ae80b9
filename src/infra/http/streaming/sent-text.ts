import type { IncomingMessage } from "node:http";
import type { Middleware } from "koa";
import { InvalidInput, transportProblem } from "../routing/dialect.ts";

/** The decoded pieces of a text, read on demand. */
export type SentText = AsyncIterable<string>;

/**
 * Streams a CSV file in UTF-8 or Latin-1.
 *
 * @param limit - in bytes
 */
export function sentCsv(limit: number): Middleware {
  return (ctx, next) => {
    const { headers } = ctx.req;
    const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
    if (type.trim() !== "text/csv") throw transportProblem("notLabelledCsv");
    if ((headers["content-encoding"] ?? "identity") !== "identity") throw transportProblem("badEncoding");
    if (Number(headers["content-length"] ?? 0) > limit) throw transportProblem("tooLarge");
    const isLatin = parameters.some((each) => /^\s*charset="?(iso-8859-1|latin-?1|windows-1252)"?\s*$/.test(each));
    ctx.state.readsOn = true;
    ctx.request.body = decoded(bytesOf(ctx.req, limit), isLatin);
    return next();
  };
}

async function* bytesOf(req: IncomingMessage, limit: number): AsyncGenerator<Buffer> {
  let taken = 0;
  // Leaving the loop must not destroy the request, since the client still gets an answer.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    taken += chunk.length;
    if (taken > limit) throw new InvalidInput("El CSV es demasiado grande");
    yield chunk;
  }
}

/** Decodes chunks as UTF-8. If `isLatin`, or from the first invalid chunk on, decodes them as Windows-1252. */
export async function* decoded(bytes: AsyncIterable<Buffer>, isLatin: boolean): AsyncGenerator<string> {
  const latin = new TextDecoder("windows-1252");
  let reading = isLatin;
  let held = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const all = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const whole = reading ? all.length : wholeCharacters(all);
    const text = reading ? null : utf8(all.subarray(0, whole));
    reading ||= text === null;
    held = text === null ? Buffer.alloc(0) : Buffer.from(all.subarray(whole));
    yield text ?? latin.decode(all);
  }
  if (held.length > 0) yield latin.decode(held);
}

function utf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The number of bytes up to the end of the last complete character. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
