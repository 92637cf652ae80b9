import type { Forgotten } from "../../inbox/public.ts";
import { ifJson, object } from "../shared/json-fields.ts";

/**
 * Removes the list elements of a change that mention one of the person's ids. Removes the whole change if it mentions
 * an id outside its lists. Changes for senders of other businesses stay. Null if the payload is not JSON, or if it has
 * no list `entry` and mentions an id.
 */
export function withoutOwnerOf(payload: string, forgotten: Forgotten): string | null {
  const given = ifJson(payload);
  if (given === undefined) return null;
  const { entry, ...rest } = object(given);
  if (!Array.isArray(entry)) return mentions(given, forgotten.ids) ? null : payload;
  const left = entry.map((each) => {
    const { changes, ...others } = object(each);
    return Array.isArray(changes) ? { ...others, changes: changes.flatMap((one) => changeLeft(one, forgotten)) } : each;
  });
  return JSON.stringify({ ...rest, entry: left });
}

function changeLeft(change: unknown, { ids, senders }: Forgotten): unknown[] {
  const { phone_number_id: sender } = object(object(object(change).value).metadata);
  if (typeof sender === "string" && !senders.includes(sender)) return [change];
  const left = pruned(change, ids);
  return mentions(left, ids) ? [] : [left];
}

function pruned(given: unknown, ids: readonly string[]): unknown {
  if (Array.isArray(given)) return given.map((each) => pruned(each, ids)).filter((each) => !mentions(each, ids));
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([key, each]) => [key, pruned(each, ids)]));
}

const mentions = (given: unknown, ids: readonly string[]): boolean =>
  typeof given === "object" && given !== null
    ? Object.values(given).some((each) => mentions(each, ids))
    : (typeof given === "string" || typeof given === "number") && ids.includes(String(given));
