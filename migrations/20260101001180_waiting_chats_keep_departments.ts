import type { Knex } from "knex";

/**
 * A chat whose contact waits for a ticket keeps its department when the customer writes again. The function must be
 * volatile: its caller may have waited for the chat's lock, and the function must see what was committed meanwhile.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- The present department where the chat waits for it, else the one for which it began to wait last; null where it
    -- waits for none.
    create function department_waited_for(business bigint, chat bigint, present bigint) returns bigint
    volatile language plpgsql as $$
    begin
      return (
        select step.department_id
        from waiting_tickets as waiting join steps as step
          on step.business_id = waiting.business_id and step.id = waiting.step_id
        where waiting.business_id = business and waiting.chat_id = chat
        order by step.department_id is not distinct from present desc, waiting.since desc, step.id desc
        limit 1);
    end $$;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("drop function department_waited_for");
}
