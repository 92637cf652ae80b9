import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { ChannelName } from "../../../kernel/channels.ts";
import type { Sender, SenderDirectory } from "../../application/ports.ts";
import { BusinessNotFound } from "../../domain/failures.ts";
import { type OpenToken, type SenderColumns, senderColumns, toSender } from "./sender-sql.ts";

const first: Statement = {
  name: "sender_first",
  text: `
    select ${senderColumns} from senders as sender
    where sender.business_id = $1 and sender.provider = $2
    order by sender.id limit 1`,
};

const add: Statement = {
  name: "sender_add",
  text: `
    insert into senders (business_id, provider, platform_id, account_id, phone, sealed_token)
    select id, $2, $3, $4, $5, $6 from businesses where id = $1
    returning id`,
};

export class PostgresSenders implements SenderDirectory {
  constructor(
    private readonly database: Queries,
    private readonly openToken: OpenToken,
    private readonly sealToken: (token: string, businessId: number) => Buffer,
  ) {}

  async add(businessId: number, sender: Omit<Sender, "id">): Promise<number> {
    const sealed = this.sealToken(sender.accessToken, businessId);
    const values = [businessId, sender.channel, sender.platformId, sender.accountId, sender.phone, sealed];
    const [row] = await this.database.rows<{ id: number }>(add, values);
    if (!row) throw new BusinessNotFound(`there is no business ${businessId}`);
    return row.id;
  }

  async of(businessId: number, channel: ChannelName): Promise<Sender | null> {
    const [row] = await this.database.rows<SenderColumns>(first, [businessId, channel]);
    return row ? toSender(row, businessId, this.openToken) : null;
  }
}
