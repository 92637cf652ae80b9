import type { Knex } from "knex";

/** Finds a business's oldest early news, which are deleted beyond a limit. */
export async function up(db: Knex): Promise<void> {
  await db.raw("create index early_news_of_business on early_news (business_id, heard_at)");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("drop index early_news_of_business");
}
