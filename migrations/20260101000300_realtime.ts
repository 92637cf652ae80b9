import type { Knex } from "knex";

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- The counter's row lock makes commits of one business follow its numbers, so that a reader who has seen
    -- number n has missed nothing before it.
    create table realtime_counters (
      business_id bigint primary key references businesses on delete cascade,
      last_number bigint not null
    );

    create table realtime_events (
      business_id bigint not null references businesses on delete cascade,
      number bigint not null,
      name text not null,
      payload jsonb not null,
      at timestamptz not null default now(),
      primary key (business_id, number)
    );
    create index realtime_events_by_age on realtime_events (at);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("drop table realtime_events, realtime_counters");
}
