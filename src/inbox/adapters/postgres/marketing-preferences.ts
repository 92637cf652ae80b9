import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { DigestOfNumber } from "../../application/contacts/ports.ts";
import type { PreferenceChange } from "../../domain/incoming.ts";
import { type ChangedContact, inChunks } from "./news.ts";

/**
 * The platform's word on marketing; of two words the later one counts, in whatever order they arrive. A number that was
 * erased stays opted out.
 */
const apply: Statement = {
  name: "incoming_preferences",
  text: `
    with given as (
      select distinct on (business_id, phone)
             sender.business_id, "from" as phone, "occurredAt" as at, "optedOut" or exists (
               select from erased_numbers as erased
               where erased.business_id = sender.business_id and erased.digest = decode(news.digest, 'hex')) as opted_out
      from jsonb_to_recordset($1::jsonb) as news(
        sender text, "from" text, "optedOut" boolean, "occurredAt" timestamptz, digest text)
      join senders as sender on sender.provider = $2 and sender.platform_id = news.sender
      order by business_id, phone, at desc
    ),
    known as (
      select contact.business_id, contact.id, given.phone, given.opted_out, given.at
      from given join contacts as contact on contact.business_id = given.business_id and contact.phone = given.phone
      union
      select contact.business_id, contact.id, given.phone, given.opted_out, given.at
      from given join contacts as contact
        on contact.business_id = given.business_id and contact.platform_id = given.phone
    ),
    locked as (
      select contact.business_id, contact.id, known.opted_out, known.at
      from known join contacts as contact on contact.business_id = known.business_id and contact.id = known.id
      order by contact.business_id, contact.id
      for no key update of contact
    ),
    changed as (
      update contacts as contact
      set opted_out_at = case when locked.opted_out then locked.at end, preference_changed_at = locked.at
      from locked
      where contact.business_id = locked.business_id and contact.id = locked.id
        and (contact.preference_changed_at is null or contact.preference_changed_at < locked.at)
      returning contact.business_id, contact.id
    ),
    made as (
    insert into contacts as contact (business_id, name, phone, platform_id, opted_out_at, preference_changed_at)
    select business_id, phone, phone, phone, case when opted_out then at end, at from given
    where not exists (select from known where known.business_id = given.business_id and known.phone = given.phone)
    order by business_id, phone
    on conflict (business_id, phone) do update
    set opted_out_at = excluded.opted_out_at, preference_changed_at = excluded.preference_changed_at
    where contact.preference_changed_at is null or contact.preference_changed_at < excluded.preference_changed_at
      returning contact.business_id, contact.id
    )
    select business_id, id from changed
    union
    select business_id, id from made`,
};

/** The contacts that changed, or were made. */
export const applyPreferences = (
  transaction: Queries,
  provider: string,
  changes: readonly PreferenceChange[],
  digestOf: DigestOfNumber,
): Promise<ChangedContact[]> => {
  const rows = changes.map((each) => ({ ...each, digest: Buffer.from(digestOf(each.from)).toString("hex") }));
  return inChunks<ChangedContact>(transaction, apply, rows, provider);
};
