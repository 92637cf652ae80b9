import type { AnyDialect } from "../routing/dialect.ts";

/** The codes that an operation's failures can have, by the status that they come with: as its dialect words them. */
export function errorCodesOf(dialect: AnyDialect): ReadonlyMap<number, readonly string[]> {
  const codes = new Map<number, string[]>();
  for (const word of Object.values(dialect as unknown as Record<string, (error: unknown) => [number, unknown]>)) {
    const [status, body] = word(anyError);
    const code = typeof body === "object" && body !== null && "code" in body ? body.code : undefined;
    if (typeof code !== "string") continue;
    const known = codes.get(status) ?? [];
    if (!known.includes(code)) codes.set(status, [...known, code]);
  }
  return codes;
}

/** Stands for whatever failure is worded: each of its fields, and what its methods give, is this again. */
const anyError: unknown = new Proxy(() => anyError, {
  get: (_target, name) => {
    if (name === Symbol.toPrimitive) return () => "";
    if (name === Symbol.iterator) return () => [][Symbol.iterator]();
    return anyError;
  },
  apply: () => anyError,
});
