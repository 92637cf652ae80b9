import { type Cells, everywhere } from "../../../../infra/postgres/cells.ts";
import type { Queries } from "../../../../infra/postgres/database.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { loggedEvents } from "../../../../infra/postgres/log-events.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import type { LeavingUser, LeavingUsers } from "../../../application/acting/ports.ts";
import { nameAndPayload } from "../announce-sql.ts";
import { chatState } from "../state-sql.ts";

/**
 * A user stays in `list` for at least this long after leaving: a transaction that began before the user left may still
 * assign chats to the user. No transaction lasts this long.
 */
const arrivals = "interval '2 minutes'";

const list = statement("leaving_users")`
  select business_id as "businessId", id as "userId" from users
  where hands_over_since is not null and ${livesHere("business_id")} order by hands_over_since, business_id, id limit 1000`;

const chats = statement("leaving_chats")`
  select id from (
    select id from chats as chat
    where chat.business_id = $1 and coalesce(chat.support_user_id, 0) = $2
      and chat.state in (${chatState.pending}, ${chatState.in_progress}) and chat.last_message_at is not null
    union
    select chat_id from tickets where business_id = $1 and agent_id = $2 and closed_at is null
  ) as theirs
  order by id limit $3`;

const settle = statement("leaving_settle")`
  update users set hands_over_since = null
  where business_id = $1 and id = $2 and (active or hands_over_since < now() - ${arrivals})`;

const tell = statement("agents_tell")`
  with events as (
    select agent.business_id, agent.id as position, ${nameAndPayload("agent:changed")}
    from users as agent where agent.business_id = $1 and agent.id = any($2::bigint[])
  ),
  ${loggedEvents}`;

export class PostgresLeavingUsers implements LeavingUsers {
  constructor(private readonly cells: Cells) {}

  list(): Promise<LeavingUser[]> {
    return everywhere(this.cells, (cell) => cell.rows<LeavingUser>(list, []));
  }

  async chats({ businessId, userId }: LeavingUser, limit: number): Promise<number[]> {
    const rows = await this.cells.of(businessId).rows<{ id: number }>(chats, [businessId, userId, limit]);
    return rows.map(({ id }) => id);
  }

  async settle({ businessId, userId }: LeavingUser): Promise<void> {
    await this.cells.of(businessId).rows(settle, [businessId, userId]);
  }
}

/** Logs `agent:changed` for each of these users, who must be agents or have been agents before the change. */
export const tellOfAgents = (
  transaction: Queries,
  businessId: number,
  userIds: readonly number[],
): Promise<LoggedEvent[]> => transaction.rows<LoggedEvent>(tell, [businessId, userIds]);
