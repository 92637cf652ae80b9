import type { Knex } from "knex";

/** A finished campaign stays when its sender is deleted, and keeps its channel. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table campaigns alter column sender_id drop not null;
    alter table campaigns add column sender_channel text;
    alter table campaigns
      add constraint campaigns_sender_check check ((sender_id is null) = (sender_channel is not null)) not valid;
    alter table campaigns validate constraint campaigns_sender_check;
  `);
}

/** Campaigns without a sender get the business's first one. If it has none, the migration cannot be undone. */
export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table campaigns drop constraint campaigns_sender_check;
    update campaigns set sender_id = (
      select id from senders where senders.business_id = campaigns.business_id
      order by senders.provider = campaigns.sender_channel desc, id limit 1)
    where sender_id is null;
    alter table campaigns drop column sender_channel, alter column sender_id set not null;
  `);
}
