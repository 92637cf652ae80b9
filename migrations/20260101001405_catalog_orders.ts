import type { Knex } from "knex";

/** Indexes are built concurrently. After a failure, the migration can run again. */
export const config = { transaction: false };

/** The kinds of actors that change orders. The bot has no id. */
const actors = (kinds: readonly string[]) => `
  alter table order_changes drop constraint if exists order_changes_actor_check;
  alter table order_changes
    add constraint order_changes_actor_check check (actor in (${kinds.map((kind) => `'${kind}'`).join(", ")})) not valid;
  alter table order_changes validate constraint order_changes_actor_check`;

/** A message can create only one order. */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table orders add column if not exists message_id bigint");
  await db.raw("drop index concurrently if exists orders_by_message");
  await db.raw(
    "create unique index concurrently orders_by_message on orders (business_id, message_id) where message_id is not null",
  );
  await db.raw(`
    alter table orders drop constraint if exists orders_message;
    alter table orders
      add constraint orders_message foreign key (business_id, message_id) references messages not valid;
    alter table orders validate constraint orders_message`);
  await db.raw(actors(["key", "user", "bot", "contact"]));
}

/** Changes by contacts become changes by the bot. */
export async function down(db: Knex): Promise<void> {
  await db.raw("update order_changes set actor = 'bot', actor_id = null where actor = 'contact'");
  await db.raw(actors(["key", "user", "bot"]));
  await db.raw("drop index concurrently if exists orders_by_message");
  await db.raw("alter table orders drop column if exists message_id");
}
