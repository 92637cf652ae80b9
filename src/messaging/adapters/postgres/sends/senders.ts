import type { Cells } from "../../../../infra/postgres/cells.ts";
import type { Statement } from "../../../../infra/postgres/database.ts";
import { type ChannelName, smsChannel } from "../../../../kernel/channels.ts";
import { BusinessNotFound } from "../../../../kernel/errors.ts";
import type { Sender, SenderDirectory, StoredSender } from "../../../application/sends/ports.ts";
import { SenderTaken } from "../../../domain/failures.ts";
import { type OpenToken, type SenderColumns, senderColumns, toSender } from "./sender-sql.ts";

const first: Statement = {
  name: "sender_first",
  text: `
    select ${senderColumns} from senders as sender
    where sender.business_id = $1 and sender.provider = $2
    order by sender.id limit 1`,
};

/** The number of another business stays as it is. Only a row that was there before has an `xmax`. */
const add: Statement = {
  name: "sender_add",
  text: `
    with stored as (
      insert into senders as sender (business_id, provider, platform_id, account_id, phone, sealed_token)
      select id, $2, $3, $4, $5, $6 from businesses where id = $1
      on conflict (provider, platform_id) do update set sealed_token = excluded.sealed_token
      where sender.business_id = excluded.business_id
      returning sender.id, sender.xmax <> 0 as "wasThere"
    )
    select stored.id, "wasThere" from businesses left join stored on true where businesses.id = $1`,
};

const smsSender: Sender = {
  id: 0,
  channel: smsChannel,
  platformId: "",
  accountId: "",
  phone: "",
  accessToken: "",
};

export class PostgresSenders implements SenderDirectory {
  constructor(
    private readonly cells: Cells,
    private readonly openToken: OpenToken,
    private readonly sealToken: (token: string, businessId: number) => Buffer,
    /** Whether the installation sends SMS, for all businesses alike. */
    private readonly hasSms: boolean,
  ) {}

  async add(businessId: number, sender: Omit<Sender, "id">): Promise<StoredSender> {
    const sealed = this.sealToken(sender.accessToken, businessId);
    const values = [businessId, sender.channel, sender.platformId, sender.accountId, sender.phone, sealed];
    const [row] = await this.cells.of(businessId).rows<StoredSender | { id: null }>(add, values);
    if (!row) throw new BusinessNotFound(`there is no business ${businessId}`);
    if (row.id === null) throw new SenderTaken(`${sender.platformId} belongs to another business`);
    return row;
  }

  async of(businessId: number, channel: ChannelName): Promise<Sender | null> {
    if (channel === smsChannel) return this.hasSms ? smsSender : null;
    const [row] = await this.cells.of(businessId).rows<SenderColumns>(first, [businessId, channel]);
    return row ? toSender(row, businessId, this.openToken) : null;
  }
}
