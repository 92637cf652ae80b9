import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { ChannelName } from "../../../kernel/channels.ts";
import type { Sender, SenderDirectory } from "../../application/ports.ts";
import { type OpenToken, type SenderColumns, senderColumns, toSender } from "./sender-sql.ts";

const first: Statement = {
  name: "sender_first",
  text: `
    select ${senderColumns} from senders as sender
    where sender.business_id = $1 and sender.provider = $2
    order by sender.id limit 1`,
};

export class PostgresSenders implements SenderDirectory {
  constructor(
    private readonly database: Queries,
    private readonly openToken: OpenToken,
  ) {}

  async of(businessId: number, channel: ChannelName): Promise<Sender | null> {
    const [row] = await this.database.rows<SenderColumns>(first, [businessId, channel]);
    return row ? toSender(row, businessId, this.openToken) : null;
  }
}
