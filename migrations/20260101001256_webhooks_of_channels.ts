import type { Knex } from "knex";

/** Webhooks of all channels share a table, but each channel's are processed separately. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table incoming_webhooks
      add column provider text not null default 'platform-apicloud',
      -- What the address names, where it names one: an instance.
      add column platform_id text;
    create index incoming_webhooks_of_provider on incoming_webhooks (provider, id) where gave_up_at is null;
    drop index incoming_webhooks_due;

    -- By the provider's own clock: when it last told of the connection.
    alter table senders add column connection_told_at timestamptz;
  `);
}

/** Without the column, webhooks of other channels would look like the cloud channel's. */
export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table senders drop column connection_told_at;
    delete from incoming_webhooks where provider <> 'platform-apicloud';
    create index incoming_webhooks_due on incoming_webhooks (id) where gave_up_at is null;
    drop index incoming_webhooks_of_provider;
    alter table incoming_webhooks drop column platform_id, drop column provider;
  `);
}
