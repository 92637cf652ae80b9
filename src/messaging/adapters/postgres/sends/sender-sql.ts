import { type ChannelName, cloudChannel } from "../../../../kernel/channels.ts";
import type { Sender } from "../../../application/sends/ports.ts";

/** Columns of the row `sender` that `toSender` reads. */
export const senderColumns = `
  sender.id as sender_id, sender.provider as sender_channel, sender.platform_id as sender_platform_id,
  sender.account_id as sender_account_id, sender.phone as sender_phone, sender.sealed_token as sender_sealed_token`;

/** Joins the row `sender` to the row `business`: its number at the messaging platform, if it has one. */
export const cloudSender = `
  left join lateral (
    select * from senders
    where senders.business_id = business.id and senders.provider = '${cloudChannel}'
    order by senders.id limit 1
  ) as sender on true`;

export interface SenderColumns {
  readonly sender_id: number;
  readonly sender_channel: ChannelName;
  readonly sender_platform_id: string;
  readonly sender_account_id: string;
  readonly sender_phone: string;
  readonly sender_sealed_token: Buffer;
}

/** Opens a token that was sealed for the business. */
export type OpenToken = (sealed: Buffer, businessId: number) => string;

export const toSender = (row: SenderColumns, businessId: number, openToken: OpenToken): Sender => ({
  id: row.sender_id,
  channel: row.sender_channel,
  platformId: row.sender_platform_id,
  accountId: row.sender_account_id,
  phone: row.sender_phone,
  accessToken: openToken(row.sender_sealed_token, businessId),
});
