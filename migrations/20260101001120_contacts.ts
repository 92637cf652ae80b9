import type { Knex } from "knex";

/** Fields of payloads that contain names of persons or places, and their values after an erasure. */
const emptied = ["body", "preview"];
const nulled = [
  ...["mediaUrl", "attachment", "details", "platformMessageId", "errorReason"],
  ...["rawAddress", "locationLabel", "latitude", "longitude", "externalUserId"],
];
const named = (keys: readonly string[]): string => keys.map((key) => `'${key}'`).join(", ");

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table contacts
      -- An erased contact has no number.
      alter column phone drop not null;
    -- There are none, unless this was undone in between: then they have one that no telephone has.
    update contacts set phone = null where erased_at is not null;
    alter table contacts
      add constraint contacts_phone_check_erased check ((phone is null) = (erased_at is not null));
    alter table contacts
      -- When what was still under way during its erasure was erased as well.
      add column erased_again_at timestamptz;
    create index contacts_to_erase_again on contacts (business_id, erased_at)
      where erased_at is not null and erased_again_at is null;

    -- Rows of imports that were refused, as CSV, in parts.
    create table refused_contacts (
      business_id bigint not null references businesses on delete cascade,
      file text not null,
      part integer not null,
      content text not null,
      created_at timestamptz not null default now(),
      primary key (business_id, file, part)
    );
    create index refused_contacts_by_age on refused_contacts (business_id, created_at);

    -- The payload of an event without what it says of the contact that it is about.
    create function erased_payload(given jsonb) returns jsonb language plpgsql immutable as $$
    begin
      if jsonb_typeof(given) = 'array' then
        return coalesce((
          select jsonb_agg(erased_payload(each) order by place)
          from jsonb_array_elements(given) with ordinality as element(each, place)), '[]');
      end if;
      if jsonb_typeof(given) <> 'object' then
        return given;
      end if;
      return coalesce((
        select jsonb_object_agg(key, case
          when key = 'contact' and jsonb_typeof(each) = 'object' then
            each || '{"name": "", "phone": "", "platformId": ""}'
            || case when each -> 'fields' is null then '{}' else '{"fields": {}, "tags": [], "optedOut": true}'::jsonb end
          when key in (${named(emptied)}) and jsonb_typeof(each) = 'string' then '""'
          when key = 'authorName' and given ->> 'direction' = 'in' then '""'
          -- The history of an order says from what a field changed to what.
          when key in (${named(nulled)}) and each -> 'to' is not null then '{"from": null, "to": null}'
          when key in (${named(nulled)}) then 'null'
          when key = 'reactions' then '[]'
          else erased_payload(each) end)
        from jsonb_each(given) as field(key, each)), '{}');
    end $$;
  `);
}

/** The column must not be null, so it gets a number that no telephone has. */
export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop function erased_payload;
    drop table refused_contacts;
    drop index contacts_to_erase_again;
    alter table contacts drop constraint contacts_phone_check_erased, drop column erased_again_at;
    update contacts set phone = '000' || id where phone is null;
    alter table contacts alter column phone set not null;
  `);
}
