import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { type LoggedEventRow, toLoggedEvent } from "../../../infra/postgres/log-events.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { announcing, messageColumns, raising } from "./announce-sql.ts";
import { findingRooms } from "./thread-sql.ts";

/** A message of a campaign, sent already, to be kept in the chat with its contact. */
interface CampaignMessage {
  readonly contactId: number;
  /** Nothing new is kept; only what stands there as unknown changes. */
  readonly onlyIfKept: boolean;
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
 * their chats, and a chat rises when its customer answers. A message that was kept as unknown is known now.
 */
const store: Statement = {
  name: "campaign_messages",
  text: `
    with given as (
      select * from jsonb_to_recordset($2::jsonb) as row(
        position integer, "chatId" bigint, "conversationId" bigint, "onlyIfKept" boolean, reference uuid,
        attempt integer, body text, "mediaUrl" text, state text, "platformMessageId" text, "errorReason" text,
        "templateId" bigint, "campaignId" bigint)
    ),
    kept as (
      select message.id, message.reference, given.state, given.attempt, given."platformMessageId", given."errorReason"
      from given join messages as message on message.business_id = $1 and message.reference = given.reference
      order by message.id
      for no key update of message
    ),
    known as (
      update messages as message
      set state = kept.state, attempt = kept.attempt, error_reason = kept."errorReason",
          platform_message_id = coalesce(message.platform_message_id, kept."platformMessageId")
      from kept
      where message.business_id = $1 and message.id = kept.id and message.state = 'unknown' and kept.state <> 'unknown'
      returning ${messageColumns}, 'unknown'::text as before
    ),
    made as (
      insert into messages as message (business_id, chat_id, conversation_id, direction, kind, body, media_url, author,
                                       author_name, template_id, campaign_id, state, reference, attempt,
                                       platform_message_id, error_reason)
      select $1, "chatId", "conversationId", 'out', 'template', body, "mediaUrl", 'business', $3, "templateId",
             "campaignId", state, reference, attempt, "platformMessageId", "errorReason"
      from given
      where not "onlyIfKept" and not exists (select from kept where kept.reference = given.reference)
      order by position
      on conflict do nothing
      returning ${messageColumns}, null::text as before
    ),
    moved as (table made union all table known),
    ${announcing(raising.nothing)}
    select business_id, number, name, payload, at from logged order by number`,
};

/**
 * A chat passes each step of the funnel, and gets each tag, once: not again where its message was kept as unknown, or
 * where one was that was sent again since. Before the messages are stored.
 */
const mark: Statement = {
  name: "campaign_marks",
  text: `
    with given as (
      select distinct on ("chatId", "campaignId") "chatId", "stepId", "campaignId", reference, attempt, tags
      from jsonb_to_recordset($2::jsonb) as row(
        "chatId" bigint, "stepId" bigint, "campaignId" bigint, reference uuid, attempt integer, tags bigint[],
        "onlyIfKept" boolean)
      where not "onlyIfKept"
    ),
    wanted as (
      select distinct on (given."chatId", tag.id) given."chatId", given."stepId", given."campaignId", tag.id as tag_id
      from given cross join lateral unnest(given.tags) as wanted(id)
      join tags as tag on tag.business_id = $1 and tag.id = wanted.id
      order by given."chatId", tag.id, given."campaignId"
    ),
    tagged as (
      insert into chat_tags (business_id, chat_id, tag_id)
      select $1::bigint, "chatId", tag_id from wanted order by 2, 3
      on conflict do nothing
      returning chat_id, tag_id
    )
    insert into funnel_events (business_id, type, chat_id, step_id, tag_id, campaign_id)
    select $1, 'assigned_tag', wanted."chatId", wanted."stepId", wanted.tag_id, wanted."campaignId"
    from tagged join wanted on wanted."chatId" = tagged.chat_id and wanted.tag_id = tagged.tag_id
    union all
    select $1, 'campaign_sent', "chatId", "stepId", null, "campaignId" from given
    where not exists (
      select from messages as message where message.business_id = $1 and message.reference = given.reference)
    and (attempt = 1 or not exists (
      select from messages as message
      where message.business_id = $1 and message.chat_id = given."chatId" and message.campaign_id = given."campaignId"))`,
};

/** The number tells whose it is only where the message went to the contact's own. */
const learn: Statement = {
  name: "campaign_learn",
  text: `
    with given as (
      select distinct on ("contactId") "contactId" as id, phone, "platformId" as platform_id, "optedOut" as opted_out
      from jsonb_to_recordset($2::jsonb) as row(
        "contactId" bigint, phone text, "platformId" text, "optedOut" boolean)
      order by "contactId", "optedOut" desc
    ),
    locked as (
      select contact.id, given.opted_out, case when contact.phone = given.phone then given.platform_id end as platform_id
      from given join contacts as contact on contact.business_id = $1 and contact.id = given.id
      order by contact.id
      for no key update of contact
    )
    update contacts as contact
    set platform_id = coalesce(locked.platform_id, contact.platform_id),
        opted_out_at = case when locked.opted_out then coalesce(contact.opted_out_at, now())
                            else contact.opted_out_at end
    from locked where contact.business_id = $1 and contact.id = locked.id`,
};

interface LearnedContact {
  readonly contactId: number;
  readonly phone: string;
  readonly platformId: string | null;
  readonly optedOut: boolean;
}

interface Room {
  readonly contact_id: number;
  readonly chat_id: number;
  readonly conversation_id: number;
}

export class PostgresCampaignMessages {
  constructor(private readonly transaction: Queries) {}

  async learn(businessId: number, contacts: readonly LearnedContact[]): Promise<void> {
    await this.transaction.rows(learn, [businessId, JSON.stringify(contacts)]);
  }

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
    await this.transaction.rows(mark, [businessId, given]);
    return (await this.transaction.rows<LoggedEventRow>(store, [businessId, given, authorName])).map(toLoggedEvent);
  }
}
