import type { Knex } from "knex";

/**
 * Files of customers that must be fetched from their platforms, one row per message. The row is deleted when the file
 * is stored or given up. A running fetch holds a lease; after the lease the row is due again.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table incoming_files (
      business_id bigint not null,
      message_id bigint not null,
      provider text not null,
      -- The platform's id of the sender that the message came to. The sender may be deleted and connected again.
      sender text not null,
      kind text not null,
      name text,
      -- Where the platform has the content; null if it came with the message.
      place jsonb,
      content bytea,
      -- What the last attempt called the file in the media store, where it may have left it.
      media_name text,
      attempts integer not null default 0,
      due_at timestamptz not null default now(),
      lease_until timestamptz,
      -- The first attempt after it is the last one.
      expires_at timestamptz not null default now() + interval '1 day',
      error text,
      primary key (business_id, message_id),
      foreign key (business_id, message_id) references messages on delete cascade,
      check ((place is null) = (content is not null))
    );
    -- Uncompressed, so that a part of it is read without the rest.
    alter table incoming_files alter column content set storage external;
    create index incoming_files_due on incoming_files (business_id, due_at);
    create index incoming_files_leased on incoming_files (business_id, lease_until) where lease_until is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("drop table incoming_files");
}
