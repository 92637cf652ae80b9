/** The largest id: a bigint that a JavaScript number still holds exactly. */
export const maxId = Number.MAX_SAFE_INTEGER;

/** The roles of users that have rules of their own; others exist and have none. */
export const administratorRole = 1;
export const agentRole = 5;

/** The ids in a text that is a JSON array or a list with commas, each once; what is no id is left out. */
export function idsIn(written: string): number[] {
  const ids = (listed(written) ?? []).map(idIn);
  return [...new Set(ids.filter((id) => id !== null))];
}

/** The same of a text that a client writes: null where any part of it is no id. Blank parts count for nothing. */
export function idsWritten(written: string): number[] | null {
  const parts = listed(written)?.filter((part) => typeof part !== "string" || part.trim() !== "");
  return parts?.every((part) => idIn(part) !== null) ? idsIn(written) : null;
}

export function idIn(value: unknown): number | null {
  const written = typeof value === "number" ? String(value) : value;
  if (typeof written !== "string" || !/^\s*[0-9]{1,16}\s*$/.test(written)) return null;
  const id = Number(written);
  return id >= 1 && id <= maxId ? id : null;
}

/** Null where the text begins as an array and is none. */
function listed(written: string): readonly unknown[] | null {
  if (!written.trimStart().startsWith("[")) return written.split(",");
  try {
    const list: unknown = JSON.parse(written);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}
