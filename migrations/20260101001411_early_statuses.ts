import type { Knex } from "knex";

/** Statuses that arrive before the answer to the send, which tells the message's platform id. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table early_statuses (
      business_id bigint not null references businesses on delete cascade,
      platform_message_id text not null,
      provider text not null,
      -- The platform's id of the business's number that the news came for.
      sender text not null,
      -- The furthest that was told.
      state text not null,
      error jsonb,
      heard_at timestamptz not null default now(),
      primary key (business_id, platform_message_id)
    );
    create index early_statuses_by_age on early_statuses (heard_at)`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("drop table early_statuses");
}
