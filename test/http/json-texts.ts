import fc from "fast-check";

const spaces = ["", "", "", " ", "\n\t", "\r"] as const;

/** Writes the value as JSON. The numbers of `next` choose the white space and the escapes. */
function written(value: unknown, next: () => number): string {
  const space = () => spaces[next() % spaces.length];
  const list = (items: readonly string[]) => items.join(`${space()},${space()}`);
  if (typeof value === "string") return quoted(value, next);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${space()}${list(value.map((one) => written(one, next)))}${space()}]`;
  const fields = Object.entries(value).map(
    ([name, inner]) => `${quoted(name, next)}${space()}:${space()}${written(inner, next)}`,
  );
  return `{${space()}${list(fields)}${space()}}`;
}

/** Writes the text as JSON. In about a quarter of the texts, the first character is escaped. */
function quoted(text: string, next: () => number): string {
  const plain = JSON.stringify(text);
  const code = text.charCodeAt(0).toString(16).padStart(4, "0");
  return text !== "" && next() % 4 === 0 ? `"\\u${code}${JSON.stringify(text.slice(1)).slice(1)}` : plain;
}

const numbers = fc.array(fc.nat(99), { minLength: 7, maxLength: 40 });

function nextOf(given: readonly number[]): () => number {
  let at = 0;
  return () => given[at++ % given.length] ?? 0;
}

/** JSON texts of the values, with different white space and escapes. */
export const writings = (value: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.tuple(value, numbers).map(([one, given]) => written(one, nextOf(given)));

/** Splits the bytes into chunks of these lengths. The list of lengths is repeated until no bytes are left. */
export function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const next = nextOf(lengths);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + Math.max(1, next());
    chunks.push(bytes.subarray(at, end));
    at = end;
  }
  return chunks;
}

/** An object with its fields in any order and without some of the optional ones. */
export function inAnyOrder(
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  required: readonly string[],
): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(fields);
  return fc
    .tuple(fc.record(fields, { requiredKeys: [...required] }), fc.shuffledSubarray(names, { minLength: names.length }))
    .map(([values, order]) => {
      const given: Record<string, unknown> = values;
      return Object.fromEntries(order.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]));
    });
}
