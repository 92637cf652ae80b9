import { InvalidInput } from "./dialect.ts";

/** Longer ones were made by nobody here. */
const longestCursor = 200;

/** The parameter `cursor` of a list. */
export const cursorField = {
  type: "string",
  minLength: 1,
  maxLength: longestCursor,
  description: "`next` of the page before",
} as const;

const mostOfPage = 100;

/** The parameter `limit` of a list that has `usual` items on a page; what is asked goes through `limitOf`. */
export const limitField = (usual: number) =>
  ({
    type: "integer",
    minimum: 1,
    default: usual,
    description: `More than ${mostOfPage} counts as ${mostOfPage}`,
  }) as const;

export const limitOf = (asked: number): number => Math.min(asked, mostOfPage);

/** Where a page ends, as clients hand it back: opaque to them. */
export const cursorOf = (...position: readonly number[]): string =>
  Buffer.from(position.join(".")).toString("base64url");

/** The numbers of a cursor. Throws `InvalidInput` for one that was not made by `cursorOf` of so many. */
export function positionIn(cursor: string, length: number): number[] {
  const text = Buffer.from(cursor, "base64url").toString();
  const numbers = text.split(".").map((part) => (/^\d{1,16}$/.test(part) ? Number(part) : Number.NaN));
  if (numbers.length === length && numbers.every(Number.isSafeInteger) && cursorOf(...numbers) === cursor)
    return numbers;
  throw new InvalidInput("cursor no es válido");
}
