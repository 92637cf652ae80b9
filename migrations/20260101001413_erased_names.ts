import type { Knex } from "knex";

const emptied = ["body", "preview"];
/** The keys of before. They lack `file`, which contains the name of a message's file. */
const nulled = [
  ...["mediaUrl", "attachment", "details", "platformMessageId", "errorReason"],
  ...["rawAddress", "locationLabel", "latitude", "longitude", "externalUserId"],
];
export const withFiles = [...nulled, "file"];
const named = (keys: readonly string[]): string => keys.map((key) => `'${key}'`).join(", ");

/** `more` has further branches of the `case` over `key` and its value `each`. */
export const defining = (gone: readonly string[], more = ""): string => `
  create or replace function erased_payload(given jsonb) returns jsonb language plpgsql immutable as $$
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
        when key in (${named(gone)}) and each -> 'to' is not null then '{"from": null, "to": null}'
        when key in (${named(gone)}) then 'null'
        when key = 'reactions' then '[]'
        ${more}
        else erased_payload(each) end)
      from jsonb_each(given) as field(key, each)), '{}');
  end $$`;

/**
 * Names of files come from customers and appear in events, so erasures clear them. Running erasures store their numbers
 * in plain form for a quarter of an hour; later ones seal them.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(defining(withFiles));
  await db.raw(`
    alter table contact_erasures
      alter column numbers set default '{}',
      -- The numbers, as JSON.
      add column sealed_numbers bytea`);
}

/** Running erasures stop looking for late messages, since the sealed numbers cannot be opened here. */
export async function down(db: Knex): Promise<void> {
  await db.raw("alter table contact_erasures drop column sealed_numbers, alter column numbers drop default");
  await db.raw(defining(nulled));
}
