import type { Knex } from "knex";

/** Rows that the imports of other resources refused are kept beside those of contacts. */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table refused_contacts add column resource text not null default 'contacts'");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table refused_contacts drop column resource");
}
