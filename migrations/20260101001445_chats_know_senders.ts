import type { Knex } from "knex";

/**
 * The sender that a customer wrote to last. For existing chats it is only known where a file waits to be fetched; the
 * others are answered from the first sender, as before, until the customer writes again.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table chats
      -- The platform's id of the sender, which may be deleted and connected again. Null until the customer wrote.
      add column sender text;
    update chats as chat set sender = known.sender
    from (
      select distinct on (file.business_id, message.chat_id) file.business_id, message.chat_id, file.provider, file.sender
      from incoming_files as file
      join messages as message
        on message.business_id = file.business_id and message.id = file.message_id and message.direction = 'in'
      order by file.business_id, message.chat_id, file.message_id desc
    ) as known
    where chat.business_id = known.business_id and chat.id = known.chat_id and chat.provider = known.provider;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table chats drop column sender");
}
