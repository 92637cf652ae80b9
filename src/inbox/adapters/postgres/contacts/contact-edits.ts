import { plainArray, textArray } from "../../../../infra/postgres/arrays.ts";
import type { Queries } from "../../../../infra/postgres/database.ts";
import { uniqueViolation } from "../../../../infra/postgres/database-failure.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import type {
  ContactChanges,
  ContactEdits,
  ContactName,
  DigestOfNumber,
  ImportedContact,
  ImportOutcome,
  NewContact,
} from "../../../application/contacts/ports.ts";
import type { WholeContact } from "../../../application/events.ts";
import { erasedNameOf, longestPhone, mostFields, NumberTaken, shortestPhone } from "../../../domain/contact.ts";
import { wholeContact } from "../chat-sql.ts";
import { erasedSince } from "../thread-sql.ts";
import { announceContacts } from "./changed-contacts.ts";
import { addTags, tagsByName, unknownTags } from "./contact-tags-sql.ts";

const create = statement("contact_create")`
  with given as (select $1::bigint as business_id, $7::bytea as digest),
  made as (
    insert into contacts (business_id, name, phone, platform_id, fields, opted_out_at, preference_changed_at)
    select business_id, $2, $3::text, $3, $4, coalesce(case when $5::boolean then now() end, ${erasedSince("given")}),
           case when $5 then now() end
    from given
    on conflict (business_id, phone) do nothing
    returning business_id, id
  ),
  tagged as (
    insert into contact_tags (business_id, contact_id, tag_id)
    select made.business_id, made.id, tag.id
    from made join tags as tag on tag.business_id = made.business_id and tag.id = any($6::bigint[])
  )
  select id from made`;

const hold = statement("contact_hold")`
  select phone, known_on as "knownOn", platform_id as "platformId"
  from contacts where business_id = $1 and id = $2 and erased_at is null
  for no key update`;

const whole = statement("contact_whole")`
  select ${wholeContact} as contact
  from contacts as contact where contact.business_id = $1 and contact.id = $2`;

/** The columns that clients see. */
const shown = (row: string): string =>
  `(${row}.name, ${row}.phone, ${row}.platform_id, ${row}.fields, ${row}.opted_out_at is null)`;

/**
 * A contact with chats keeps its platform id, because its messages use that id; the id changes when the customer first
 * writes from the new number. Without chats, the new number becomes the id at once.
 */
const change = statement("contact_change")`
  with named as (select $1::bigint as business_id, $8::bytea as digest),
  given as materialized (
    select business_id, now() as now, ${erasedSince("named")} is not null as is_erased from named
  ),
  changed as (
    update contacts as contact
    set name = coalesce($3::text, contact.name), phone = $4::text,
        platform_id = case
          when $4::text is null or $4 = contact.phone or exists (
            select 1 from chats where chats.business_id = $1 and chats.contact_id = contact.id)
          then contact.platform_id else $4 end,
        fields = coalesce($5::jsonb, contact.fields),
        opted_out_at = case
          when $6::boolean or given.is_erased then coalesce(contact.opted_out_at, given.now)
          when not $6 then null
          else contact.opted_out_at end,
        preference_changed_at = case when $6 is null then contact.preference_changed_at else given.now end,
        updated_at = now()
    from given join contacts as earlier on earlier.business_id = given.business_id and earlier.id = $2
    where contact.business_id = given.business_id and contact.id = $2
    returning contact.id, ${shown("contact")} is distinct from ${shown("earlier")} as differs
  ),
  untagged as (
    delete from contact_tags
    where business_id = $1 and contact_id in (select id from changed) and tag_id <> all($7::bigint[])
    returning tag_id
  )
  select differs or exists (select 1 from untagged) as differs from changed`;

/**
 * Runs after a statement that stored phone numbers and may have waited for the erasure of one of them. This statement
 * has a newer snapshot, so it sees that erasure.
 */
