import type { Knex } from "knex";

/** Indexes are built concurrently. After a failure, the migration can run again. */
export const config = { transaction: false };

const added = {
  orders_of_zone: "orders (business_id, zone_id) where zone_id is not null",
  orders_of_driver: "orders (business_id, driver_id) where driver_id is not null",
  line_extras_of_extra: "line_extras (business_id, extra_id)",
  campaigns_by_sender: "campaigns (business_id, sender_id)",
  departments_of_agent: "department_agents (business_id, user_id)",
};

/** The old indexes. Foreign keys and counts cannot use them, since they leave out chats without messages. */
const ofInbox = {
  chats_of_department: `chats (business_id, department_id, state, last_message_at desc, id desc)
    where last_message_at is not null and department_id is not null`,
  chats_of_tag: `chat_tags (business_id, tag_id, last_message_at desc, chat_id desc)
    where last_message_at is not null`,
};
const ofAll = {
  chats_of_department: `chats (business_id, department_id, state, last_message_at desc, id desc)
    where department_id is not null`,
  chats_of_tag: "chat_tags (business_id, tag_id, last_message_at desc, chat_id desc)",
};

/**
 * Indexes for counting the uses of a record and for foreign keys. Steps, zones and campaigns by tag are so few that
 * they need none.
 */
export async function up(db: Knex): Promise<void> {
  for (const [index, definition] of Object.entries(added)) await build(db, index, definition);
  for (const [index, definition] of Object.entries(ofAll)) await replace(db, index, definition);
}

export async function down(db: Knex): Promise<void> {
  for (const [index, definition] of Object.entries(ofInbox)) await replace(db, index, definition);
  for (const index of Object.keys(added)) await db.raw(`drop index concurrently if exists ${index}`);
}

/** Keeps the old index until the new one is complete. */
async function replace(db: Knex, index: string, definition: string): Promise<void> {
  await build(db, `${index}_new`, definition);
  await db.raw(`drop index concurrently if exists ${index}`);
  await db.raw(`alter index ${index}_new rename to ${index}`);
}

/** An interrupted build leaves an invalid index. */
async function build(db: Knex, index: string, definition: string): Promise<void> {
  await db.raw(`drop index concurrently if exists ${index}`);
  await db.raw(`create index concurrently ${index} on ${definition}`);
}
