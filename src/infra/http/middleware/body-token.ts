import type { IncomingMessage } from "node:http";
import { within } from "../../../kernel/within.ts";
import { bodyMs, tooSlow } from "./body.ts";

/** Bytes at the beginning of a body in which its token has to be complete. */
export const tokenWithin = 16 * 1024;

/**
 * The text in the field `token` of a JSON object, found without parsing the rest and before anybody knows who sends it.
 * The route reads the body from its first byte all the same. Of several fields of that name the first one counts; in
 * compressed bodies none is looked for.
 */
export async function bodyToken(req: IncomingMessage, withinMs = bodyMs): Promise<string | undefined> {
  if (isEmpty(req) || req.headers["content-encoding"] !== undefined) return undefined;
  const search = new Search(req);
  return within(withinMs, search.outcome, tooSlow).finally(() => search.end());
}

const isEmpty = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;

/** Reads bytes as they arrive, and puts them back when it ends. */
class Search {
  readonly outcome: Promise<string | undefined>;
  private readonly scanner = new TokenScanner();
  private readonly taken: Buffer[] = [];
  private left = tokenWithin;
  private settle: (token: string | undefined) => void = () => {};

  constructor(private readonly req: IncomingMessage) {
    this.outcome = new Promise((resolve) => {
      this.settle = resolve;
    });
    req.on("readable", this.read).on("end", this.stop).on("close", this.stop);
  }

  end(token?: string): void {
    this.req.off("readable", this.read).off("end", this.stop).off("close", this.stop);
    if (this.taken.length > 0) this.req.unshift(Buffer.concat(this.taken.splice(0)));
    this.settle(token);
  }

  private readonly stop = (): void => this.end();

  private readonly read = (): void => {
    for (let chunk: Buffer | null = this.req.read(); chunk !== null; chunk = this.req.read()) {
      this.taken.push(chunk);
      const found = this.scanner.feed(chunk.subarray(0, this.left));
      this.left -= chunk.length;
      if (found !== undefined || this.left <= 0) {
        this.end(found ?? undefined);
        return;
      }
    }
    // After the end of the stream, which follows at once, nothing can be put back.
    if (this.req.complete) this.end();
  };
}

/** Looks at the fields of the outermost object only. What is nested in them is counted and not kept. */
class TokenScanner {
  private depth = 0;
  private isInText = false;
  private isEscaped = false;
  /** The latest string of the outermost object, as it is written, one character for each byte. */
  private text = "";
  private field = "";

  /** The token; null where there can be none, undefined where more has to be read. */
  feed(bytes: Buffer): string | null | undefined {
    for (const char of bytes.toString("latin1")) {
      const found = this.isInText ? this.inText(char) : this.betweenTexts(char);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private inText(char: string): string | null | undefined {
    if (char === '"' && !this.isEscaped) {
      this.isInText = false;
      return this.depth === 1 && this.field === "token" ? decoded(this.text) : undefined;
    }
    this.isEscaped = char === "\\" && !this.isEscaped;
    if (this.depth === 1) this.text += char;
    return undefined;
  }

  private betweenTexts(char: string): null | undefined {
    if (char === "{" || char === "[") this.depth += 1;
    else if (char === "}" || char === "]") this.depth -= 1;
    else if (char === '"') {
      this.isInText = true;
      this.text = "";
    } else if (this.depth === 1 && char === ":") this.field = decoded(this.text) ?? "";
    else if (this.depth === 1 && char === ",") this.field = "";
    return this.depth > 0 || /\s/.test(char) ? undefined : null;
  }
}

/** A string between its quotes as it is written in JSON; null where it is none. */
function decoded(written: string): string | null {
  try {
    return JSON.parse(`"${Buffer.from(written, "latin1").toString("utf8")}"`);
  } catch {
    return null;
  }
}
