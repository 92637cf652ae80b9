import { Refused } from "./api.ts";

export interface FieldRefusal<Name extends string> {
  readonly name: Name;
  readonly problem: "taken" | "circle" | "missing" | "required" | "other";
  /** The service's message without the field's name. */
  readonly words: string;
}

const problems = [
  ["circle", /forma un ciclo/],
  ["missing", /no existe/],
  ["required", /es requerido/],
] as const;

/** Finds the refused field: the first word of the service's message names it. Null if that word is not in `names`. */
export function fieldRefusal<Name extends string>(error: unknown, names: readonly Name[]): FieldRefusal<Name> | null {
  if (!(error instanceof Refused)) return null;
  if (!(error.code === "taken" || error.code === "invalid_input")) return null;
  const [, first = "", words = ""] = /^"?([\w-]+)\S*\s+(.*)$/s.exec(error.message) ?? [];
  const name = names.find((each) => each === first);
  if (name === undefined) return null;
  const problem = error.code === "taken" ? "taken" : problems.find(([, pattern]) => pattern.test(words))?.[0];
  return { name, problem: problem ?? "other", words };
}
