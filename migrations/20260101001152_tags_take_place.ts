import type { Knex } from "knex";

const takePlace = (lock: string) => `
  create or replace function take_place_among_tags() returns trigger language plpgsql as $$
  begin
    select last_message_at into new.last_message_at from chats
    where business_id = new.business_id and id = new.chat_id ${lock};
    return new;
  end $$`;

/**
 * Campaigns tag chats without locking them. A chat that got a message at the same time then kept an old place in the
 * tag's list, since neither change saw the other. The lock makes the later change see the earlier one.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(takePlace("for no key update"));
}

export async function down(db: Knex): Promise<void> {
  await db.raw(takePlace(""));
}
