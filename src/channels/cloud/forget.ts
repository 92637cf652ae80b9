import type { Forgotten } from "../../inbox/public.ts";

/**
 * What a platform sent, as JSON, without what concerns the owner of these ids: of what came for the business's own senders,
 * the entries of lists that name one of them are taken out. Null where nothing of it may stay.
 */
export function withoutOwnerOf(payload: string, forgotten: Forgotten): string | null {
  let given: unknown;
  try {
    given = JSON.parse(payload);
  } catch {
    return null;
  }
  const { entry, ...rest } = fieldsOf(given);
  if (!Array.isArray(entry)) return names(given, forgotten.ids) ? null : payload;
  const left = entry.map((each) => {
    const { changes, ...others } = fieldsOf(each);
    return Array.isArray(changes) ? { ...others, changes: changes.flatMap((one) => changeLeft(one, forgotten)) } : each;
  });
  return JSON.stringify({ ...rest, entry: left });
}

function changeLeft(change: unknown, { ids, senders }: Forgotten): unknown[] {
  const { phone_number_id: sender } = fieldsOf(fieldsOf(fieldsOf(change).value).metadata);
  if (typeof sender === "string" && !senders.includes(sender)) return [change];
  const left = pruned(change, ids);
  return names(left, ids) ? [] : [left];
}

const fieldsOf = (given: unknown): Readonly<Record<string, unknown>> =>
  typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};

function pruned(given: unknown, ids: readonly string[]): unknown {
  if (Array.isArray(given)) return given.map((each) => pruned(each, ids)).filter((each) => !names(each, ids));
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([key, each]) => [key, pruned(each, ids)]));
}

const names = (given: unknown, ids: readonly string[]): boolean =>
  typeof given === "object" && given !== null
    ? Object.values(given).some((each) => names(each, ids))
    : (typeof given === "string" || typeof given === "number") && ids.includes(String(given));
