import type { Knex } from "knex";

/**
 * Refusals because of the recipient are counted apart from the sender's trouble, so that the trouble does not use up
 * the recipient's attempts. `setbacks` counts the sender's trouble.
 */
export async function up(db: Knex): Promise<void> {
  // Sending campaigns must not wait behind this statement while that waits for a long reading one.
  await db.raw(`
    set local lock_timeout = '5s';
    alter table campaign_recipients
      -- How often the platform said that the recipient got too many messages.
      add column own_setbacks integer not null default 0,
      -- The platform held the message back for a day, which allows one more attempt.
      add column held_back boolean not null default false;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table campaign_recipients drop column own_setbacks, drop column held_back");
}
