import type { Queries } from "../../../../infra/postgres/database.ts";
import { loggedEvents } from "../../../../infra/postgres/log-events.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import { nameAndPayload } from "../announce-sql.ts";
import { type ChangedContact, inChunks } from "../incoming/news.ts";

const announce = statement("incoming_announce_contacts")`
  with given as (
    select distinct business_id, id from jsonb_to_recordset($1::jsonb) as changed(business_id bigint, id bigint)
  ),
  events as (
    select contact.business_id, contact.id as position, ${nameAndPayload("contact:changed")}
    from given join contacts as contact on contact.business_id = given.business_id and contact.id = given.id
  ),
  ${loggedEvents}`;

const lock = statement("incoming_lock_counters")`
  select business_id from realtime_counters where business_id = any($1::bigint[])
  order by business_id
  for no key update`;

/**
 * Locks the event counters of all these businesses in one order. Call it before a transaction logs events with several
 * statements: each statement sorts only its own businesses, so without this call two transactions could deadlock.
 */
export async function lockCounters(
  transaction: Queries,
  changed: readonly Pick<ChangedContact, "business_id">[],
): Promise<void> {
  const businessIds = [...new Set(changed.map(({ business_id }) => business_id))];
  if (businessIds.length > 1) await transaction.rows(lock, [businessIds]);
}

/** Logs `contact:changed`. This locks event counters, so call it after all other rows are locked. */
export const announceContacts = (transaction: Queries, contacts: readonly ChangedContact[]): Promise<LoggedEvent[]> => {
  const byBusiness = contacts.toSorted((a, b) => a.business_id - b.business_id || a.id - b.id);
  return inChunks<LoggedEvent>(transaction, announce, byBusiness);
};
