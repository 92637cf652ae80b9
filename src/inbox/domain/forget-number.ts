/**
 * What a platform sent, as JSON, without what concerns the owner of these ids: the entries of its lists that name one of
 * them are taken out. Null where nothing of it may stay.
 */
export function withoutOwnerOf(payload: string, ids: readonly string[]): string | null {
  let given: unknown;
  try {
    given = JSON.parse(payload);
  } catch {
    return null;
  }
  const left = pruned(given, ids);
  return names(left, ids) ? null : JSON.stringify(left);
}

function pruned(given: unknown, ids: readonly string[]): unknown {
  if (Array.isArray(given)) return given.map((each) => pruned(each, ids)).filter((each) => !names(each, ids));
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([key, each]) => [key, pruned(each, ids)]));
}

const names = (given: unknown, ids: readonly string[]): boolean =>
  typeof given === "object" && given !== null
    ? Object.values(given).some((each) => names(each, ids))
    : (typeof given === "string" || typeof given === "number") && ids.includes(String(given));
