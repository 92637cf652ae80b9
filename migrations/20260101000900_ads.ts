import type { Knex } from "knex";

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table ad_credentials (
      business_id bigint primary key references businesses on delete cascade,
      sealed_token bytea not null,
      default_account_id text,
      updated_at timestamptz not null default now()
    );

    -- What each ad sold and began, for the lists of ads.
    create index registrations_by_ad on registrations (business_id, ad_id, at) include (type, closed)
      where ad_id is not null;
    create index conversations_by_ad on conversations (business_id, ad_id, created_at) where ad_id is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index conversations_by_ad, registrations_by_ad;
    drop table ad_credentials;
  `);
}
