import { InvalidInput } from "../routing/dialect.ts";

/** Refuses U+0000, which PostgreSQL holds neither in text nor in JSON. Names the field of `input` that has it. */
export function refuseNullCharacter(input: unknown): void {
  if (!hasNullCharacter(input)) return;
  const fields = typeof input === "object" && input !== null && !Array.isArray(input) ? Object.entries(input) : [];
  const field = fields.find(([name, value]) => !name.includes("\0") && hasNullCharacter(value))?.[0];
  throw new InvalidInput(field === undefined ? "La solicitud no es válida" : `${field} no es válido`);
}

/** Walks with a list of its own: a body of brackets alone is nested deeper than calls may be. */
function hasNullCharacter(input: unknown): boolean {
  const left = [input];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "string" && value.includes("\0")) return true;
    if (typeof value !== "object" || value === null) continue;
    for (const [name, child] of Object.entries(value)) {
      if (name.includes("\0")) return true;
      left.push(child);
    }
  }
  return false;
}
