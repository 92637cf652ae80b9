import type { Knex } from "knex";

/**
 * The time of the last report about a sender, so that older reports do not overwrite newer ones, and which secret its
 * provider uses: existing paired phones use one that is derived from their name alone.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table senders
      -- By the platform's clock: when it last told of the quality.
      add column quality_told_at timestamptz,
      -- By our own clock: when news of the connection were last written.
      add column connection_heard_at timestamptz,
      -- Since when a code waits for a phone.
      add column pairing_since timestamptz,
      add column has_secret_of_name boolean not null default false;
    -- Whose the instance was when the secret of the webhook was given.
    alter table incoming_webhooks add column owner_business_id bigint, add column owner_sender_id bigint;
    update senders set has_secret_of_name = true where provider = 'qr' and state is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table senders
      drop column quality_told_at,
      drop column connection_heard_at,
      drop column pairing_since,
      drop column has_secret_of_name;
    alter table incoming_webhooks drop column owner_business_id, drop column owner_sender_id;
  `);
}
