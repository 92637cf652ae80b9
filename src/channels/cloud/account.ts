import type { AccountNews } from "../../inbox/public.ts";
import { id, omit, type Told, text, timeOfSeconds } from "../shared/told.ts";

/** Characters of what is kept of an event besides its name; the platform's events have some hundred. */
const mostDetails = 8_000;

/** What the field `account_update` tells of an account as a whole. */
export function readAccountNews(value: Told, entry: Told): AccountNews[] {
  const account = id(entry.id);
  const event = text(value.event);
  if (account === undefined || !/^[A-Z0-9_]{1,64}$/.test(event)) return [];
  const told = omit(value, ["event"]);
  const details = JSON.stringify(told).length > mostDetails ? {} : told;
  return [{ account, event, details, at: timeOfSeconds(entry.time) }];
}
