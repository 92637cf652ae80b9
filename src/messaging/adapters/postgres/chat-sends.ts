import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { cloudChannel, providerBChannel } from "../../../kernel/channels.ts";
import type { ChatSendContext, ChatSends } from "../../application/ports.ts";
import type { TemplateStructure } from "../../domain/template.ts";
import { type OpenToken, type SenderColumns, senderColumns, toSender } from "./sender-sql.ts";

const context: Statement = {
  name: "chat_send_context",
  text: `
    select business.name as business_name,
           coalesce(business.feature_flags->>'timezone', 'America/La_Paz') as timezone,
           coalesce(business.feature_flags->>'template_language', 'es') as preferred_language,
           template.id, template.name, template.platform_name, template.body, template.structure,
           template.header_type, template.file_name, template.provider, template.provider_b_id,
           chat.id as chat_id, users.name as user_name
    from businesses as business
    left join templates as template
      on template.business_id = business.id and template.id = $2 and template.deleted_at is null
    left join chats as chat on chat.business_id = business.id and chat.id = $3 and chat.contact_id = $4
    left join users on users.business_id = business.id and users.id = $5 and users.active
    where business.id = $1`,
};

/** One sender of each channel that a send to the chat may need: the chat's own, ProviderB's, and the cloud's. */
const senders: Statement = {
  name: "chat_send_senders",
  text: `
    select distinct on (sender.provider) ${senderColumns}
    from senders as sender
    where sender.business_id = $1
      and (sender.provider in ('${cloudChannel}', '${providerBChannel}')
           or sender.provider = (select provider from chats where business_id = $1 and id = $2))
    order by sender.provider, sender.id`,
};

const chatChannel: Statement = {
  name: "chat_send_channel",
  text: "select provider from chats where business_id = $1 and id = $2",
};

interface ContextRow {
  readonly business_name: string;
  readonly timezone: string;
  readonly preferred_language: string;
  readonly id: number | null;
  readonly name: string;
  readonly platform_name: string;
  readonly body: string;
  readonly structure: TemplateStructure | null;
  readonly header_type: string | null;
  readonly file_name: string | null;
  readonly provider: string;
  readonly provider_b_id: string | null;
  readonly chat_id: number | null;
  readonly user_name: string | null;
}

export class PostgresChatSends implements ChatSends {
  constructor(
    private readonly database: Queries,
    private readonly openToken: OpenToken,
  ) {}

  async context(businessId: number, named: Parameters<ChatSends["context"]>[1]): Promise<ChatSendContext | null> {
    const { templateId, chatId, contactId, userId } = named;
    const [[row], found, [chat]] = await Promise.all([
      this.database.rows<ContextRow>(context, [businessId, templateId, chatId, contactId, userId]),
      this.database.rows<SenderColumns>(senders, [businessId, chatId]),
      this.database.rows<{ provider: string }>(chatChannel, [businessId, chatId]),
    ]);
    if (!row) return null;
    const byChannel = new Map(
      found.map((sender) => [sender.sender_channel, toSender(sender, businessId, this.openToken)]),
    );
    const channel = row.provider === "ProviderB" ? providerBChannel : chat?.provider;
    return {
      businessName: row.business_name,
      timezone: row.timezone,
      preferredLanguage: row.preferred_language,
      template:
        row.id === null
          ? null
          : {
              id: row.id,
              name: row.name,
              platformName: row.platform_name,
              body: row.body,
              structure: row.structure,
              headerType: row.header_type,
              fileName: row.file_name,
              provider: row.provider,
              providerBId: row.provider_b_id,
            },
      chat: row.chat_id === null ? null : { id: row.chat_id },
      user: row.user_name === null ? null : { name: row.user_name },
      sender: [...byChannel.values()].find((sender) => sender.channel === channel) ?? null,
      cloudAccount: byChannel.get(cloudChannel) ?? null,
    };
  }
}
