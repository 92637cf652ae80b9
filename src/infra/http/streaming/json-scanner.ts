import { mostLevels, notJson, tooDeep } from "../middleware/body.ts";
import { InvalidInput } from "../routing/dialect.ts";

/** Bytes of JSON that are parsed in one piece, at most. */
export const mostBytesAtOnce = 64 * 1024;
/** Fields of the outermost object, known or not. */
const mostFields = 100;

/** Bytes of a body, from `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One field of the outermost object. */
export interface FieldSpan {
  /** With its quotes. */
  readonly name: Span;
  readonly value: Span;
  /**
   * Of an array: whole elements and the commas between them, as many as `mostBytesAtOnce` holds. Only one element that
   * is longer by itself makes a longer span.
   */
  readonly elements?: readonly Span[];
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const backslash = 0x5c;
const closeArray = 0x5d;
const open = 0x7b;
const close = 0x7d;
const byteOrderMark = [0xef, 0xbb, 0xbf];

const isStructure = new Uint8Array(256);
for (const byte of [quote, comma, openArray, closeArray, open, close]) isStructure[byte] = 1;

/**
 * Finds where the fields of a JSON object begin and end, and the elements of its arrays, in bytes that come in chunks.
 * It keeps no bytes. It checks what stands between fields; what stands in them is for `JSON.parse`, span by span.
 *
 * A streaming parser would do more, and it takes longer. Of 100,000 contacts (7.3 MB, 2 cores, Node 20) `JSON.parse`
 * needs 42 ms, @streamparser/json 470 ms (its tokenizer alone 210), jsonparse 330 ms, stream-json 1,040 ms, and this
 * scanner with `JSON.parse` of the spans 75 ms.
 */
export class JsonScanner {
  readonly fields: FieldSpan[] = [];
  private at = 0;
  private expected: "object" | "first name" | "name" | "colon" | "value" | "separator" | "end" | "other" = "object";
  /** Open brackets. */
  private depth = 0;
  /** The depth at which a comma ends what is being read: a field's value (1) or an element (2); 0 between fields. */
  private level = 0;
  private inString = false;
  private isEscaped = false;
  private name: Span = { start: 0, end: 0 };
  private valueStart = 0;
  private elements: Span[] = [];
  private elementsStart = 0;
  private lastComma = -1;

  constructor(private readonly spanLimit = mostBytesAtOnce) {}

  /** False where the body is another JSON value, or none: then nothing was found in it. */
  get isObject(): boolean {
    return this.expected === "end";
  }

  /** How many bytes there were. */
  get size(): number {
    return this.at;
  }

  scan(chunk: Buffer): void {
    let { depth, level } = this;
    const length = this.expected === "other" ? 0 : chunk.length;
    for (let index = this.inString ? this.string(chunk, 0) : 0; index < length; index += 1) {
      const byte = chunk[index] as number;
      if (level === 0) {
        if (this.between(byte, this.at + index)) index = this.string(chunk, index + 1) - 1;
        if (this.expected === "other") break;
        ({ depth, level } = this);
      } else if (isStructure[byte] === 0) {
      } else if (byte === quote) {
        index = this.string(chunk, index + 1) - 1;
      } else if (byte === comma) {
        if (depth === level) level = this.separate(this.at + index);
      } else if (byte === open || byte === openArray) {
        depth += 1;
        if (depth > mostLevels) throw tooDeep();
      } else if (depth > level) {
        depth -= 1;
      } else {
        this.close(byte, this.at + index);
        ({ depth, level } = this);
      }
    }
    this.at += chunk.length;
    this.depth = depth;
    if (this.expected === "other" && this.at > mostBytesAtOnce) throw new InvalidInput("Se espera un objeto");
  }

