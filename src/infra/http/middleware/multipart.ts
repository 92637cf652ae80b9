import type { IncomingMessage } from "node:http";
import { type Readable, Transform } from "node:stream";
import busboy, { type Busboy } from "busboy";
import type { Middleware } from "koa";
import { nextTurn } from "../../../kernel/turns.ts";
import { coded, HttpProblem, InvalidInput } from "../routing/dialect.ts";
import { transportFailures } from "../routing/transport-failures.ts";
import { onBrokenOff } from "./body.ts";

export const fileField = "file";

export interface UploadedFile {
  /** The file's name as the client gave it, without folders. The name does not prove what the content is. */
  readonly name: string;
  /** Throws if the form is refused or breaks off, perhaps only at the end. After an error, discard all bytes. */
  readonly content: AsyncIterable<Buffer>;
  /** Bounds of the file's size in bytes, computed from the form's Content-Length. */
  readonly size: { readonly least: number; readonly most: number };
}

const onlyOne = `Se espera un solo ${fileField}, y en ese campo`;
/** The most parts of a form, its file included. Parts that are not files are ignored. */
export const mostParts = 100;
/** The most bytes of a form besides its file. */
const mostOverhead = 512 * 1024;

/**
 * Streams the file of a multipart form to the handler.
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

/** Endpoints may word this failure themselves. */
class FileTooLarge extends HttpProblem {
  readonly code = "file_too_large";

  constructor() {
    const { status, message, error, code } = transportFailures.tooLarge;
    super(status, message, {}, { message }, coded(code, error));
  }
}

/** The part of a dialect that words `FileTooLarge`. */
export interface WithFile {
  readonly file_too_large: () => readonly [status: number, body: unknown];
}

class Form {
  /** The parser can take a millisecond for 64 kB, so other requests get a turn between two chunks. */
  private readonly paced = new Transform({
    async transform(chunk, _encoding, done) {
      await nextTurn();
      done(null, chunk);
    },
  });
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
    // When these promises reject, perhaps nothing awaits them. An unhandled rejection would end the process.
    this.whole.catch(() => {});
    this.firstFile.catch(() => {});

    this.parser.on("file", (field: string | undefined, content: Readable, info: { filename: string | undefined }) => {
      // Without a listener, an error before the first read would end the process. The reader still gets the error.
      content.on("error", () => {});
      if (field !== fileField || this.found) return this.breakOff(onlyOne);
      this.found = { name: info.filename ?? "", content };
      content.once("limit", () => this.breakOff(new FileTooLarge()));
      foundFile();
    });
    this.parser.on("error", () => this.breakOff("El formulario no es válido"));
    this.parser.on("filesLimit", () => this.breakOff(onlyOne));
    this.parser.on("partsLimit", () => this.breakOff(`El formulario no puede tener más de ${mostParts} partes`));
    onBrokenOff(req, () => this.breakOff("La subida se interrumpió"));
    req.pipe(this.paced).pipe(this.parser);
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
    this.req.unpipe(this.paced);
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

  /** Only the first reason is reported, since it causes the later ones. */
  private breakOff(reason: string | Error): void {
    const error = typeof reason === "string" ? new InvalidInput(reason) : reason;
    this.fail(error);
    this.req.unpipe(this.paced);
    // busboy emits events in the middle of a chunk and must not be destroyed before it has finished the chunk.
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
    // Each limit is one higher than ours, so that a form that exceeds our limits is noticed.
    return busboy({
      headers: req.headers,
      defParamCharset: "utf8",
      limits: { parts: mostParts + 1, files: 2, fileSize: limit + 1 },
    });
  } catch {
    throw new InvalidInput("El formulario no es válido");
  }
}
