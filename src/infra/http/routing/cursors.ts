import { InvalidInput } from "./dialect.ts";

/** Longer than any cursor of this service. */
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

/** Throws `InvalidInput` unless `cursorOf` made the cursor of so many numbers. */
export function positionIn(cursor: string, length: number): number[] {
  const text = Buffer.from(cursor, "base64url").toString();
  const numbers = text.split(".").map((part) => (/^\d{1,16}$/.test(part) ? Number(part) : Number.NaN));
  if (numbers.length === length && numbers.every(Number.isSafeInteger) && cursorOf(...numbers) === cursor)
    return numbers;
  throw new InvalidInput("cursor no es válido");
}
