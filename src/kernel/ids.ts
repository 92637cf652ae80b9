/** Ids are `bigint` in the database, but have to fit exactly into a JavaScript number. */
export const maxId = Number.MAX_SAFE_INTEGER;

/** The roles that have rules of their own. Other role ids exist. */
export const administratorRole = 1;
export const agentRole = 5;

/** The distinct ids in a JSON array or a comma-separated list. Other parts are ignored. */
export function idsIn(written: string): number[] {
  const ids = (listed(written) ?? []).map(idIn);
  return [...new Set(ids.filter((id) => id !== null))];
}

/** Like `idsIn`, for client input: null if any part is not an id. Blank parts are ignored. */
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

/** Null if the text begins with `[` but is not a JSON array. */
function listed(written: string): readonly unknown[] | null {
  if (!written.trimStart().startsWith("[")) return written.split(",");
  try {
    const list: unknown = JSON.parse(written);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}
