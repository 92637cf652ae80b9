import { quoted } from "../../../infra/postgres/sql-text.ts";
import { agentViews, usualView } from "../../domain/visibility.ts";

/** Of the row of a business: which chats its agents see. */
export const agentsSee = `
  case when feature_flags->>'agents_see' in (${quoted(...agentViews)}) then feature_flags->>'agents_see'
       else ${quoted(usualView)} end`;

/** The CTE `viewer(agent_id, view, departments)`: what an agent sees; the agent is null for who sees all. */
export const viewerOf = (business: string, agent: string): string => `
  viewer as materialized (
    select ${agent} as agent_id,
           case when ${agent} is null then 'all' else ${agentsSee} end as view,
           array(select department_id from department_agents where business_id = ${business} and user_id = ${agent})
             as departments
    from businesses where id = ${business}
  )`;

const view = "(select view from viewer)";
const agent = "(select agent_id from viewer)";

export const seesAll = `${view} = 'all'`;

/** Of the row `chat`: the viewer could see it if nobody had it. */
const waitsForViewer = `
  ${view} = 'department'
  and (chat.department_id is null or chat.department_id = any((select departments from viewer)::bigint[]))`;

/** True of a row `chat` with `holder` (0 for nobody) that an agent may see who does not see all. */
export const isWithinOf = (holder: string): string => `(${holder} = ${agent} or ${holder} = 0 and ${waitsForViewer})`;

/** The same of any row `chat`. */
export const isWithin = isWithinOf("coalesce(chat.support_user_id, 0)");

/** True of a row `chat` that the viewer may see. */
export const isVisible = `(${seesAll} or ${isWithin})`;

/** True of a row `chat` that the viewer may see, or could if nobody had it. */
export const isWithinReach = `(${seesAll} or coalesce(chat.support_user_id, 0) = ${agent} or ${waitsForViewer})`;

/** The values of `coalesce(support_user_id, 0)` among which an agent's chats are who does not see all. */
export const agentsWithin = `case when ${view} = 'department' then array[${agent}, 0] else array[${agent}] end`;
