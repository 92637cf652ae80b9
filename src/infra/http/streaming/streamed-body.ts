import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Transform, Writable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { parse } from "@hapi/bourne";
import type { Middleware } from "koa";
import { within } from "../../../kernel/within.ts";
import { bodyMs, hasBody, hasOtherCharset, notJson, onBrokenOff, tooSlow } from "../middleware/body.ts";
import { InvalidInput, transportProblem } from "../routing/dialect.ts";
import { refuseNullCharacter } from "../routing/parser.ts";
import { type FieldSpan, JsonScanner, mostBytesAtOnce, type Span } from "./json-scanner.ts";
import { Spool } from "./spool.ts";
import { type CheckElements, StreamedArray, type WrongElement } from "./streamed-array.ts";

interface StreamedFields {
  /** Names of fields of the outermost object. Fields with other names are dropped. */
  readonly known: ReadonlySet<string>;
  /** The arrays that are read in batches. Only one batch is in memory at a time. */
  readonly streamed: ReadonlyMap<string, CheckElements>;
}

export class StreamedBody {
  constructor(
    /** The known fields, with a `StreamedArray` for each streamed array. */
    readonly value: unknown,
    /** SHA-256 of the decompressed bytes. */
    readonly digest: Uint8Array,
  ) {}
}

/**
 * Receives a JSON body with large arrays. The handler runs only when the body is complete, so that a slow client takes
 * no place in the route's lane. If a field occurs several times, the last one counts, as with `JSON.parse`.
 *
 * @param limit - bytes after decompression
 */
export function streamedBody(limit: number, fields: StreamedFields, withinMs = bodyMs): Middleware {
  return async (ctx, next) => {
    if (!hasBody(ctx.req)) {
      ctx.request.body = new StreamedBody({}, createHash("sha256").digest());
      return next();
    }
    if (!isJson(ctx.get("content-type"))) throw transportProblem("notLabelledJson");
    if (hasOtherCharset(ctx.get("content-type"))) throw transportProblem("badCharset");
    const spool = new Spool();
    try {
      const upload = new Upload(ctx.req, spool, limit);
      await within(withinMs + msFor(ctx.req, limit), upload.received, tooSlow).catch(async (error: unknown) => {
        await upload.breakOff();
        throw error;
      });
      const value = await readValue(upload.scanner, readerOf(spool, ctx.req), fields);
      ctx.request.body = new StreamedBody(value, upload.digest());
      await next();
    } finally {
      await spool.close();
    }
  };
}

/** A client has `withinMs` to send its body, plus one millisecond for each `leastRate` bytes of the body. */
const leastRate = 500;

const msFor = ({ headers }: IncomingMessage, limit: number): number =>
  Math.min(Number(headers["content-length"] ?? limit), limit) / leastRate;

/** A body without a content type counts as JSON. */
const isJson = (type: string): boolean =>
  type === "" || /^(application\/json|[^\s;/]+\/[^\s;/]+\+json)\s*(;|$)/i.test(type);

/** Writes a body into a spool, with backpressure. */
class Upload {
  readonly scanner = new JsonScanner();
  readonly received: Promise<void>;
  private readonly hash = createHash("sha256");
  private readonly decoder: Transform | undefined;
  private readonly sink: Writable;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly req: IncomingMessage,
    private readonly spool: Spool,
    private readonly limit: number,
  ) {
    this.decoder = decoderOf(req);
    this.sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.writing = this.take(chunk);
        this.writing.then(() => done(), done);
      },
    });
    this.received = new Promise((resolve, reject) => {
      this.sink.once("finish", resolve).once("error", reject);
      this.decoder?.once("error", () => reject(notJson()));
      onBrokenOff(req, () => reject(notJson()));
    });
    const declared = this.decoder ? 0 : Number(req.headers["content-length"] ?? 0);
    if (declared > limit) this.sink.destroy(transportProblem("tooLarge"));
    else (this.decoder ? req.pipe(this.decoder) : req).pipe(this.sink);
  }

  digest(): Uint8Array {
    return this.hash.digest();
  }

  async breakOff(): Promise<void> {
    this.req.unpipe();
    this.decoder?.destroy();
    this.sink.destroy();
    await this.writing.catch(() => {});
  }

  private async take(chunk: Buffer): Promise<void> {
    if (this.scanner.size + chunk.length > this.limit) throw transportProblem("tooLarge");
    this.scanner.scan(chunk);
    this.hash.update(chunk);
    await this.spool.write(chunk);
  }
}

