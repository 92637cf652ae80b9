import type { Knex } from "knex";

/** Without a transaction, so that messages can be written while the index is built. */
export const config = { transaction: false };

/** @param columns - the index columns after the business and the platform id */
const replaceIndex = async (db: Knex, columns: string): Promise<void> => {
  // An interrupted build leaves an invalid index.
  await db.raw("drop index concurrently if exists messages_by_platform_id_new");
  await db.raw(`
    create unique index concurrently messages_by_platform_id_new on messages (business_id, platform_message_id${columns})
    where platform_message_id is not null`);
  await db.raw("drop index concurrently if exists messages_by_platform_id");
  await db.raw("alter index messages_by_platform_id_new rename to messages_by_platform_id");
};

/** @param order - selects one of several messages with the id */
const findsContact = (order: string): string => `
  create or replace function lock_contact_spoken_of(business bigint, about jsonb) returns bigint language plpgsql as $$
  declare
    wanted bigint := coalesce(
      (about ->> 'contactId')::bigint,
      (select contact_id from chats where business_id = business and id = (about ->> 'chatId')::bigint),
      (select chat.contact_id
       from messages as message join chats as chat
         on chat.business_id = message.business_id and chat.id = message.chat_id
       where message.business_id = business and message.platform_message_id = about ->> 'messageId' ${order}),
      (select id from contacts where business_id = business and phone = about ->> 'phone'),
      (select id from contacts where business_id = business and platform_id = about ->> 'phone' and known_on is null
       order by id limit 1));
    found bigint;
  begin
    select id into found from contacts
    where business_id = business and id = wanted and erased_at is null
    for key share;
    return found;
  end $$`;

/**
 * Paired phones choose message ids themselves, so two phones of a business can use the same id; they always do when one
 * writes to the other. Their ids are therefore unique only per phone.
 */
export async function up(db: Knex): Promise<void> {
  // The sender's platform id on such channels. Empty on other channels and in older messages.
  await db.raw("alter table messages add column if not exists id_scope text not null default ''");
  await replaceIndex(db, ", id_scope");
  await db.raw(findsContact("and message.direction = 'out' order by message.id desc limit 1"));
}

/** Of several messages with one id, the first one keeps it. */
export async function down(db: Knex): Promise<void> {
  await db.raw(findsContact(""));
  await db.raw(`
    update messages as message set platform_message_id = null
    where message.id_scope <> '' and exists (
      select from messages as earlier
      where earlier.business_id = message.business_id and earlier.platform_message_id = message.platform_message_id
        and earlier.id < message.id)`);
  await replaceIndex(db, "");
  await db.raw("alter table messages drop column if exists id_scope");
}