  /** Goes through a string, of which the rest begins at `from`. @returns the place after it, or after the chunk */
  private string(chunk: Buffer, from: number): number {
    this.inString = true;
    let at = from;
    if (this.isEscaped) {
      this.isEscaped = false;
      at += 1;
    }
    // Most strings are shorter than a native search is worth.
    for (const near = Math.min(at + 32, chunk.length); at < near; at += 1) {
      const byte = chunk[at];
      if (byte === quote) return this.endString(at + 1);
      if (byte === backslash) at += 1;
    }
    while (at < chunk.length) {
      const found = chunk.indexOf(quote, at);
      const end = found === -1 ? chunk.length : found;
      let first = end;
      while (first > at && chunk[first - 1] === backslash) first -= 1;
      const isEscaped = (end - first) % 2 === 1;
      if (found !== -1 && !isEscaped) return this.endString(found + 1);
      at = isEscaped ? end + 1 : end;
    }
    this.isEscaped = at > chunk.length;
    return chunk.length;
  }

  private endString(end: number): number {
    this.inString = false;
    if (this.level === 0) this.endName(this.at + end);
    return end;
  }

  /** To be called after the last chunk. */
  end(): void {
    if (this.expected !== "end" && this.expected !== "other") throw notJson();
  }

  /** Takes a byte that is in no value; whether it begins a string. */
  private between(byte: number, at: number): boolean {
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return false;
    switch (this.expected) {
      case "object":
        if (byte === byteOrderMark[at]) return false;
        this.expected = byte === open && (at === 0 || at >= byteOrderMark.length) ? "first name" : "other";
        this.depth = 1;
        return false;
      case "first name":
      case "name":
        if (byte === close && this.expected === "first name") return this.expect("end");
        if (byte !== quote) throw notJson();
        this.name = { start: at, end: at };
        return true;
      case "colon":
        if (byte !== colon) throw notJson();
        return this.expect("value");
      case "value":
        return this.begin(byte, at);
      case "separator":
        if (byte === comma) return this.expect("name");
        if (byte === close) return this.expect("end");
        throw notJson();
      default:
        throw notJson();
    }
  }

  private expect(next: typeof this.expected): false {
    this.expected = next;
    return false;
  }

  private endName(end: number): void {
    this.name = { start: this.name.start, end };
    this.expected = "colon";
  }

  private begin(byte: number, at: number): boolean {
    if (byte === comma || byte === colon || byte === close || byte === closeArray) throw notJson();
    this.valueStart = at;
    this.level = byte === openArray ? 2 : 1;
    this.depth = byte === openArray || byte === open ? 2 : 1;
    this.elements = [];
    this.elementsStart = at + 1;
    this.lastComma = -1;
    return byte === quote;
  }

  /** A comma after a value or an element. @returns the level from here on */
  private separate(at: number): number {
    if (this.level === 2) {
      this.cut(at);
      this.lastComma = at;
    } else {
      this.found(at);
      this.expected = "name";
    }
    return this.level;
  }

  /** The bracket that ends an array of the outermost object, or that object itself. */
  private close(byte: number, at: number): void {
    if (byte !== (this.level === 2 ? closeArray : close)) throw notJson();
    if (this.level === 2) {
      this.cut(at);
      this.elements.push({ start: this.elementsStart, end: at });
      this.found(at + 1, this.elements);
      this.expected = "separator";
    } else {
      this.found(at);
      this.expected = "end";
    }
  }

  /** Ends the span of elements at the comma before, where it would get too long with the one that ends here. */
  private cut(at: number): void {
    if (at - this.elementsStart <= this.spanLimit || this.lastComma < this.elementsStart) return;
    this.elements.push({ start: this.elementsStart, end: this.lastComma });
    this.elementsStart = this.lastComma + 1;
  }

  private found(end: number, elements?: readonly Span[]): void {
    const value = { start: this.valueStart, end };
    this.fields.push(elements ? { name: this.name, value, elements } : { name: this.name, value });
    if (this.fields.length > mostFields) {
      throw new InvalidInput(`La solicitud no puede tener más de ${mostFields} campos`);
    }
    this.level = 0;
    this.depth = 1;
  }
}
