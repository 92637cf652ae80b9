import { plainArray, textArray } from "../../../infra/postgres/arrays.ts";
import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { type LoggedEventRow, loggingEvents, toLoggedEvent } from "../../../infra/postgres/log-events.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { contactAsTold, messageColumns, toldColumns, toldOfMessages } from "./announce-sql.ts";
import { findingRooms } from "./thread-sql.ts";

/** A message of a campaign, sent already, to be kept in the chat with its contact. */
interface CampaignMessage {
  readonly contactId: number;
  /** Nothing new is kept; only what stands there as unknown changes. */
  readonly onlyIfKept: boolean;
  readonly reference: string;
  readonly attempt: number;
  readonly body: string;
  readonly state: string;
  readonly platformMessageId: string | null;
  readonly errorReason: string | null;
}

interface CampaignOrigin {
  readonly campaignId: number;
  readonly templateId: number;
  readonly mediaUrl: string | null;
  readonly stepId: number;
  readonly tags: readonly number[];
  readonly channel: string;
  readonly authorName: string;
}

const makeRooms: Statement = {
  name: "campaign_rooms",
  text: `
    with owners as (
      select contact.business_id, contact.id as contact_id, $2::text as provider, null::text as ad_id
      from contacts as contact
      where contact.business_id = $1 and contact.id = any($3::bigint[])
    ),
    ${findingRooms}
    select count(*) from talks`,
};

/**
 * Keeps messages in their chats, and says of whom there is none: those want a room first. A message that was kept as
 * unknown is known now.
 *
 * A campaign raises no chats: a hundred thousand rows on top would bury the customers who wait. Its messages are in
 * their chats, and a chat rises when its customer answers.
 *
 * A chat passes each step of the funnel, and gets each tag, once: not again where its message was kept as unknown, or
 * where one was that was sent again since. All CTEs see the tables as they were before.
 *
 * The keys come whole out of `given`, of which the planner takes nothing for granted: whatever it believes of the
 * tables, it looks each row up.
 */
const store: Statement = {
  name: "campaign_messages",
  text: `
    with given as materialized (
      select $1::bigint as business_id, row.*
      from unnest($9::bigint[], $10::boolean[], $11::uuid[], $12::integer[], $13::text[], $14::text[], $15::text[],
                  $16::text[]) with ordinality
        as row(contact_id, only_if_kept, reference, attempt, body, state, platform_message_id, error_reason, position)
    ),
    homed as materialized (
      select given.*, home.*
      from given left join lateral (
        select chat.id as chat_id, conversation.id as conversation_id, conversation.state as conversation_state,
               ${contactAsTold} as contact
        from contacts as contact
        join chats as chat on chat.business_id = contact.business_id and chat.contact_id = contact.id
        cross join lateral (
          select id, state from conversations as open
          where open.business_id = chat.business_id and open.chat_id = chat.id and open.closed_at is null
          limit 1
        ) as conversation
        where contact.business_id = given.business_id and contact.id = given.contact_id and chat.provider = $2
        limit 1
      ) as home on true
    ),
    known as (
      update messages as message
      set state = given.state, attempt = given.attempt, error_reason = given.error_reason,
          platform_message_id = coalesce(message.platform_message_id, given.platform_message_id)
      from given
      where message.business_id = given.business_id and message.reference = given.reference
        and message.state = 'unknown' and given.state <> 'unknown'
      returning ${messageColumns}, message.reference
    ),
    made as (
      insert into messages as message (business_id, chat_id, conversation_id, direction, kind, body, media_url, author,
                                       author_name, template_id, campaign_id, state, reference, attempt,
                                       platform_message_id, error_reason)
      select business_id, chat_id, conversation_id, 'out', 'template', body, $6, 'business', $3, $5, $4, state,
             reference, attempt, platform_message_id, error_reason
      from homed
      where not only_if_kept and chat_id is not null
      order by position
      on conflict do nothing
      returning ${messageColumns}, message.reference, message.attempt
    ),
    tagged as (
      insert into chat_tags (business_id, chat_id, tag_id)
      select made.business_id, made.chat_id, tag.id
      from tags as tag cross join made
      where tag.business_id = $1 and tag.id = any($8::bigint[])
      order by made.chat_id, tag.id
      on conflict do nothing
      returning business_id, chat_id, tag_id
    ),
    passed as (
      insert into funnel_events (business_id, type, chat_id, step_id, tag_id, campaign_id)
      select business_id, 'assigned_tag', chat_id, $7::bigint, tag_id, $4::bigint from tagged
      union all
      select business_id, 'campaign_sent', chat_id, $7, null, $4 from made
      where attempt = 1 or coalesce((
        select false from messages as message
        where message.business_id = made.business_id and message.chat_id = made.chat_id and message.campaign_id = $4
        limit 1), true)
    ),
    news as (
      select ${toldColumns("made")}, true as is_new, homed.contact, homed.conversation_state
      from made join homed using (reference)
      union all
      select ${toldColumns("known")}, false, null, (
        select state from conversations as conversation
        where conversation.business_id = known.business_id and conversation.id = known.conversation_id)
      from known
    ),
    events as (
      ${toldOfMessages}
    ),
    ${loggingEvents}
    select null::bigint as homeless, business_id, number, name, payload, at from logged where $17::boolean
    union all
    select contact_id, null, null, null, null, null from homed where chat_id is null and not only_if_kept
    order by number`,
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

type StoredRow = LoggedEventRow & {
  /** A contact without a room. */
  readonly homeless: number | null;
};

export class PostgresCampaignMessages {
  constructor(private readonly transaction: Queries) {}

  async learn(businessId: number, contacts: readonly LearnedContact[]): Promise<void> {
    await this.transaction.rows(learn, [businessId, JSON.stringify(contacts)]);
  }

  async record(
    businessId: number,
    origin: CampaignOrigin,
    messages: readonly CampaignMessage[],
    isHeard: boolean,
  ): Promise<LoggedEvent[]> {
    const { events, homeless } = await this.store(businessId, origin, messages, isHeard);
    if (homeless.size === 0) return events;
    await this.transaction.rows(makeRooms, [businessId, origin.channel, [...homeless]]);
    const others = messages.filter(({ contactId }) => homeless.has(contactId));
    return [...events, ...(await this.store(businessId, origin, others, isHeard)).events];
  }

  private async store(
    businessId: number,
    origin: CampaignOrigin,
    messages: readonly CampaignMessage[],
    isHeard: boolean,
  ) {
    const { channel, authorName, campaignId, templateId, mediaUrl, stepId, tags } = origin;
    const rows = await this.transaction.rows<StoredRow>(store, [
      businessId,
      channel,
      authorName,
      campaignId,
      templateId,
      mediaUrl,
      stepId,
      tags,
      plainArray(messages.map(({ contactId }) => contactId)),
      plainArray(messages.map(({ onlyIfKept }) => onlyIfKept)),
      textArray(messages.map(({ reference }) => reference)),
      plainArray(messages.map(({ attempt }) => attempt)),
      textArray(messages.map(({ body }) => body)),
      textArray(messages.map(({ state }) => state)),
      textArray(messages.map(({ platformMessageId }) => platformMessageId)),
      textArray(messages.map(({ errorReason }) => errorReason)),
      isHeard,
    ]);
    return {
      events: rows.filter(({ homeless }) => homeless === null).map(toLoggedEvent),
      homeless: new Set(rows.flatMap(({ homeless }) => homeless ?? [])),
    };
  }
}