function decoderOf({ headers }: IncomingMessage): Transform | undefined {
  switch (headers["content-encoding"]) {
    case undefined:
    case "identity":
      return undefined;
    case "gzip":
    case "deflate":
      return createUnzip();
    case "br":
      return createBrotliDecompress();
    default:
      throw transportProblem("badEncoding");
  }
}

type Read = (span: Span) => Promise<string>;

/** The reader throws once the client has left, so that the work for this client ends. */
const readerOf =
  (spool: Spool, { socket }: IncomingMessage): Read =>
  async ({ start, end }) => {
    if (socket.destroyed) throw transportProblem("brokenOff");
    return (await spool.read(start, end)).toString();
  };

async function readValue(scanner: JsonScanner, read: Read, { known, streamed }: StreamedFields): Promise<unknown> {
  scanner.end();
  if (!scanner.isObject) {
    const text = await read({ start: 0, end: scanner.size });
    return text === "" ? {} : parsed(text);
  }
  const value: Record<string, unknown> = {};
  for (const field of scanner.fields) {
    const name = await nameOf(field, read);
    const check = field.elements && streamed.get(name);
    const found = check ? await arrayOf(name, field.elements, read, check) : await plainOf(name, field.value, read);
    if (known.has(name)) value[name] = found;
  }
  return value;
}

async function nameOf({ name: span }: FieldSpan, read: Read): Promise<string> {
  if (isTooLong(span)) throw new InvalidInput("La solicitud no es válida");
  const text = await read(span);
  const name = parsed(text) as string;
  if (mayHoldNull(text)) refuseNullCharacter({ [name]: null });
  return name;
}

async function plainOf(name: string, span: Span, read: Read): Promise<unknown> {
  if (isTooLong(span)) {
    throw new InvalidInput(`${name.slice(0, 100)} no puede tener más de ${mostBytesAtOnce} bytes`);
  }
  const text = await read(span);
  const value = parsed(text);
  if (mayHoldNull(text)) refuseNullCharacter({ [name]: value });
  return value;
}

async function arrayOf(
  name: string,
  spans: readonly Span[],
  read: Read,
  check: CheckElements,
): Promise<StreamedArray<unknown>> {
  let length = 0;
  let wrong: WrongElement | undefined;
  for (const span of spans) {
    if (isTooLong(span)) {
      wrong ??= { keyword: "maxBytes", instancePath: `/${length}`, params: { limit: mostBytesAtOnce } };
      length += 1;
      continue;
    }
    const text = await read(span);
    const elements = elementsOf(text);
    // An empty array has one empty span. An empty span among several means a superfluous comma.
    if (elements.length === 0 && spans.length > 1) throw notJson();
    if (mayHoldNull(text)) refuseNullCharacter({ [name]: elements });
    wrong ??= check(elements, length);
    length += elements.length;
  }
  return new StreamedArray(length, wrong, async function* () {
    for (const span of spans) yield elementsOf(await read(span));
  });
}

const isTooLong = ({ start, end }: Span): boolean => end - start > mostBytesAtOnce;

const elementsOf = (text: string): readonly unknown[] => parsed(`[${text}]`) as readonly unknown[];

function parsed(text: string): unknown {
  try {
    return parse(text, { protoAction: "remove" });
  } catch {
    throw notJson();
  }
}

const mayHoldNull = (text: string): boolean => text.includes("\\u0000");
