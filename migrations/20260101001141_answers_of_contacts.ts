import type { Knex } from "knex";

/** A stored answer refers to its contact, and is erased with the contact. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- 0 where the answer speaks of no contact. Null until it is written, and where a process wrote it that knew no contacts.
    alter table idempotency_keys add column contact_id bigint;

    -- The contact meant by { "contactId" }, { "chatId" }, { "messageId" } of the platform, or { "phone" }; null where
    -- there is none, or none any more. An erasure that is under way is waited for, and one that comes next waits.
    create function lock_contact_spoken_of(business bigint, about jsonb) returns bigint language plpgsql as $$
    declare
      wanted bigint := coalesce(
        (about ->> 'contactId')::bigint,
        (select contact_id from chats where business_id = business and id = (about ->> 'chatId')::bigint),
        (select chat.contact_id
         from messages as message join chats as chat
           on chat.business_id = message.business_id and chat.id = message.chat_id
         where message.business_id = business and message.platform_message_id = about ->> 'messageId'),
        (select id from contacts where business_id = business and phone = about ->> 'phone'),
        (select id from contacts where business_id = business and platform_id = about ->> 'phone' order by id limit 1));
      found bigint;
    begin
      select id into found from contacts
      where business_id = business and id = wanted and erased_at is null
      for key share;
      return found;
    end $$;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop function lock_contact_spoken_of;
    alter table idempotency_keys drop column contact_id;
  `);
}
