import type { Cells } from "../../../infra/postgres/cells.ts";
import type { Statement } from "../../../infra/postgres/database.ts";
import type { Temperatures } from "../../application/ports.ts";

/** Each is kept as it is unless it is given. */
const take: Statement = {
  name: "temperature_take",
  text: `
    update conversations
    set ai_temperature = case when $3 then $4::numeric else ai_temperature end,
        agent_temperature = case when $5 then $6::numeric else agent_temperature end
    where business_id = $1 and id = (
      select id from conversations where business_id = $1 and chat_id = $2
      order by closed_at is null desc, created_at desc, id desc limit 1)
    returning id`,
};

export class PostgresTemperatures implements Temperatures {
  constructor(private readonly cells: Cells) {}

  async take(businessId: number, chatId: number, { ai, agent }: Parameters<Temperatures["take"]>[2]): Promise<boolean> {
    const values = [businessId, chatId, ai !== undefined, ai ?? null, agent !== undefined, agent ?? null];
    return (await this.cells.of(businessId).rows(take, values)).length > 0;
  }
}
