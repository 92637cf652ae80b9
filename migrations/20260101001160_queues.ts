import type { Knex } from "knex";

/**
 * The queue of a chat: its agent's id, minus the id of the department that it waits for, or 0. The inbox statements and
 * `queueOf` in TypeScript must compute the same.
 */
const queueOf = (row: string) => `coalesce(${row}.support_user_id, -${row}.department_id, 0)`;

/** An agent sees a list of queues, which is defined only here. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- The queues that an agent sees, as the feature flag says; null is all of them, and so is no agent.
    create function queues_seen(business bigint, agent bigint) returns bigint[] stable language plpgsql as $$
    begin
      if agent is null then
        return null;
      end if;
      return (
        select case feature_flags->>'agents_see'
          when 'all' then null
          when 'own' then array[agent]
          else array[agent, 0] || array(
            select -department_id from department_agents
            where business_id = business and user_id = agent order by department_id)
          end
        from businesses where id = business);
    end $$;

    create or replace function agent_sees(agent bigint, chat chats) returns boolean stable language sql as $$
      select coalesce(${queueOf("chat")} = any(queues_seen(chat.business_id, agent)), true)
    $$;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    create or replace function agent_sees(agent bigint, chat chats) returns boolean stable language sql as $$
      select agent is null or case feature_flags->>'agents_see'
        when 'all' then true
        when 'own' then chat.support_user_id is not distinct from agent
        else chat.support_user_id is not distinct from agent or chat.support_user_id is null and (
          chat.department_id is null or exists (
            select from department_agents as member
            where member.business_id = chat.business_id and member.user_id = agent
              and member.department_id = chat.department_id))
        end
      from businesses where id = chat.business_id
    $$;
    drop function queues_seen;
  `);
}
