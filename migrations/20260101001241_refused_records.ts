import type { Knex } from "knex";

/** Stores refused rows of other imports, too. */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table refused_contacts add column resource text not null default 'contacts'");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table refused_contacts drop column resource");
}
