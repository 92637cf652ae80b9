import type { Knex } from "knex";

/** From when on the platform's list tells what became of a template that was submitted; null where none is in doubt. */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table templates add column listed_from timestamptz");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table templates drop column listed_from");
}
