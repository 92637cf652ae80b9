import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { type LoggedEventRow, toLoggedEvent } from "../../../infra/postgres/log-events.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { announcing, messageColumns, raising } from "./announce-sql.ts";
import { findingRooms } from "./thread-sql.ts";

/** A message of a campaign, sent already, to be kept in the chat with its contact. */
interface CampaignMessage {
  readonly contactId: number;
  readonly reference: string;
  readonly attempt: number;
  readonly body: string;
  readonly mediaUrl: string | null;
  readonly state: string;
  readonly platformMessageId: string | null;
  readonly errorReason: string | null;
  readonly templateId: number;
  readonly campaignId: number;
  readonly stepId: number;
  readonly tags: readonly number[];
}

const findRooms: Statement = {
  name: "campaign_rooms",
  text: `
    with owners as (
      select contact.business_id, contact.id as contact_id, $2::text as provider, null::text as ad_id
      from contacts as contact
      where contact.business_id = $1 and contact.id = any($3::bigint[])
    ),
    ${findingRooms}
    select rooms.contact_id, rooms.chat_id, talks.conversation_id from rooms join talks using (business_id, chat_id)`,
};

/**
 * A campaign raises no chats: a hundred thousand rows on top would bury the customers who wait. Its messages are in
 * their chats, and a chat rises when its customer answers.
 */
const store: Statement = {
  name: "campaign_messages",
  text: `
    with given as (
      select * from jsonb_to_recordset($2::jsonb) as row(
        position integer, "chatId" bigint, "conversationId" bigint, reference uuid, attempt integer, body text,
        "mediaUrl" text, state text, "platformMessageId" text, "errorReason" text, "templateId" bigint,
        "campaignId" bigint)
    ),
    moved as (
      insert into messages as message (business_id, chat_id, conversation_id, direction, kind, body, media_url, author,
                                       author_name, template_id, campaign_id, state, reference, attempt,
                                       platform_message_id, error_reason)
      select $1, "chatId", "conversationId", 'out', 'template', body, "mediaUrl", 'business', $3, "templateId",
             "campaignId", state, reference, attempt, "platformMessageId", "errorReason"
      from given order by position
      on conflict do nothing
      returning ${messageColumns}, null::text as before
    ),
    ${announcing(raising.nothing)}
    select business_id, number, name, payload, at from logged order by number`,
};

/** A chat passes each step of the funnel, and gets each tag, once. */
const mark: Statement = {
  name: "campaign_marks",
  text: `
    with given as (
      select * from jsonb_to_recordset($2::jsonb) as row(
        "chatId" bigint, "stepId" bigint, "campaignId" bigint, tags bigint[])
    ),
    tagged as (
      insert into chat_tags (business_id, chat_id, tag_id)
      select distinct $1::bigint, "chatId", tag.id
      from given cross join lateral unnest(given.tags) as wanted(id)
      join tags as tag on tag.business_id = $1 and tag.id = wanted.id
      order by 2, 3
      on conflict do nothing
      returning chat_id, tag_id
    )
    insert into funnel_events (business_id, type, chat_id, step_id, tag_id, campaign_id)
    select $1, 'assigned_tag', tagged.chat_id, given."stepId", tagged.tag_id, given."campaignId"
    from tagged join given on given."chatId" = tagged.chat_id
    union all
    select $1, 'campaign_sent', "chatId", "stepId", null, "campaignId" from given`,
};

interface Room {
  readonly contact_id: number;
  readonly chat_id: number;
  readonly conversation_id: number;
}

export class PostgresCampaignMessages {
  constructor(private readonly transaction: Queries) {}

  async record(
    businessId: number,
    channel: string,
    authorName: string,
    messages: readonly CampaignMessage[],
  ): Promise<LoggedEvent[]> {
    const contactIds = messages.map(({ contactId }) => contactId);
    const found = await this.transaction.rows<Room>(findRooms, [businessId, channel, contactIds]);
    const rooms = new Map(found.map((room) => [room.contact_id, room]));
    const rows = messages.flatMap((message, position) => {
      const room = rooms.get(message.contactId);
      return room ? [{ ...message, position, chatId: room.chat_id, conversationId: room.conversation_id }] : [];
    });
    if (rows.length === 0) return [];
    const given = JSON.stringify(rows);
    const events = await this.transaction.rows<LoggedEventRow>(store, [businessId, given, authorName]);
    await this.transaction.rows(mark, [businessId, given]);
    return events.map(toLoggedEvent);
  }
}
