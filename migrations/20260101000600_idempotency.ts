import type { Knex } from "knex";

export async function up(db: Knex): Promise<void> {
  // `claim` identifies the process that may store the answer. `status` is null until then, and `body` is null for an
  // answer that was too large to store.
  await db.raw(`
    create table idempotency_keys (
      business_id bigint not null references businesses on delete cascade,
      operation text not null,
      key text not null,
      request_digest bytea not null,
      claim uuid not null,
      lease_until timestamptz not null,
      status integer,
      content_type text,
      headers jsonb,
      body text,
      created_at timestamptz not null default now(),
      primary key (business_id, operation, key)
    );
    create index idempotency_keys_by_age on idempotency_keys (created_at);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table idempotency_keys;
  `);
}
