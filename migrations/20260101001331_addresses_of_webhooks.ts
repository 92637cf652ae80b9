import type { Knex } from "knex";

/** What comes of an attempt counts for the address that was asked: an endpoint may have got another one meanwhile. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- How many addresses the endpoint has had; failing_since is about the last one.
    alter table webhook_progress add column address_number integer not null default 1;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table webhook_progress drop column address_number");
}
