/** The largest id: a bigint that a JavaScript number still holds exactly. */
export const maxId = Number.MAX_SAFE_INTEGER;

/** The roles of users that have rules of their own; others exist and have none. */
export const administratorRole = 1;
export const agentRole = 5;

/** The ids in a text that is a JSON array or a list with commas, each once; what is no id is left out. */
export function idsIn(written: string): number[] {
  const ids = listed(written).map(idIn);
  return [...new Set(ids.filter((id) => id !== null))];
}

/** The same of what somebody writes; null where a part of it is no id, so that nothing is left out unseen. */
export function idsWritten(written: string): number[] | null {
  if (written.trimStart().startsWith("[") && !isJson(written)) return null;
  const parts = listed(written).filter((part) => typeof part !== "string" || part.trim() !== "");
  return parts.some((part) => idIn(part) === null) ? null : idsIn(written);
}

export function idIn(value: unknown): number | null {
  const written = typeof value === "number" ? String(value) : value;
  if (typeof written !== "string" || !/^\s*[0-9]{1,16}\s*$/.test(written)) return null;
  const id = Number(written);
  return id >= 1 && id <= maxId ? id : null;
}

function isJson(written: string): boolean {
  try {
    JSON.parse(written);
    return true;
  } catch {
    return false;
  }
}

function listed(written: string): readonly unknown[] {
  if (!written.trimStart().startsWith("[")) return written.split(",");
  try {
    const list: unknown = JSON.parse(written);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
