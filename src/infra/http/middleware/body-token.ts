import type { IncomingMessage } from "node:http";
import { within } from "../../../kernel/within.ts";
import { JsonScanner, type Span } from "../streaming/json-scanner.ts";
import { bodyMs, hasBody, onBrokenOff, tooSlow } from "./body.ts";

/** The token must lie within this many bytes at the start of a body. */
export const tokenWithin = 16 * 1024;

/**
 * Finds the field `token` of a JSON body without parsing the rest, since the sender is not authenticated yet. The bytes
 * are put back for the route. If there are several such fields, takes the first. Does not search compressed bodies.
 */
export async function bodyToken(req: IncomingMessage): Promise<string | undefined> {
  if (!hasBody(req) || req.headers["content-encoding"] !== undefined) return undefined;
  const search = new Search(req);
  return within(bodyMs, search.outcome, tooSlow).finally(() => search.end());
}

/** Reads from the request. When the search ends, puts the bytes back. */
class Search {
  readonly outcome: Promise<string | undefined>;
  private readonly scanner = new JsonScanner();
  private readonly taken: Buffer[] = [];
  private left = tokenWithin;
  private token: string | undefined;
  private isBroken = false;
  private settle: (token: string | undefined) => void = () => {};

  constructor(private readonly req: IncomingMessage) {
    this.outcome = new Promise((resolve) => {
      this.settle = resolve;
    });
    req.on("readable", this.read).on("end", this.end);
    onBrokenOff(req, this.end);
  }

  readonly end = (): void => {
    this.req.off("readable", this.read).off("end", this.end);
    if (this.taken.length > 0) this.req.unshift(Buffer.concat(this.taken.splice(0)));
    this.settle(this.token);
  };

  private readonly read = (): void => {
    for (let chunk: Buffer | null = this.req.read(); chunk !== null; chunk = this.req.read()) {
      this.taken.push(chunk);
      this.scan(chunk.subarray(0, this.left));
      this.left -= chunk.length;
      if (this.token !== undefined || this.isBroken || this.scanner.isDone || this.left <= 0) {
        this.end();
        return;
      }
    }
    // Ends the search now, since bytes cannot be put back after the end of the stream.
    if (this.req.complete) this.end();
  };

  private scan(chunk: Buffer): void {
    const { fields } = this.scanner;
    const known = fields.length;
    try {
      this.scanner.scan(chunk);
    } catch {
      this.isBroken = true;
    }
    if (fields.length === known) return;
    const bytes = Buffer.concat(this.taken);
    const texts = fields.slice(known).map(({ name, value }) => [textAt(bytes, name), textAt(bytes, value)]);
    this.token = texts.find(([name, value]) => name === "token" && value !== undefined)?.[1];
  }
}

/** The JSON string in these bytes; undefined for another value. */
function textAt(bytes: Buffer, { start, end }: Span): string | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8", start, end));
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
