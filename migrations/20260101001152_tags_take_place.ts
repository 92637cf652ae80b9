import type { Knex } from "knex";

/** The same function, with or without a lock of the chat. */
const takePlace = (lock: string) => `
  create or replace function take_place_among_tags() returns trigger language plpgsql as $$
  begin
    select last_message_at into new.last_message_at from chats
    where business_id = new.business_id and id = new.chat_id ${lock};
    return new;
  end $$`;

/**
 * A campaign puts tags on chats that are not locked. A chat that rose in the same moment kept its old place among the
 * chats of the tag: each of the two changes did not see the other. With the lock the later one sees the earlier one.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(takePlace("for no key update"));
}

export async function down(db: Knex): Promise<void> {
  await db.raw(takePlace(""));
}
