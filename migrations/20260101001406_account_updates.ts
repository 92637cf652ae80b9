import type { Knex } from "knex";

/** The platform's last update about the account of a sender: `{ event, details, at }`. */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table senders add column account_news jsonb");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table senders drop column account_news");
}
