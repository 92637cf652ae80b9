import { type Cells, inBatches } from "../../../../infra/postgres/cells.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { statement } from "../../../../infra/postgres/statement.ts";

const batchSize = 10_000;

/** Drops changes of deleted businesses. Several processes may run this statement at the same time. */
const fold = statement("chat_counts_fold")`
  with taken as (
    delete from chat_count_changes where (business_id, id) in (
      select business_id, id from chat_count_changes where ${livesHere("business_id")} limit $1 for update skip locked)
    returning *
  ),
  folded as (
    insert into chat_counts as known (business_id, agent_id, department_id, state, chats, unread)
    select taken.business_id, taken.agent_id, taken.department_id, taken.state, sum(taken.chats), sum(taken.unread)
    from taken join businesses as business on business.id = taken.business_id
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (business_id, agent_id, department_id, state) do update
    set chats = known.chats + excluded.chats, unread = known.unread + excluded.unread
  )
  select count(*) as count from taken`;

/** Merges recorded changes into the chat counts, so that readers have few changes left to add up. */
export const foldChatCounts = (cells: Cells, signal: AbortSignal): Promise<number> =>
  inBatches(cells, { statement: fold, values: [batchSize], batch: batchSize }, signal);
