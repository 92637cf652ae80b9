import Papa from "papaparse";
import { answered, api } from "../shared/api.ts";
import { unguarded } from "../shared/csv-guard.ts";
import { fetchCsv } from "../shared/download.ts";
import { encodingOf } from "../shared/encoding.ts";
import { newKey } from "../shared/new-key.ts";
import { readCsv } from "../shared/read-csv.ts";
import { importRows, rowsIn } from "../shared/row-import.ts";

/** A recipient, with the fields that placeholders can use. */
interface Recipient {
  readonly id: number;
  readonly fields: Readonly<Record<string, string>>;
}

/** Why a row of a file cannot be a recipient. */
type RowReason = "noNumber" | "rounded" | "twice" | "wrongNumber";

export interface Audience {
  /** Identifies the audience in the keys of queries. */
  readonly key: string;
  readonly recipients: readonly Recipient[];
  /** Names of fields that placeholders can use. */
  readonly fields: readonly string[];
  /** Rows of a file that cannot be recipients. The header is row 1. */
  readonly refused: readonly { readonly row: number; readonly cells: string; readonly reason: RowReason }[];
}

/** Columns of an export that placeholders cannot use. */
const ownColumns = new Set(["id", "opted_out", "tags", "creado"]);

/**
 * The contacts that have a number and accept messages. With a `tag`, only those that also have this tag. The contacts
 * are read as one CSV file, since reading them in pages could take many requests.
 */
export async function audienceOf(tag: number | null, signal: AbortSignal): Promise<Audience> {
  const search = new URLSearchParams({ opted_out: "false", ...(tag !== null && { tag: String(tag) }) });
  const rows = await exported(search, signal);
  const [first] = rows;
  return {
    key: newKey(),
    fields: Object.keys(first ?? {}).filter((name) => !ownColumns.has(name)),
    recipients: rows.filter(({ numero }) => numero).map((row) => ({ id: Number(row.id), fields: row })),
    refused: [],
  };
}

type Row = Record<string, string>;

async function exported(search: URLSearchParams, signal: AbortSignal): Promise<Row[]> {
  const response = await fetchCsv(`/contacts?${search}`, signal);
  return Papa.parse<Row>(await response.text(), {
    header: true,
    skipEmptyLines: true,
    transformHeader: unguarded,
    transform: unguarded,
  }).data;
}

export interface Sheet {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

const mostRows = 100_000;

/** Thrown for a file that cannot be an audience. */
export class WrongSheet extends Error {
  constructor(readonly why: "empty" | "tooMany" | "notText") {
    super(why);
  }
}

/** Throws `WrongSheet`. */
export async function readSheet(file: File): Promise<Sheet> {
  const encoding = await encodingOf(file);
  if (encoding === null) throw new WrongSheet("notText");
  const rows: Row[] = [];
  let columns: readonly string[] = [];
  await readCsv<Row>(
    file,
    encoding,
    ({ data, meta }) => {
      columns = (meta.fields ?? []).filter((name) => name !== "");
      rows.push(...data);
      return rows.length <= mostRows;
    },
    // `unguarded` removes the apostrophes that exports of this service put before texts that look like formulas.
    { header: true, transformHeader: (name) => unguarded(name.trim()), transform: unguarded },
  );
  if (rows.length > mostRows) throw new WrongSheet("tooMany");
  if (columns.length === 0 || rows.length === 0) throw new WrongSheet("empty");
  return { name: file.name, columns, rows };
}

const wanted = /n[uú]mero|tel[eé]fono|telefone|celular|phone|whatsapp|m[oó]vil/i;
const named = /^(nombre|name|nome|cliente)/i;

export const guessNumber = (columns: readonly string[]): string | null =>
  columns.find((each) => wanted.test(each)) ?? null;
export const guessName = (columns: readonly string[]): string | null =>
  columns.find((each) => named.test(each)) ?? null;

export interface SheetColumns {
  readonly number: string;
  readonly name: string | null;
}

const digitsOf = (text: string): string => text.replace(/\D/g, "");

/** Whether the number is written like `5,917E+10`, as spreadsheets do. Such a number has lost digits. */
const isRounded = (text: string): boolean => /^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i.test(text.trim());

/**
 * Imports the numbers and names as contacts with the campaign's tag, then exports the contacts with this tag to get
 * their ids. The other columns are not imported: they only fill placeholders.
 */
export async function audienceOfSheet(
  sheet: Sheet,
  { number, name }: SheetColumns,
  tag: { readonly id: number; readonly nombre: string },
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<Audience> {
  const refused: Audience["refused"][number][] = [];
  const first = new Map<string, { readonly row: Row; readonly at: number }>();
  sheet.rows.forEach((row, index) => {
    const written = row[number] ?? "";
    const digits = digitsOf(written);
    const refuse = (reason: RowReason) =>
      refused.push({ row: index + 2, cells: Object.values(row).join(" · "), reason });
    if (digits === "") refuse("noNumber");
    else if (isRounded(written)) refuse("rounded");
    else if (first.has(digits)) refuse("twice");
    else first.set(digits, { row, at: index + 2 });
  });
  const lines = [...first].map(([digits, { row }]) => [digits, name ? (row[name] ?? "") : "", tag.nombre]);
  const csv = Papa.unparse({ fields: ["numero", "nombre", "tags"], data: lines });
  await importRows("/contacts/import", csv, (progress) => onProgress(rowsIn(progress)), signal);
  const contacts = await exported(new URLSearchParams({ tag: String(tag.id) }), signal);
  const idOf = new Map(contacts.map((contact) => [digitsOf(contact.numero ?? ""), contact]));
  const recipients: Recipient[] = [];
  for (const [digits, { row, at }] of first) {
    const contact = idOf.get(digits);
    if (contact) {
      const own = { nombre: (name && row[name]) || contact.nombre || digits, numero: contact.numero ?? digits };
      recipients.push({ id: Number(contact.id), fields: { ...row, ...own } });
    } else refused.push({ row: at, cells: Object.values(row).join(" · "), reason: "wrongNumber" });
  }
  return { key: newKey(), recipients, fields: sheet.columns, refused: refused.sort((a, b) => a.row - b.row) };
}

/** The tag of a campaign's contacts; it is created if it is missing. */
export async function tagFor(name: string): Promise<{ readonly id: number; readonly nombre: string }> {
  // `|` is replaced, since it separates tags in an imported file.
  const nombre = name.replaceAll("|", "/").slice(0, 60).trim();
  const { data } = await answered(api.GET("/tags", { params: { query: { q: nombre, limit: 100 } } }));
  const known = data.find((tag) => tag.nombre === nombre);
  if (known) return { id: known.id, nombre };
  const { id } = await answered(api.POST("/admin/tags", { body: { nombre } }));
  return { id, nombre };
}
