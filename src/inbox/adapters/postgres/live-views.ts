import type { Cells } from "../../../infra/postgres/cells.ts";
import type { Statement } from "../../../infra/postgres/database.ts";
import { administratorRole } from "../../../kernel/ids.ts";
import type { Audience } from "../../application/events.ts";
import type { ListeningUser, LiveViews } from "../../application/live-views.ts";
import type { AgentView } from "../../domain/visibility.ts";
import { agentsSee } from "./visibility-sql.ts";

const users: Statement = {
  name: "live_users",
  text: `
    select listening.id, listening.name, listening.role_id = ${administratorRole} as "isAdministrator",
           ${agentsSee} as view,
           array(select department_id from department_agents
                 where business_id = listening.business_id and user_id = listening.id order by 1) as "departmentIds"
    from users as listening
    join businesses as business on business.id = listening.business_id
    where listening.business_id = $1 and listening.id = any($2::bigint[]) and listening.active`,
};

const audiences: Statement = {
  name: "live_audiences",
  text: `
    select id, support_user_id as "agentId", department_id as "departmentId"
    from chats where business_id = $1 and id = any($2::bigint[])`,
};

interface UserRow {
  readonly id: number;
  readonly name: string;
  readonly isAdministrator: boolean;
  readonly view: AgentView;
  readonly departmentIds: readonly number[];
}

export class PostgresLiveViews implements LiveViews {
  constructor(private readonly cells: Cells) {}

  async users(businessId: number, userIds: readonly number[]): Promise<ReadonlyMap<number, ListeningUser>> {
    const rows = await this.cells.of(businessId).rows<UserRow>(users, [businessId, userIds]);
    return new Map(
      rows.map(({ id, name, isAdministrator, view, departmentIds }) => {
        const seesAll = isAdministrator || view === "all";
        return [id, { name, sight: seesAll ? null : { agentId: id, view, departmentIds } }];
      }),
    );
  }

  async audiences(businessId: number, chatIds: readonly number[]): Promise<ReadonlyMap<number, Audience>> {
    const rows = await this.cells.of(businessId).rows<Audience & { id: number }>(audiences, [businessId, chatIds]);
    return new Map(rows.map(({ id, agentId, departmentId }) => [id, { agentId, departmentId }]));
  }
}
