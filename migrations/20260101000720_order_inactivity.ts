import type { Knex } from "knex";

/** The index for the search for abandoned orders, which runs every minute. Few orders are open and unpaid. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create index orders_open_unpaid on orders (business_id, created_at, id)
      where status in (1, 2, 3, 8) and paid is not true;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("drop index orders_open_unpaid");
}
