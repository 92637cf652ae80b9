import type { Knex } from "knex";

/** Without a transaction, so that contacts can be written while the index is built. */
export const config = { transaction: false };

const hasOneName = `
  case when erased_at is not null then phone is null and known_on is null
       else (phone is null) <> (known_on is null) end`;

/** @param known - a further condition on a contact that is found by its platform id */
const findsContact = (known: string): string => `
  create or replace function lock_contact_spoken_of(business bigint, about jsonb) returns bigint language plpgsql as $$
  declare
    wanted bigint := coalesce(
      (about ->> 'contactId')::bigint,
      (select contact_id from chats where business_id = business and id = (about ->> 'chatId')::bigint),
      (select chat.contact_id
       from messages as message join chats as chat
         on chat.business_id = message.business_id and chat.id = message.chat_id
       where message.business_id = business and message.platform_message_id = about ->> 'messageId'),
      (select id from contacts where business_id = business and phone = about ->> 'phone'),
      (select id from contacts where business_id = business and platform_id = about ->> 'phone' ${known}
       order by id limit 1));
    found bigint;
  begin
    select id into found from contacts
    where business_id = business and id = wanted and erased_at is null
    for key share;
    return found;
  end $$`;

/**
 * Contacts of some channels have a platform id instead of a phone number. The id is never compared with phone numbers.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- The channel on which platform_id finds the contact; null where its number finds it.
    alter table contacts add column if not exists known_on text;
    alter table contacts drop constraint if exists contacts_phone_check_erased;
    alter table contacts drop constraint if exists contacts_have_one_name`);
  // These contacts had their id as the phone number.
  await db.raw(`
    update contacts as contact set known_on = chat.provider, phone = null
    from chats as chat
    where chat.provider in ('platform-page', 'platform-photo')
      and contact.business_id = chat.business_id and contact.id = chat.contact_id
      and contact.phone = contact.platform_id and contact.erased_at is null
      and not exists (
        select from chats as other
        where other.business_id = chat.business_id and other.contact_id = chat.contact_id and other.id <> chat.id)`);
  await db.raw(`alter table contacts add constraint contacts_have_one_name check (${hasOneName}) not valid`);
  await db.raw("alter table contacts validate constraint contacts_have_one_name");
  // An interrupted build leaves an invalid index.
  await db.raw("drop index concurrently if exists contacts_known_on");
  await db.raw(`
    create unique index concurrently contacts_known_on on contacts (business_id, known_on, platform_id)
    where known_on is not null`);
  await db.raw(findsContact("and known_on is null"));
}

/** The column must not be null, so it gets a number that no telephone has. */
export async function down(db: Knex): Promise<void> {
  await db.raw(findsContact(""));
  await db.raw(`
    alter table contacts drop constraint if exists contacts_have_one_name;
    update contacts set phone = '000' || id where phone is null and erased_at is null;
    alter table contacts add constraint contacts_phone_check_erased check ((phone is null) = (erased_at is not null));
    drop index if exists contacts_known_on;
    alter table contacts drop column if exists known_on`);
}
