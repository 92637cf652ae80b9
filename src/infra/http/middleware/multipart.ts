import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import busboy, { type Busboy } from "busboy";
import type { Middleware } from "koa";
import { coded, HttpProblem, InvalidInput } from "../routing/dialect.ts";
import { transportFailures } from "../routing/transport-failures.ts";

/** The one field of a form that holds a file. */
export const fileField = "file";

export interface UploadedFile {
  /** What the client calls it, without folders; says nothing about what is in it. */
  readonly name: string;
  /**
   * The bytes as they arrive, read no faster than they are taken. It ends only where the whole form was well formed
   * and held nothing but this file; otherwise it throws, so that what was taken so far must not be kept.
   */
  readonly content: AsyncIterable<Buffer>;
  /** Bytes of the content, as far as the announced length of the form tells. */
  readonly size: { readonly least: number; readonly most: number };
}

const onlyOne = `Se espera un solo ${fileField}, y en ese campo`;
/** Other fields are ignored, in these bounds. */
const fieldLimits = { fields: 20, fieldSize: 16_384, fieldNameSize: 100, headerPairs: 50 };
/** Bytes of a form besides its file. */
const mostOverhead = 512 * 1024;

/**
 * Hands over the file of a multipart form while it arrives: nothing of it is kept here.
 *
 * @param limit - bytes of the file
 */
export function multipartFile(limit: number): Middleware {
  return async (ctx, next) => {
    if (Number(ctx.req.headers["content-length"] ?? 0) > limit + mostOverhead) throw new FileTooLarge();
    const form = new Form(ctx.req, limit);
    try {
      ctx.request.body = await form.file();
      await next();
    } catch (error) {
      form.close();
      throw error;
    }
  };
}

/** The one failure of a form that an endpoint may word itself: `{ message }` where it does not. */
export class FileTooLarge extends HttpProblem {
  readonly code = "file_too_large";

  constructor() {
    const { status, message, error, code } = transportFailures.tooLarge;
    super(status, message, {}, { message }, coded(code, error));
  }
}

/** Of an endpoint's dialect. */
export interface WithFile {
  readonly file_too_large: () => readonly [status: number, body: unknown];
}

class Form {
  private readonly parser: Busboy;
  private found: { readonly name: string; readonly content: Readable } | undefined;
  private readonly firstFile: Promise<void>;
  private readonly whole: Promise<void>;
  private fail: (error: Error) => void = () => {};

  constructor(
    private readonly req: IncomingMessage,
    private readonly limit: number,
  ) {
    this.parser = parserOf(req, limit);
    let foundFile = () => {};
    const failed = new Promise<never>((_, reject) => {
      this.fail = reject;
    });
    const ended = new Promise<void>((resolve) => this.parser.once("close", resolve));
    this.whole = Promise.race([failed, ended]);
    this.firstFile = Promise.race([this.whole, new Promise<void>((resolve) => (foundFile = resolve))]);
    // Heard of by whoever waits; nobody does once another failure was answered.
    this.whole.catch(() => {});
    this.firstFile.catch(() => {});

    this.parser.on("file", (field: string | undefined, content: Readable, info: { filename: string | undefined }) => {
      // Its reader hears of what breaks it.
      content.on("error", () => {});
      if (field !== fileField || this.found) return this.breakOff(onlyOne);
      this.found = { name: info.filename ?? "", content };
      content.once("limit", () => this.breakOff(new FileTooLarge()));
      foundFile();
    });
    this.parser.on("error", () => this.breakOff("El formulario no es válido"));
    this.parser.on("filesLimit", () => this.breakOff(onlyOne));
    req.once("close", () => {
      if (!req.complete) this.breakOff("La subida se interrumpió");
    });
    req.pipe(this.parser);
  }

  async file(): Promise<UploadedFile> {
    await this.firstFile;
    if (!this.found) throw new InvalidInput(`${fileField} es requerido`);
    return { name: this.found.name, content: this.contentOf(this.found.content), size: this.announced() };
  }

  private announced(): UploadedFile["size"] {
    const length = this.req.headers["content-length"];
    if (length === undefined) return { least: 1, most: this.limit };
    return { least: Math.max(1, Number(length) - mostOverhead), most: Math.min(this.limit, Number(length)) };
  }

  close(): void {
    this.req.unpipe(this.parser);
    this.found?.content.destroy();
    this.parser.destroy();
  }

  private async *contentOf(file: Readable): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of file) yield chunk;
    } catch (error) {
      await this.whole;
      throw error;
    }
    await this.whole;
  }

  /** The first reason counts: the others follow from it. */
  private breakOff(reason: string | Error): void {
    const error = typeof reason === "string" ? new InvalidInput(reason) : reason;
    this.fail(error);
    this.req.unpipe(this.parser);
    // The parser tells of this in the middle of a chunk, and does not bear to be gone when it goes on.
    process.nextTick(() => {
      this.parser.destroy();
      this.found?.content.destroy(error);
    });
  }
}

function parserOf(req: IncomingMessage, limit: number): Busboy {
  if (!/^multipart\/form-data\b/i.test(req.headers["content-type"] ?? "")) {
    throw new InvalidInput(`Se espera multipart/form-data con el campo ${fileField}`);
  }
  try {
    // One file more than is taken, to be told of it, and one byte more than is allowed.
    return busboy({
      headers: req.headers,
      defParamCharset: "utf8",
      limits: { ...fieldLimits, files: 2, fileSize: limit + 1 },
    });
  } catch {
    throw new InvalidInput("El formulario no es válido");
  }
}
