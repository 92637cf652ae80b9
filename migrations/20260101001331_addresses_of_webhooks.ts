import type { Knex } from "knex";

/** The result of an attempt counts only for the URL that was called, since the endpoint's URL may have changed. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- How many addresses the endpoint has had; failing_since is about the last one.
    alter table webhook_progress add column address_number integer not null default 1;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table webhook_progress drop column address_number");
}
