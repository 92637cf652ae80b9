import type { Knex } from "knex";

/** Reactions and the like that arrive before the message they are about. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table early_news (
      business_id bigint not null references businesses on delete cascade,
      platform_message_id text not null,
      provider text not null,
      kind text not null check (kind in ('reaction', 'withdrawal', 'reply')),
      -- As the platform calls them; empty for a reply.
      customer text not null,
      -- The platform's id of the message that answers; empty for the other kinds.
      answer text not null,
      -- The platform's id of the business's number that the news came for.
      sender text not null,
      author text,
      emoji text not null,
      at timestamptz not null,
      heard_at timestamptz not null default clock_timestamp(),
      primary key (business_id, platform_message_id, provider, kind, customer, answer)
    );
    create index early_news_by_age on early_news (heard_at)`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("drop table early_news");
}
