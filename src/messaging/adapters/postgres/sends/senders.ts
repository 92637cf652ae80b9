import type { Cells } from "../../../../infra/postgres/cells.ts";
import { claimNames, senderName } from "../../../../infra/postgres/claimed-names.ts";
import type { Statement } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { type ChannelName, cloudChannel, smsChannel } from "../../../../kernel/channels.ts";
import { BusinessNotFound } from "../../../../kernel/errors.ts";
import type { TokenVault } from "../../../../kernel/token-vault.ts";
import type { Sender, SenderDirectory, StoredSender } from "../../../application/sends/ports.ts";
import { SenderOfAnotherBusiness } from "../../../domain/failures.ts";

/** The columns of the row `sender` that `toSender` needs. */
export const senderColumns = `
  sender.id as sender_id, sender.provider as sender_channel, sender.platform_id as sender_platform_id,
  sender.account_id as sender_account_id, sender.phone as sender_phone, sender.sealed_token as sender_sealed_token`;

export interface SenderColumns {
  readonly sender_id: number;
  readonly sender_channel: ChannelName;
  readonly sender_platform_id: string;
  readonly sender_account_id: string;
  readonly sender_phone: string;
  readonly sender_sealed_token: Buffer;
}

export const toSender = (row: SenderColumns, businessId: number, vault: TokenVault): Sender => ({
  id: row.sender_id,
  channel: row.sender_channel,
  platformId: row.sender_platform_id,
  accountId: row.sender_account_id,
  phone: row.sender_phone,
  accessToken: vault.open(row.sender_sealed_token, businessId),
});

/** For a left join: null if the row has no sender. */
export const joinedSender = (row: SenderColumns, businessId: number, vault: TokenVault): Sender | null =>
  row.sender_id === null ? null : toSender(row, businessId, vault);

/** Joins the business's first number at the messaging platform as the row `sender`; nulls if there is no number. */
export const cloudSender = `
  left join lateral (
    select * from senders
    where senders.business_id = business.id and senders.provider = '${cloudChannel}'
    order by senders.id limit 1
  ) as sender on true`;

const first = statement("sender_first")`
  select ${senderColumns} from senders as sender
  where sender.business_id = $1 and sender.provider = $2
  order by sender.id limit 1`;

const ofChat = statement("sender_of_chat")`
  select ${senderColumns}
  from senders as sender
  left join chats as chat
    on chat.business_id = sender.business_id and chat.id = $3 and chat.provider = sender.provider
  where sender.business_id = $1 and sender.provider = $2
  order by sender.platform_id = chat.sender desc nulls last, sender.id limit 1`;

const byPlatformId = statement("sender_by_platform_id")`
  select ${senderColumns} from senders as sender
  where sender.business_id = $1 and sender.provider = $2 and sender.platform_id = $3`;

/** Does not change another business's sender. `xmax` is 0 in an inserted row, but not in an updated row. */
const add = statement("sender_add")`
  with stored as (
    insert into senders as sender (business_id, provider, platform_id, account_id, phone, sealed_token)
    select id, $2, $3, $4, $5, $6 from businesses where id = $1
    on conflict (provider, platform_id) do update set sealed_token = excluded.sealed_token
    where sender.business_id = excluded.business_id
    returning sender.*, sender.xmax <> 0 as "wasThere"
  )
  select stored.id, "wasThere", case when stored.id is not null then json_build_object(
           'name', stored.name, 'provider', stored.provider, 'platformId', stored.platform_id,
           'accountId', stored.account_id, 'phone', stored.phone,
           'messagesPerSecond', stored.messages_per_second) end as shown
  from businesses left join stored on true where businesses.id = $1`;

const smsSender = { id: 0, channel: smsChannel, platformId: "", accountId: "", phone: "", accessToken: "" } as const;

export class PostgresSenders implements SenderDirectory {
  constructor(
    private readonly cells: Cells,
    private readonly vault: TokenVault,
    /** True if the installation can send SMS; then every business can. */
    private readonly hasSms: boolean,
  ) {}

  async add(businessId: number, sender: Omit<Sender, "id">): Promise<StoredSender> {
    const sealed = this.vault.seal(sender.accessToken, businessId);
    const values = [businessId, sender.channel, sender.platformId, sender.accountId, sender.phone, sealed];
    const cell = this.cells.of(businessId);
    const name = senderName(sender.channel, sender.platformId);
    const isFree = (await claimNames(cell, businessId, "sender", [name])).length === 0;
    if (!isFree) throw new SenderOfAnotherBusiness(`${sender.platformId} belongs to another business`);
    const [row] = await cell.rows<StoredSender | { id: null }>(add, values);
    if (!row) throw new BusinessNotFound(`there is no business ${businessId}`);
    if (row.id === null) throw new SenderOfAnotherBusiness(`${sender.platformId} belongs to another business`);
    return row;
  }

  async of(businessId: number, channel: ChannelName): Promise<Sender | null> {
    if (channel === smsChannel) return this.hasSms ? smsSender : null;
    return this.one(first, businessId, channel);
  }

  forChat(businessId: number, channel: ChannelName, chatId: number): Promise<Sender | null> {
    return channel === smsChannel ? this.of(businessId, channel) : this.one(ofChat, businessId, channel, chatId);
  }

  find(businessId: number, channel: ChannelName, platformId: string): Promise<Sender | null> {
    return this.one(byPlatformId, businessId, channel, platformId);
  }

  private async one(statement: Statement, businessId: number, ...values: readonly unknown[]): Promise<Sender | null> {
    const [row] = await this.cells.of(businessId).rows<SenderColumns>(statement, [businessId, ...values]);
    return row ? toSender(row, businessId, this.vault) : null;
  }
}
