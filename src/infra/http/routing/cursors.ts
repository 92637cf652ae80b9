import { InvalidInput } from "./dialect.ts";

/** Characters. Every cursor of this service is shorter. */
const longestCursor = 200;

export const cursorField = {
  type: "string",
  minLength: 1,
  maxLength: longestCursor,
  description: "`next` of the page before",
} as const;

const mostOfPage = 100;

/** The parameter `limit`, with its default. Apply `limitOf` to its value. */
export const limitField = (usual: number) =>
  ({
    type: "integer",
    minimum: 1,
    default: usual,
    description: `More than ${mostOfPage} counts as ${mostOfPage}`,
  }) as const;

export const limitOf = (asked: number): number => Math.min(asked, mostOfPage);

/** Encodes the position of a page's end, opaque to clients. */
export const cursorOf = (...position: readonly number[]): string =>
  Buffer.from(position.join(".")).toString("base64url");

/** The optional parameters of a list, with the parameters of paging. */
export const pagedQuery = <const Fields extends Readonly<Record<string, unknown>>>(usual: number, fields: Fields) =>
  ({ type: "object", properties: { ...fields, cursor: cursorField, limit: limitField(usual) } }) as const;

/** The first `limit` rows, and the cursor of the next page if there are more rows. */
export function pageAnswer<Row extends { readonly id: number }, OnWire>(
  rows: readonly Row[],
  limit: number,
  toWire: (row: Row) => OnWire,
  positionOf: (row: Row) => readonly number[] = ({ id }) => [id],
) {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { data: page.map(toWire), next: last ? cursorOf(...positionOf(last)) : null };
}

/** The numbers in a cursor. Throws `InvalidInput` unless `cursorOf` made the cursor from `length` numbers. */
export function positionIn(cursor: string, length: number): number[] {
  const text = Buffer.from(cursor, "base64url").toString();
  const numbers = text.split(".").map((part) => (/^\d{1,16}$/.test(part) ? Number(part) : Number.NaN));
  if (numbers.length === length && numbers.every(Number.isSafeInteger) && cursorOf(...numbers) === cursor)
    return numbers;
  throw new InvalidInput("cursor no es válido");
}
