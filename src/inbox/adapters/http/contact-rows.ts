import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { reasonColumn, rowComplaints } from "../../../infra/http/streaming/csv-import.ts";
import { recordsLeft } from "../../../infra/http/streaming/csv-records.ts";
import type { ImportRow } from "../../../kernel/row-imports.ts";
import { phoneDigits, storableText } from "../../../kernel/text.ts";
import type { ImportedContact } from "../../application/contacts/ports.ts";
import {
  longestFieldName,
  longestFieldText,
  longestName,
  mostFieldColumns,
  mostFields,
  mostTags,
} from "../../domain/contact.ts";
import { wrongNumber } from "./inbox-dialect.ts";

/** The reasons that the row alone shows. For the excluded reasons, the database must be asked. */
export type Refusal = Exclude<keyof typeof reasons, "unknown_tag" | "wrong_number">;

/** The reasons as the file of refused rows shows them. */
export const reasons = {
  ...rowComplaints,
  missing_number: "numero es requerido",
  wrong_number: wrongNumber,
  rounded_number: "numero está en notación científica",
  name_too_long: `nombre no puede tener más de ${longestName}`,
  wrong_opted_out: "opted_out debe ser true o false",
  field_too_long: `un campo no puede tener más de ${longestFieldText}`,
  too_many_tags: `no puede tener más de ${mostTags} tags`,
  unknown_tag: "un tag no existe",
  too_many_fields: `el contacto no puede tener más de ${mostFields} campos`,
} as const;

/** The first columns of an export; the columns of custom fields follow. */
export const contactColumns = ["id", "nombre", "numero", "opted_out", "tags", "creado"] as const;
type ContactColumn = (typeof contactColumns)[number];
/** The prefix of a custom field in a header, if an import would take the bare name for another column. */
const ofField = "campos.";

const contactColumnIn = (name: string): ContactColumn | undefined =>
  contactColumns.find((each) => each === name.trim().toLowerCase());

/** The column name of a custom field. An import reads it back as the same field. */
export const fieldColumn = (name: string): string =>
  contactColumnIn(name) || name.trim() === "" || name.startsWith(ofField) || name === reasonColumn
    ? `${ofField}${name}`
    : name;

/** Tag names in one cell; `tagsIn` is the inverse. */
export const tagsCell = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll(/[\\|]/g, "\\$&")).join("|");

const tagsIn = (cell: string): string[] =>
  (cell.match(/(?:\\[\\|]|[^|])+/g) ?? []).flatMap((name) => name.replaceAll(/\\([\\|])/g, "$1").trim() || []);

/** True for a header that has the prefix of custom fields but no name. */
export const isNamelessField = (name: string): boolean => name === ofField;

interface Columns {
  readonly of: ReadonlyMap<ContactColumn, number>;
  readonly fields: readonly (readonly [name: string, at: number])[];
}

/** Columns that are not contact columns are custom fields. Ignores nameless columns and a leading reason column. */
export function columnsIn(header: readonly string[]): Columns {
  const of = new Map<ContactColumn, number>();
  const fields = new Map<string, number>();
  for (const [at, name] of header.entries()) {
    const column = contactColumnIn(name);
    const field = name.startsWith(ofField) ? name.slice(ofField.length) : name;
    if (field === "" || name.trim() === "" || (at === 0 && name === reasonColumn)) continue;
    if (column ? of.has(column) : fields.has(field)) throw new InvalidInput("El CSV tiene una columna repetida");
    if (column) of.set(column, at);
    else fields.set(field, at);
  }
  if (!of.has("numero")) throw new InvalidInput("El CSV debe tener la columna numero");
  if (fields.size > mostFieldColumns) {
    throw new InvalidInput(`El CSV no puede tener más de ${mostFieldColumns} campos propios`);
  }
  if ([...fields.keys()].some((name) => name.length > longestFieldName)) {
    throw new InvalidInput(`El nombre de un campo no puede tener más de ${longestFieldName} caracteres`);
  }
  return { of, fields: [...fields] };
}

const words = new Map([
  ...["true", "1", "si", "sí", "yes"].map((word): [string, boolean] => [word, true]),
  ...["false", "0", "no"].map((word): [string, boolean] => [word, false]),
]);

/** Empty cells change nothing. The exported columns `id` and `creado` are ignored. */
export function rowOf(cells: readonly string[], { of, fields }: Columns): ImportRow<ImportedContact, Refusal> {
  const cell = (name: ContactColumn): string => storableText(cells[of.get(name) ?? -1] ?? "");
  const refused = (refusal: Refusal): ImportRow<ImportedContact, Refusal> => ({ refusal, cells });
  if (/^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i.test(cell("numero").trim())) return refused("rounded_number");
  const phone = phoneDigits(cell("numero"));
  if (phone === null) return refused("missing_number");
  const name = cell("nombre");
  if (name.length > longestName) return refused("name_too_long");
  const answer = cell("opted_out").trim().toLowerCase();
  const optedOut = answer === "" ? null : words.get(answer);
  if (optedOut === undefined) return refused("wrong_opted_out");
  const tagNames = tagsIn(cell("tags"));
  if (tagNames.length > mostTags) return refused("too_many_tags");
  const texts = fields.flatMap(([field, at]): [string, string][] => {
    const text = storableText(cells[at] ?? "");
    return text === "" ? [] : [[field, text]];
  });
  if (texts.some(([, text]) => text.length > longestFieldText)) return refused("field_too_long");
  if (texts.length > mostFields) return refused("too_many_fields");
  const own = Object.fromEntries(texts);
  return { cells, row: { phone, name: name.trim() === "" ? null : name, fields: own, tagNames, optedOut } };
}

/** Removes rows of a refused-rows file that have one of the numbers in a cell. */
export const rowsWithout = (rows: string, numbers: readonly string[]): string =>
  recordsLeft(rows, (cells) => !cells.some((cell) => numbers.includes(phoneDigits(cell) ?? "")));
