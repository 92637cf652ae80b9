import type { Knex } from "knex";

/** Among agents with the same load, the one who waited longest gets the next chat. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table users
      -- When a department's line last gave them a chat.
      add column chat_given_at timestamptz
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table users drop column chat_given_at");
}
