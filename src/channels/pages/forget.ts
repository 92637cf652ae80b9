import type { Forgotten } from "../../inbox/public.ts";
import { ifJson, type JsonObject, object } from "../shared/json-fields.ts";

/** The lists of events in an entry. `standby` has copies of events that another app of the page handles. */
const eventLists = ["messaging", "standby"] as const;

/**
 * Removes one customer's events from the entries of the business's own senders. Null if no entry remains, or if the
 * payload has no list `entry`.
 */
export function withoutCustomer(payload: string, { ids, senders }: Forgotten): string | null {
  const { entry, ...rest } = object(ifJson(payload));
  if (!Array.isArray(entry)) return null;
  const left = entry.map(object).flatMap((each) => {
    const isOwn = typeof each.id !== "string" || senders.includes(each.id);
    return isOwn ? entryLeft(each, ids) : [each];
  });
  return left.length === 0 ? null : JSON.stringify({ ...rest, entry: left });
}

/** Fields other than `id`, `time` and the event lists are dropped, because it is unknown whose data they hold. */
function entryLeft({ id, time, ...given }: JsonObject, ids: readonly string[]): JsonObject[] {
  const lists = eventLists.flatMap((name) => {
    const events = given[name];
    const left = Array.isArray(events) ? events.filter((event) => !concerns(event, ids)) : [];
    return left.length === 0 ? [] : [[name, left] as const];
  });
  return lists.length === 0 ? [] : [{ id, time, ...Object.fromEntries(lists) }];
}

function concerns(event: unknown, ids: readonly string[]): boolean {
  const { sender, recipient } = object(event);
  return [sender, recipient].some((party) => {
    const { id } = object(party);
    return (typeof id === "string" || typeof id === "number") && ids.includes(String(id));
  });
}