const keepOptedOut = statement("contacts_keep_opted_out")`
  with erased as (
    select contact.id
    from unnest($2::text[], $3::text[]) as given(phone, digest)
    join erased_numbers as erased on erased.business_id = $1 and erased.digest = decode(given.digest, 'hex')
    join contacts as contact on contact.business_id = $1 and contact.phone = given.phone
    where contact.opted_out_at is null
    order by contact.id
    for no key update of contact
  )
  update contacts as contact set opted_out_at = now()
  from erased where contact.business_id = $1 and contact.id = erased.id`;

/**
 * Rows that would change nothing are not written. The outcome is null if a concurrent transaction created a contact
 * with the number. An invalid number creates no contact, but may match a contact that a platform created with this
 * number.
 */
const merge = statement("contacts_merge")`
  with given as materialized (
    select $1::bigint as business_id, row.position, row.phone, row.name, row.fields::jsonb as fields, row.opted_out,
           row.tag_ids::bigint[] as tag_ids, erased.digest is not null as is_erased,
           length(row.phone) between ${shortestPhone} and ${longestPhone} as is_number
    from unnest($2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::text[]) with ordinality
      as row(phone, name, fields, opted_out, digest, tag_ids, position)
    left join erased_numbers as erased on erased.business_id = $1 and erased.digest = decode(row.digest, 'hex')
  ),
  held as (
    select contact.id, now() as now, contact.name as held_name, contact.fields as held_fields, contact.opted_out_at, given.*
    from given join contacts as contact on contact.business_id = given.business_id and contact.phone = given.phone
    order by contact.id
    for no key update of contact
  ),
  judged as (
    select held.*, whole.fields as all_fields,
           (select count(*) from jsonb_object_keys(whole.fields)) > ${mostFields} as is_too_wide,
           coalesce(name <> held_name, false) or whole.fields <> held_fields
             or coalesce((opted_out or is_erased) <> (opted_out_at is not null), false)
             or exists (
               select 1 from unnest(tag_ids) as wanted(id) where not exists (
                 select 1 from contact_tags as tagged
                 where tagged.business_id = held.business_id and tagged.contact_id = held.id
                   and tagged.tag_id = wanted.id)) as differs
    from held cross join lateral (select held_fields || held.fields as fields) as whole
  ),
  updated as (
    update contacts as contact
    set name = coalesce(judged.name, contact.name), fields = judged.all_fields,
        opted_out_at = case when judged.opted_out or judged.is_erased then coalesce(contact.opted_out_at, judged.now)
                            when not judged.opted_out then null else contact.opted_out_at end,
        preference_changed_at = case when judged.opted_out is null then contact.preference_changed_at else judged.now end,
        updated_at = now()
    from judged
    where contact.business_id = judged.business_id and contact.id = judged.id and judged.differs
      and not judged.is_too_wide
    returning contact.business_id, contact.id, judged.tag_ids
  ),
  made as (
    insert into contacts as contact
      (business_id, name, phone, platform_id, fields, opted_out_at, preference_changed_at)
    select business_id, coalesce(name, phone), phone, phone, fields,
           case when opted_out or is_erased then now() end, case when opted_out then now() end
    from given
    where is_number and not exists (select 1 from held where held.position = given.position)
    order by phone
    on conflict (business_id, phone) do nothing
    returning contact.business_id, contact.id, contact.phone
  ),
  tagged as (
    insert into contact_tags (business_id, contact_id, tag_id)
    select business_id, id, tag_id from updated cross join unnest(tag_ids) as tag_id
    union all
    select made.business_id, made.id, tag_id
    from made join given using (business_id, phone) cross join unnest(given.tag_ids) as tag_id
    order by 2, 3
    on conflict do nothing
  )
  select case when made.id is not null then 'created' when judged.is_too_wide then 'too_many_fields'
              when judged.differs then 'updated' when judged.id is not null then 'unchanged'
              when not given.is_number then 'wrong_number' end as outcome
  from given
  left join judged using (position)
  left join made on made.phone = given.phone
  order by given.position`;

export class PostgresContactEdits implements ContactEdits {
  constructor(
    private readonly transaction: Queries,
    private readonly digestOf: DigestOfNumber,
  ) {}

  async unknownTags(businessId: number, tagIds: readonly number[]): Promise<number[]> {
    if (tagIds.length === 0) return [];
    const rows = await this.transaction.rows<{ id: number }>(unknownTags, [businessId, tagIds]);
    return rows.map(({ id }) => id);
  }

