import type { Knex } from "knex";

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- What is archived gives its identifier free.
    drop index steps_by_identifier;
    create unique index steps_by_identifier on steps (business_id, coalesce(structure_id, 0), identifier)
      where archived_at is null;

    -- What the messaging platform said of a template last, as it came in: sends ask the platform itself.
    alter table templates
      add column platform_id text,
      add column platform_status text,
      add column platform_reason text,
      -- The moment of the news that brought it; news that are older change nothing.
      add column platform_changed_at timestamptz;
    create index templates_by_platform_name on templates (business_id, platform_name);
    create index senders_of_account on senders (account_id, provider);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index senders_of_account, templates_by_platform_name, steps_by_identifier;
    alter table templates
      drop column platform_id, drop column platform_status, drop column platform_reason,
      drop column platform_changed_at;
    create unique index steps_by_identifier on steps (business_id, coalesce(structure_id, 0), identifier);
  `);
}
