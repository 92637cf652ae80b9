import type { Knex } from "knex";

/** Indexes are built concurrently. After a failure, the migration can run again. */
export const config = { transaction: false };

const before = {
  webhook_deliveries_first: `webhook_deliveries (business_id, webhook_id, number) where state = 'waiting' and failures = 0`,
  webhook_deliveries_again: `webhook_deliveries (business_id, webhook_id, due_at) where state = 'waiting' and failures > 0`,
};
const after = {
  webhook_deliveries_first: `webhook_deliveries (business_id, webhook_id, round, number)
    where state = 'waiting' and failures = 0`,
  webhook_deliveries_again: `webhook_deliveries (business_id, webhook_id, round, due_at)
    where state = 'waiting' and failures > 0`,
};

/**
 * An endpoint starts a new round when it is disabled or enabled. Waiting deliveries of earlier rounds are dropped. The
 * round comes first in the indexes, so that dropped deliveries do not slow the search for due ones.
 */
export async function up(db: Knex): Promise<void> {
  for (const table of ["webhook_progress", "webhook_deliveries"]) {
    await db.raw(`alter table ${table} add column if not exists round integer not null default 0`);
  }
  for (const [index, definition] of Object.entries(after)) await replace(db, index, definition);
}

/** The previous version would send the deliveries of earlier rounds. */
export async function down(db: Knex): Promise<void> {
  await db.raw(`
    update webhook_deliveries as delivery set state = 'failed', error = 'disabled' from webhook_progress as progress
    where progress.business_id = delivery.business_id and progress.webhook_id = delivery.webhook_id
      and delivery.state = 'waiting' and delivery.round < progress.round`);
  for (const [index, definition] of Object.entries(before)) await replace(db, index, definition);
  for (const table of ["webhook_progress", "webhook_deliveries"]) {
    await db.raw(`alter table ${table} drop column if exists round`);
  }
}

/** Keeps the old index until the new one is complete. */
async function replace(db: Knex, index: string, definition: string): Promise<void> {
  await db.raw(`drop index concurrently if exists ${index}_new`);
  await db.raw(`create index concurrently ${index}_new on ${definition}`);
  await db.raw(`drop index concurrently if exists ${index}`);
  await db.raw(`alter index ${index}_new rename to ${index}`);
}
