import { mostLevels, notJson, tooDeep } from "../middleware/body.ts";
import { InvalidInput } from "../routing/dialect.ts";

/** The largest piece of JSON that is parsed at once, in bytes. */
export const mostBytesAtOnce = 64 * 1024;
/** The maximum number of fields of the outermost object. */
const mostFields = 100;

/** A range of bytes. The byte at `end` is not part of it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface FieldSpan {
  /** Includes the quotes. */
  readonly name: Span;
  readonly value: Span;
  /** For an array: its elements, in spans of at most `mostBytesAtOnce`. A longer element has a span of its own. */
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
 * Finds the positions of a JSON object's fields, and of its arrays' elements, while the bytes arrive. The bytes are
 * not stored here. `JSON.parse` later reads the values span by span.
 *
 * Streaming parsers are slower. For 100,000 contacts (7.3 MB, 2 cores, Node 20) `JSON.parse` needs 42 ms, this scanner
 * with `JSON.parse` of the spans 75 ms, jsonparse 330 ms, @streamparser/json 470 ms and stream-json 1,040 ms.
 */
export class JsonScanner {
  readonly fields: FieldSpan[] = [];
  private at = 0;
  private expected: "object" | "first name" | "name" | "colon" | "value" | "separator" | "end" | "other" = "object";
  private depth = 0;
  /** 2 in a field's array, 1 in any other value, 0 between values. A comma at this depth ends the element or value. */
  private level = 0;
  private inString = false;
  private isEscaped = false;
  private name: Span = { start: 0, end: 0 };
  private valueStart = 0;
  private elements: Span[] = [];
  private elementsStart = 0;
  private lastComma = -1;

  constructor(private readonly spanLimit = mostBytesAtOnce) {}

  /** Whether the body is an object; known once `isDone` is true. In any other body, the scanner finds no fields. */
  get isObject(): boolean {
    return this.expected === "end";
  }

  /** True after the end of the object, and for a body that is not an object. */
  get isDone(): boolean {
    return this.expected === "end" || this.expected === "other";
  }

  /** In bytes. */
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

  /** Skips a string. @returns the index after it, or the chunk's length if the string does not end in this chunk */
  private string(chunk: Buffer, from: number): number {
    this.inString = true;
    let at = from;
    if (this.isEscaped) {
      this.isEscaped = false;
      at += 1;
    }
    // Most strings are too short to profit from a native search.
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

  /** Call it after the last chunk. */
  end(): void {
    if (!this.isDone) throw notJson();
  }

  /** Handles a byte between fields. Returns true if it begins a string. */
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

  /** Handles a comma after a value or an element. @returns the new level */
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

  /** Handles the closing bracket of an array or of the outermost object. */
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

  /** Ends the span before the element that ends at `at`, if the span would be too long with this element. */
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
