import type { AccountNews } from "../../inbox/public.ts";
import { id, type JsonObject, omit, text, timeOfSeconds } from "../shared/json-fields.ts";

/** Characters of an event's details; the platform's events have some hundred. */
const mostDetails = 8_000;

export function readAccountNews(value: JsonObject, entry: JsonObject): AccountNews[] {
  const account = id(entry.id);
  const event = text(value.event);
  if (account === undefined || !/^[A-Z0-9_]{1,64}$/.test(event)) return [];
  const told = omit(value, ["event"]);
  const details = JSON.stringify(told).length > mostDetails ? {} : told;
  return [{ account, event, details, at: timeOfSeconds(entry.time) }];
}