  async create({ businessId, name, phone, fields, optedOut, tagIds }: NewContact): Promise<number> {
    const values = [businessId, name, phone, JSON.stringify(fields), optedOut, tagIds, this.digestOf(phone)];
    const [made] = await this.transaction.rows<{ id: number }>(create, values);
    if (!made) throw new NumberTaken("of a new contact");
    await this.keepOptedOut(businessId, [phone]);
    return made.id;
  }

  async hold(businessId: number, contactId: number): Promise<ContactName | null> {
    const [row] = await this.transaction.rows<ContactName>(hold, [businessId, contactId]);
    return row ?? null;
  }

  async held(businessId: number, contactId: number): Promise<WholeContact | null> {
    const [row] = await this.transaction.rows<{ contact: WholeContact }>(whole, [businessId, contactId]);
    return row?.contact ?? null;
  }

  async change(
    businessId: number,
    contactId: number,
    { name, fields, optedOut, tagIds }: ContactChanges,
    { phone, knownOn, platformId }: ContactName,
  ): Promise<boolean> {
    const written = fields && JSON.stringify(fields);
    const digest = this.digestOf(phone ?? erasedNameOf(knownOn ?? "", platformId));
    const values = [businessId, contactId, name, phone, written, optedOut, tagIds, digest];
    const asked = this.transaction.rows<{ differs: boolean }>(change, values);
    const [changed] = await asked.catch((error: { code?: unknown }) => {
      if (error.code === uniqueViolation) throw new NumberTaken(`of contact ${contactId}`);
      throw error;
    });
    if (phone !== null) await this.keepOptedOut(businessId, [phone]);
    const added = tagIds && (await this.transaction.rows(addTags, [businessId, contactId, tagIds]));
    return changed?.differs === true || (added !== null && added.length > 0);
  }

  announce(businessId: number, contactId: number): Promise<LoggedEvent[]> {
    return announceContacts(this.transaction, [{ business_id: businessId, id: contactId }]);
  }

  async merge(businessId: number, contacts: readonly ImportedContact[]): Promise<(ImportOutcome | null)[]> {
    const names = new Set(contacts.flatMap(({ tagNames }) => tagNames));
    const tagIds = await this.tagIdsByName(businessId, [...names]);
    const isTagged = ({ tagNames }: ImportedContact) => tagNames.every((name) => tagIds.has(name));
    const rows = await this.mergeTagged(businessId, contacts.filter(isTagged), tagIds);
    const outcomes = rows.values();
    return contacts.map((contact) => (isTagged(contact) ? (outcomes.next().value?.outcome ?? null) : "unknown_tag"));
  }

  private async mergeTagged(
    businessId: number,
    contacts: readonly ImportedContact[],
    tagIds: ReadonlyMap<string, number>,
  ): Promise<{ outcome: ImportOutcome | null }[]> {
    const phones = contacts.map(({ phone }) => phone);
    const rows = await this.transaction.rows<{ outcome: ImportOutcome | null }>(merge, [
      businessId,
      textArray(phones),
      textArray(contacts.map(({ name }) => name)),
      textArray(contacts.map(({ fields }) => JSON.stringify(fields))),
      plainArray(contacts.map(({ optedOut }) => optedOut)),
      this.digestsOf(phones),
      textArray(contacts.map(({ tagNames }) => plainArray(tagNames.map((name) => tagIds.get(name) ?? null)))),
    ]);
    await this.keepOptedOut(businessId, phones);
    return rows;
  }

  private async tagIdsByName(businessId: number, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (names.length === 0) return new Map();
    const rows = await this.transaction.rows<{ id: number; name: string }>(tagsByName, [businessId, names]);
    return new Map(rows.map(({ id, name }) => [name, id]));
  }

  private async keepOptedOut(businessId: number, phones: readonly string[]): Promise<void> {
    await this.transaction.rows(keepOptedOut, [businessId, textArray(phones), this.digestsOf(phones)]);
  }

  private digestsOf(phones: readonly string[]): string {
    return textArray(phones.map((phone) => Buffer.from(this.digestOf(phone)).toString("hex")));
  }
}
