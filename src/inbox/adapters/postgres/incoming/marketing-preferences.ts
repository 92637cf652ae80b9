import { statement } from "../../../../infra/postgres/statement.ts";
import { isNumbered } from "../../../../kernel/channels.ts";
import type { DigestOfNumber } from "../../../application/contacts/ports.ts";
import { erasedNameOf } from "../../../domain/contact.ts";
import type { PreferenceChange } from "../../../domain/incoming.ts";
import { byId, byNumber, type Naming } from "../thread-sql.ts";
import { type ChangedContact, type Intake, newsOfSenders } from "./news.ts";

/**
 * Stores marketing preferences. The latest by the platform's time wins, in any order of arrival. Erased numbers stay
 * opted out.
 *
 * @param matches - alternative conditions that join the row `contact` with the customer of the row `given`
 */
const applying = (name: string, matches: readonly string[], { columns, values, key }: Naming) => statement(name)`
  with given as (
    select distinct on (business_id, customer)
           sender.business_id, sender.provider, "from" as customer, "occurredAt" as at, "optedOut" or exists (
             select 1 from erased_numbers as erased
             where erased.business_id = sender.business_id and erased.digest = decode(news.digest, 'hex')) as opted_out
    from ${newsOfSenders(`
      sender text, "from" text, "optedOut" boolean, "occurredAt" timestamptz, digest text`)}
    order by business_id, customer, at desc
  ),
  known as (
    ${matches
      .map(
        (condition) => `
    select contact.business_id, contact.id, given.customer, given.opted_out, given.at
    from given join contacts as contact on contact.business_id = given.business_id and ${condition}`,
      )
      .join(" union ")}
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
    insert into contacts as contact (business_id, name, opted_out_at, preference_changed_at, ${columns})
    select business_id, customer, case when opted_out then at end, at, ${values} from given
    where not exists (
      select 1 from known where known.business_id = given.business_id and known.customer = given.customer)
    order by business_id, customer
    on conflict ${key} do update
    set opted_out_at = excluded.opted_out_at, preference_changed_at = excluded.preference_changed_at
    where contact.preference_changed_at is null or contact.preference_changed_at < excluded.preference_changed_at
    returning contact.business_id, contact.id
  )
  select business_id, id from changed
  union
  select business_id, id from made`;

const apply = applying(
  "incoming_preferences",
  ["contact.phone = given.customer", "contact.platform_id = given.customer and contact.known_on is null"],
  byNumber,
);
const applyById = applying(
  "incoming_preferences_by_id",
  ["contact.known_on = given.provider and contact.platform_id = given.customer"],
  byId,
);

/** Returns the contacts that were changed or created. */
export const applyPreferences = (
  intake: Intake,
  changes: readonly PreferenceChange[],
  digestOf: DigestOfNumber,
): Promise<ChangedContact[]> => {
  const { provider } = intake;
  const digestIn = (customer: string) => Buffer.from(digestOf(erasedNameOf(provider, customer))).toString("hex");
  const rows = changes.map((each) => ({ ...each, digest: digestIn(each.from) }));
  return intake.inChunks<ChangedContact>(isNumbered(provider) ? apply : applyById, rows);
};
