import type { Knex } from "knex";

/** From when on the platform's list tells the result of a template's submission; null if the result is known. */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table templates add column listed_from timestamptz");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table templates drop column listed_from");
}
