import type { Knex } from "knex";

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Logged events that are still to be pushed to the Pusher-protocol host; they leave with the event at the latest.
    create table push_outbox (
      business_id bigint not null references businesses on delete cascade,
      number bigint not null,
      attempts integer not null default 0,
      -- Whoever takes one moves this on first: it is the lease as well.
      due_at timestamptz not null default now(),
      primary key (business_id, number),
      foreign key (business_id, number) references realtime_events on delete cascade
    );
    create index push_outbox_by_due on push_outbox (due_at);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("drop table push_outbox");
}
