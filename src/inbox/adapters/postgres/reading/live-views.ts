import type { Cells } from "../../../../infra/postgres/cells.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { administratorRole } from "../../../../kernel/ids.ts";
import type { Audience } from "../../../application/events.ts";
import type { ListeningUser, LiveViews } from "../../../application/reading/ports.ts";

const users = statement("live_users")`
  select listening.id, listening.name,
         queues_seen(listening.business_id,
                     case when listening.role_id <> ${administratorRole} then listening.id end) as queues
  from users as listening
  where listening.business_id = $1 and listening.id = any($2::bigint[]) and listening.active`;

const audiences = statement("live_audiences")`
  select id, support_user_id as "agentId", department_id as "departmentId"
  from chats where business_id = $1 and id = any($2::bigint[])`;

type UserRow = ListeningUser & { readonly id: number };

export class PostgresLiveViews implements LiveViews {
  constructor(private readonly cells: Cells) {}

  async users(businessId: number, userIds: readonly number[]): Promise<ReadonlyMap<number, ListeningUser>> {
    const rows = await this.cells.of(businessId).rows<UserRow>(users, [businessId, userIds]);
    return new Map(rows.map(({ id, name, queues }) => [id, { name, queues }]));
  }

  async audiences(businessId: number, chatIds: readonly number[]): Promise<ReadonlyMap<number, Audience>> {
    const rows = await this.cells.of(businessId).rows<Audience & { id: number }>(audiences, [businessId, chatIds]);
    return new Map(rows.map(({ id, agentId, departmentId }) => [id, { agentId, departmentId }]));
  }
}
