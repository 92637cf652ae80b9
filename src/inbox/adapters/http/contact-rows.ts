import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { phoneDigits, storableText } from "../../../kernel/text.ts";
import type { ImportRow } from "../../application/contacts/import-contacts.ts";
import {
  longestFieldName,
  longestFieldText,
  longestName,
  longestPhone,
  mostFields,
  mostTags,
} from "../../domain/contact.ts";

/** Why a row is refused before it is compared with what is stored. */
export type Refusal = Exclude<keyof typeof reasons, "unknown_tag" | "too_many_fields">;

/** Why a row was refused, in the words of the file that tells it. */
export const reasons = {
  missing_number: "numero es requerido",
  wrong_number: "numero no es válido",
  name_too_long: `nombre no puede tener más de ${longestName}`,
  wrong_opted_out: "opted_out debe ser true o false",
  field_too_long: `un campo no puede tener más de ${longestFieldText}`,
  too_many_tags: `no puede tener más de ${mostTags} tags`,
  too_many_rows: "el archivo tiene demasiadas filas",
  unknown_tag: "un tag no existe",
  too_many_fields: `el contacto no puede tener más de ${mostFields} campos`,
} as const;

const known = ["numero", "nombre", "tags", "opted_out"] as const;
type Known = (typeof known)[number];

interface Columns {
  readonly of: ReadonlyMap<Known, number>;
  readonly fields: readonly (readonly [name: string, at: number])[];
}

/** Columns of contacts by their names; the names of others are those of custom fields. */
export function columnsIn(header: readonly string[]): Columns {
  const names = header.map((name) => storableText(name).trim());
  const asKnown = (name: string) => known.find((each) => each === name.toLowerCase());
  const of = new Map(
    names.flatMap((name, at): [Known, number][] => (asKnown(name) ? [[asKnown(name) as Known, at]] : [])),
  );
  // A column without a name holds nothing that could be found again.
  const fields = names.flatMap((name, at): [string, number][] => (asKnown(name) || name === "" ? [] : [[name, at]]));
  if (!of.has("numero")) throw new InvalidInput("El CSV debe tener la columna numero");
  const repeated = names.find((name, at) => name !== "" && names.indexOf(name) !== at);
  if (repeated !== undefined) throw new InvalidInput("El CSV tiene una columna repetida");
  if (fields.length > mostFields) throw new InvalidInput(`El CSV no puede tener más de ${mostFields} campos propios`);
  if (fields.some(([name]) => name.length > longestFieldName)) {
    throw new InvalidInput(`El nombre de un campo no puede tener más de ${longestFieldName} caracteres`);
  }
  return { of, fields };
}

const words = new Map([
  ...["true", "1", "si", "sí", "yes"].map((word): [string, boolean] => [word, true]),
  ...["false", "0", "no"].map((word): [string, boolean] => [word, false]),
]);

/** An empty cell says nothing. */
export function rowOf(cells: readonly string[], { of, fields }: Columns): ImportRow<Refusal> {
  const cell = (name: Known): string => storableText(cells[of.get(name) ?? -1] ?? "").trim();
  const refused = (refusal: Refusal): ImportRow<Refusal> => ({ refusal, cells });
  const phone = phoneDigits(cell("numero"));
  if (phone === null) return refused("missing_number");
  if (phone.length > longestPhone) return refused("wrong_number");
  const name = cell("nombre");
  if (name.length > longestName) return refused("name_too_long");
  const answer = cell("opted_out").toLowerCase();
  const optedOut = answer === "" ? null : words.get(answer);
  if (optedOut === undefined) return refused("wrong_opted_out");
  const tagNames = cell("tags")
    .split("|")
    .flatMap((tag) => tag.trim() || []);
  if (tagNames.length > mostTags) return refused("too_many_tags");
  const texts = fields.map(([field, at]): [string, string] => [field, storableText(cells[at] ?? "").trim()]);
  if (texts.some(([, text]) => text.length > longestFieldText)) return refused("field_too_long");
  const own = Object.fromEntries(texts.filter(([, text]) => text !== ""));
  return { cells, contact: { phone, name: name === "" ? null : name, fields: own, tagNames, optedOut } };
}
