import type { AnyDialect } from "../routing/dialect.ts";

/** The codes of an operation's failures by status, from its dialect. */
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

/** Passes for any error: each property and each result of a call is this proxy again. */
const anyError: unknown = new Proxy(() => anyError, {
  get: (_target, name) => {
    if (name === Symbol.toPrimitive) return () => "";
    if (name === Symbol.iterator) return () => [][Symbol.iterator]();
    return anyError;
  },
  apply: () => anyError,
});
