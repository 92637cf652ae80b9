import Papa from "papaparse";
import { encodingOf } from "../shared/encoding.ts";
import { readCsv } from "../shared/read-csv.ts";

/** A file of contacts with a sample of its rows. */
export interface Sheet {
  readonly file: File;
  readonly encoding: string;
  readonly columns: readonly string[];
  /** The first rows after the header. */
  readonly samples: readonly (readonly string[])[];
  /** The number of rows without the header. */
  readonly rows: number;
}

/** What a column is imported as. */
export type Target =
  | { readonly kind: "number" | "name" | "tags" | "optedOut" | "skip" }
  | { readonly kind: "field"; readonly name: string };

type WrongSheetReason = "notText" | "empty" | "tooMany" | "tooLarge" | "noNumber" | "double" | "longName" | "noName";

export class WrongSheet extends Error {
  constructor(readonly why: WrongSheetReason) {
    super(why);
  }
}

/** The service's limit for one import. */
export const mostRows = 500_000;
const largestBytes = 256 * 1024 * 1024;
const longestFieldName = 100;
const sampleRows = 5;

export async function openSheet(file: File): Promise<Sheet> {
  if (file.size > largestBytes) throw new WrongSheet("tooLarge");
  const encoding = await encodingOf(file);
  if (encoding === null) throw new WrongSheet("notText");
  const first: string[][] = [];
  let count = -1;
  await readCsv<string[]>(file, encoding, ({ data: rows }) => {
    first.push(...rows.slice(0, 1 + sampleRows - first.length));
    count += rows.length;
    return count <= mostRows;
  });
  if (count > mostRows) throw new WrongSheet("tooMany");
  const [header = [], ...samples] = first;
  const columns = header.map((name) => name.trim());
  if (count < 1 || columns.every((name) => name === "")) throw new WrongSheet("empty");
  return { file, encoding, columns, samples, rows: count };
}

const words: readonly (readonly ["number" | "name" | "tags" | "optedOut" | "skip", RegExp])[] = [
  ["number", /^(n[uú]mero|tel[eé]fono|telefone|celular|phone|whatsapp|m[oó]vil|mobile|number)\b/i],
  ["name", /^(nombre|name|nome|cliente|full name)\b/i],
  ["tags", /^(tags?|etiquetas?)$/i],
  ["optedOut", /^opted[_ ]?out$/i],
  ["skip", /^(id|creado|motivo)$/i],
];

/** Guesses the targets from headers. Each standard field is used once at most; unknown headers become custom fields. */
export function guessTargets(columns: readonly string[]): readonly Target[] {
  const given = new Set<string>();
  return columns.map((column): Target => {
    if (column === "") return { kind: "skip" };
    const [kind] = words.find(([kind, pattern]) => pattern.test(column) && (kind === "skip" || !given.has(kind))) ?? [];
    if (kind === undefined) return { kind: "field", name: column.replace(/^campos\./, "") };
    given.add(kind);
    return { kind };
  });
}

/** Why the file cannot be imported with these columns; null if it can. */
export function complaintAbout(targets: readonly Target[]): WrongSheetReason | null {
  if (!targets.some(({ kind }) => kind === "number")) return "noNumber";
  const headers = targets.map(headerOf).filter((header) => header !== null);
  const fields = targets.flatMap((target) => (target.kind === "field" ? target.name.trim() : []));
  if (fields.includes("")) return "noName";
  if (fields.some((name) => name.length > longestFieldName)) return "longName";
  return new Set(headers).size < headers.length ? "double" : null;
}

const headers = { number: "numero", name: "nombre", tags: "tags", optedOut: "opted_out" } as const;
const reserved = /^\s*(id|nombre|numero|opted_out|tags|creado|motivo)\s*$|^campos\./i;

/** The service's header of a column; null if it is skipped. */
export function headerOf(target: Target): string | null {
  if (target.kind === "skip") return null;
  if (target.kind !== "field") return headers[target.kind];
  const name = target.name.trim();
  return reserved.test(name) ? `campos.${name}` : name;
}

/** The file as the service expects it: in UTF-8, with commas and the service's headers. */
export async function csvOf({ file, encoding, columns }: Sheet, targets: readonly Target[]): Promise<Blob> {
  const kept = targets.flatMap((target, at) => (headerOf(target) === null ? [] : at));
  const header = kept.map((at) => headerOf(targets[at] ?? { kind: "skip" }) ?? "");
  const parts: string[] = [];
  let isFirst = true;
  await readCsv<string[]>(file, encoding, ({ data: rows }) => {
    const body = isFirst ? rows.slice(1) : rows;
    // Cells beyond the last column are kept, so that the service refuses the row and says why.
    const cells = body.map((row) => [...kept.map((at) => row[at] ?? ""), ...row.slice(columns.length)]);
    const lines = isFirst ? [header, ...cells] : cells;
    isFirst = false;
    if (lines.length > 0) parts.push(`${Papa.unparse(lines)}\r\n`);
    return true;
  });
  return new Blob(parts, { type: "text/csv" });
}
