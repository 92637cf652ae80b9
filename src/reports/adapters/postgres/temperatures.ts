import type { Cells } from "../../../infra/postgres/cells.ts";
import { agentSees } from "../../../infra/postgres/seen-chats.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { Temperatures } from "../../application/ports.ts";

/** A temperature that is not given keeps its value. */
const set = statement("temperature_take")`
  update conversations
  set ai_temperature = case when $3 then $4::numeric else ai_temperature end,
      agent_temperature = case when $5 then $6::numeric else agent_temperature end
  where business_id = $1 and id = (
    select conversation.id
    from chats as chat join conversations as conversation
      on conversation.business_id = chat.business_id and conversation.chat_id = chat.id
    where chat.business_id = $1 and chat.id = $2 and ${agentSees("$7")}
    order by conversation.closed_at is null desc, conversation.created_at desc, conversation.id desc limit 1)
  returning id`;

export class PostgresTemperatures implements Temperatures {
  constructor(private readonly cells: Cells) {}

  async set(
    businessId: number,
    chatId: number,
    seenBy: number | null,
    { ai, agent }: Parameters<Temperatures["set"]>[3],
  ): Promise<boolean> {
    const values = [businessId, chatId, ai !== undefined, ai ?? null, agent !== undefined, agent ?? null, seenBy];
    return (await this.cells.of(businessId).rows(set, values)).length > 0;
  }
}
