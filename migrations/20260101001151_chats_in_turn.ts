import type { Knex } from "knex";

/** Of agents who have equally much in hand, the one to whom a chat was given longest ago gets the next. */
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
