import { csvLine } from "../../../infra/http/csv.ts";
import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { parser } from "../../../infra/http/routing/parser.ts";
import type { Schema } from "../../../infra/http/routing/schema.ts";
import { reasonColumn } from "../../../infra/http/streaming/csv-import.ts";
import { DomainError } from "../../../kernel/errors.ts";
import type { ImportRow } from "../../../kernel/row-imports.ts";
import { storableText } from "../../../kernel/text.ts";
import type { RowRefusal } from "../../application/import-records.ts";
import type { Matching, RowInput, StoredRecord } from "../../domain/records.ts";
import type { WireCodec } from "./record-on-wire.ts";

const words = new Map([
  ...["true", "1", "si", "sí", "yes"].map((word): [string, boolean] => [word, true]),
  ...["false", "0", "no"].map((word): [string, boolean] => [word, false]),
]);

/** Converts records of one resource to and from rows of CSV files. */
export class RowCodec<Fields extends object> {
  /** The columns of an export. An import uses `id` and the writable columns, and ignores the other columns. */
  readonly columns: readonly string[];
  private readonly readers: ReadonlyMap<string, (cell: string) => unknown>;
  private readonly parse: (raw: unknown) => unknown;

  constructor(
    private readonly codec: WireCodec<Fields>,
    private readonly matching: Matching<Fields>,
  ) {
    const { properties } = codec.body;
    this.columns = Object.keys(codec.answer.properties).filter((name) => name !== "version");
    this.readers = new Map(Object.entries(properties).map(([name, schema]) => [name, readerOf(schema)]));
    this.parse = parser({ type: "object", properties });
  }

  get header(): string {
    return csvLine(this.columns);
  }

  lineOf(kept: StoredRecord<Fields>): string {
    const wire = this.codec.toWire(kept) as Readonly<Record<string, unknown>>;
    return csvLine(this.columns.map((name) => cellOf(wire[name])));
  }

  /**
   * Makes a reader of the rows below this header. Throws `InvalidInput` if a column that the matching needs is missing,
   * or if a column repeats.
   */
  readerOf(header: readonly string[]): (cells: readonly string[]) => ImportRow<RowInput<Fields>, RowRefusal> {
    const places = this.placesIn(header);
    return (cells) => {
      const input: Record<string, unknown> = {};
      for (const [name, read] of this.readers) {
        const cell = storableText(cells[places.get(name) ?? -1] ?? "");
        // An empty cell keeps the stored value. In a new record the field gets its fallback.
        if (cell !== "") input[name] = read(cell);
      }
      try {
        this.parse(input);
        const id = numberIn(cells[places.get("id") ?? -1] ?? "");
        return { cells, row: { id: typeof id === "number" ? id : null, fields: this.codec.inputIn(input) } };
      } catch (error) {
        if (error instanceof DomainError) return { cells, refusal: error };
        throw error;
      }
    };
  }

  private placesIn(header: readonly string[]): ReadonlyMap<string, number> {
    const places = new Map<string, number>();
    for (const [at, written] of header.entries()) {
      const name = written.trim().toLowerCase();
      if (!this.columns.includes(name) || name === reasonColumn) continue;
      if (places.has(name)) throw new InvalidInput("El CSV tiene una columna repetida");
      places.set(name, at);
    }
    const { by, orElseBy = [] } = this.matching;
    const { required = [] } = this.codec.body;
    const all = [...by, ...orElseBy].map((field) => this.codec.wireName(field));
    const needed = by.map((field) => this.codec.wireName(field)).filter((name) => required.includes(name));
    const missing = needed.find((name) => !places.has(name));
    if (missing !== undefined) throw new InvalidInput(`El CSV debe tener la columna ${missing}`);
    if (!all.some((name) => places.has(name))) throw new InvalidInput(`El CSV debe tener la columna ${all[0]}`);
    return places;
  }
}

const cellOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.join("|");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
};

const numberIn = (cell: string): number | string => (/^-?\d{1,16}$/.test(cell.trim()) ? Number(cell) : cell);

/** Makes a reader of cells. A cell that it cannot convert stays text, which validation refuses. */
function readerOf(schema: Schema): (cell: string) => unknown {
  const types = typesOf(schema);
  if (types.has("string")) return (cell) => cell;
  if (types.has("array")) return (cell) => cell.split("|").flatMap((each) => (each.trim() ? numberIn(each) : []));
  if (types.has("boolean")) return (cell) => words.get(cell.trim().toLowerCase()) ?? cell;
  return numberIn;
}

function typesOf(schema: Schema): ReadonlySet<unknown> {
  if (typeof schema === "boolean") return new Set();
  const either = (schema.anyOf ?? []) as readonly Schema[];
  return new Set([schema.type].flat().concat(...either.map((each) => [...typesOf(each)] as never[])));
}
