import type { Knex } from "knex";

/** Indexes for reading the audit from the latest entry, for all entries or one resource, record or actor. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    drop index audit_by_time, audit_of_record;
    create index audit_by_time on audit (business_id, at, id);
    create index audit_of_resource on audit (business_id, resource, at, id);
    create index audit_of_record on audit (business_id, resource, record_id, at, id);
    create index audit_of_actor on audit (business_id, actor_kind, actor_id, at, id);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index audit_by_time, audit_of_resource, audit_of_record, audit_of_actor;
    create index audit_of_record on audit (business_id, resource, record_id, id);
    create index audit_by_time on audit (business_id, at);
  `);
}
