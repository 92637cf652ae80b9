import type { Forgotten } from "../../inbox/public.ts";
import { object, type Told } from "../shared/told.ts";

/** Where an entry has its events: what is read, and what other apps of a page hear. */
const eventLists = ["messaging", "standby"] as const;

/**
 * What pages or photo accounts were told, without the events of one customer of the business's own senders. Null where
 * nothing is left, and for what is no JSON.
 */
export function withoutCustomer(payload: string, { ids, senders }: Forgotten): string | null {
  let told: unknown;
  try {
    told = JSON.parse(payload);
  } catch {
    return null;
  }
  const { entry, ...rest } = object(told);
  if (!Array.isArray(entry)) return null;
  const left = entry.map(object).flatMap((each) => {
    const isOwn = typeof each.id !== "string" || senders.includes(each.id);
    return isOwn ? entryLeft(each, ids) : [each];
  });
  return left.length === 0 ? null : JSON.stringify({ ...rest, entry: left });
}

/** Nothing of what has another shape stays: it cannot be told whose it is. */
function entryLeft({ id, time, ...given }: Told, ids: readonly string[]): Told[] {
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
