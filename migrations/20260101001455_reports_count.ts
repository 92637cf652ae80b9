import type { Knex } from "knex";

/** A platform's report about a sender raises the version, and versions that come only from reports are recorded. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table senders
      -- From the first to the second of these versions only platforms reported.
      add column reported_from integer,
      add column reported_to integer`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table senders drop column reported_from, drop column reported_to");
}
