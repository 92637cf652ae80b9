import type { Knex } from "knex";

/** A ticket has the agent of its chat; without one, the ticket has none, too. */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table tickets alter column agent_id drop not null");
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    -- Somebody must have them again: the user of the business who was there first.
    update tickets as ticket set agent_id = (select min(id) from users where users.business_id = ticket.business_id)
    where agent_id is null;
    alter table tickets alter column agent_id set not null;
  `);
}
