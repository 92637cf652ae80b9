import type { Cells } from "../../../../infra/postgres/cells.ts";
import { agentSees } from "../../../../infra/postgres/seen-chats.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { type ChannelName, cloudChannel, providerBChannel } from "../../../../kernel/channels.ts";
import type { TokenVault } from "../../../../kernel/token-vault.ts";
import type {
  ChatContext,
  NamedInChat,
  NamedNumber,
  NumberContext,
  SendContexts,
} from "../../../application/sends/ports.ts";
import type { Template } from "../../../domain/template.ts";
import { joinedTemplate, maySend, preferredLanguage, templateColumns } from "../templates/template-catalog.ts";
import { cloudSender, joinedSender, type SenderColumns, senderColumns, toSender } from "./senders.ts";

/** SQL for the user who has a contact's chat on the cloud channel. `phone` is the contact's number or platform id. */
const holderOfNumber = (phone: string): string => `
  select chat.support_user_id
  from (
    select id from contacts
    where contacts.business_id = business.id and (contacts.phone = ${phone} or contacts.platform_id = ${phone} and contacts.known_on is null)
    order by contacts.phone is not distinct from ${phone} desc, id limit 1
  ) as contact
  join chats as chat
    on chat.business_id = business.id and chat.contact_id = contact.id and chat.provider = '${cloudChannel}'`;

const toNumber = statement("send_context_number")`
  select business.name as "businessName", ${preferredLanguage}, ${senderColumns}, ${templateColumns},
         users.name as "userName",
         coalesce(case when $4::bigint is not null then (${holderOfNumber("$5")}) <> $4 end, false) as "isChatOfAnother"
  from businesses as business
  ${cloudSender}
  left join users on users.business_id = business.id and users.id = $3::bigint
  left join templates as template
    on template.business_id = business.id and template.id = $2 and template.deleted_at is null and ${maySend}
  where business.id = $1`;

/**
 * Returns a row with a sender of the send's channel, and a row with a sender of the cloud channel. Each row has the
 * sender that the customer last wrote to, or else the business's first sender on that channel. ProviderB's templates
 * are sent on ProviderB's channel. A customer without a number gets these templates as text, on the chat's channel.
 *
 * Templates belong to the account of the first cloud number. Cloud numbers of other accounts are not taken.
 */
const toChat = statement("send_context_chat")`
  select business.name as "businessName",
         business_zone(business.feature_flags) as timezone,
         ${preferredLanguage}, ${templateColumns}, chat.id as chat_id, users.name as user_name, channel.name as channel,
         ${senderColumns}
  from businesses as business
  left join chats as chat
    on chat.business_id = business.id and chat.id = $3 and chat.contact_id = $4
       and exists (
         select 1 from contacts as contact
         where contact.business_id = business.id and contact.id = $4 and contact.erased_at is null)
       and ($6::bigint is null or ${agentSees("$6")})
  left join users on users.business_id = business.id and users.id = $5 and users.active
  left join templates as template
    on template.business_id = business.id and template.id = $2 and template.deleted_at is null
       and ${maySend}
  cross join lateral (
    select case when template.provider = 'ProviderB' and not exists (
                  select 1 from contacts as contact
                  where contact.business_id = business.id and contact.id = $4 and contact.known_on is not null)
                then '${providerBChannel}' else chat.provider end as name
  ) as channel
  left join lateral (
    select distinct on (provider) * from senders
    where business_id = business.id and provider in (channel.name, '${cloudChannel}')
    order by provider, provider = chat.provider and platform_id = chat.sender and (
               provider <> '${cloudChannel}' or account_id = (
                 select account_id from senders
                 where business_id = business.id and provider = '${cloudChannel}' order by id limit 1)
             ) desc nulls last, id
  ) as sender on true
  where business.id = $1`;

type NumberRow = SenderColumns & Template & Omit<NumberContext, "sender" | "template">;

type ChatRow = SenderColumns &
  Template &
  Pick<ChatContext, "businessName" | "timezone" | "preferredLanguage"> & {
    readonly chat_id: number | null;
    readonly user_name: string | null;
    readonly channel: ChannelName | null;
  };

export class PostgresSendContexts implements SendContexts {
  constructor(
    private readonly cells: Cells,
    private readonly vault: TokenVault,
  ) {}

  async toNumber(businessId: number, named: NamedNumber): Promise<NumberContext | null> {
    const { templateId, phone, userId, heldTo } = named;
    const values = [businessId, templateId, userId, heldTo, phone];
    const [row] = await this.cells.of(businessId).rows<NumberRow>(toNumber, values);
    if (!row) return null;
    const { businessName, userName, isChatOfAnother, preferredLanguage } = row;
    const sender = joinedSender(row, businessId, this.vault);
    return { businessName, userName, isChatOfAnother, preferredLanguage, sender, template: joinedTemplate(row) };
  }

  async toChat(businessId: number, named: NamedInChat): Promise<ChatContext | null> {
    const { templateId, chatId, contactId, userId, seenBy = null } = named;
    const rows = await this.cells
      .of(businessId)
      .rows<ChatRow>(toChat, [businessId, templateId, chatId, contactId, userId, seenBy]);
    const [row] = rows;
    if (!row) return null;
    const senderOf = (channel: ChannelName | null) => {
      const found = rows.find(({ sender_channel }) => sender_channel !== null && sender_channel === channel);
      return found ? toSender(found, businessId, this.vault) : null;
    };
    return {
      businessName: row.businessName,
      timezone: row.timezone,
      preferredLanguage: row.preferredLanguage,
      template: joinedTemplate(row),
      chat: row.chat_id === null ? null : { id: row.chat_id },
      user: row.user_name === null ? null : { name: row.user_name },
      sender: senderOf(row.channel),
      cloudSender: senderOf(cloudChannel),
    };
  }
}
