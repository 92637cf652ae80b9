import { plainArray, textArray } from "../../../infra/postgres/arrays.ts";
import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { eventColumns, loggingEvents } from "../../../infra/postgres/log-events.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { CampaignInbox, CampaignMessage, CampaignOrigin, LearnedContact } from "../../../messaging/public.ts";
import { messageColumns, toldColumns, toldOfChange, toldOfNew } from "./announce-sql.ts";
import { contactAsTold } from "./chat-sql.ts";
import { messageState } from "./state-sql.ts";
import { findingRooms } from "./thread-sql.ts";

const makeRooms: Statement = {
  name: "campaign_rooms",
  text: `
    with owners as (
      select contact.business_id, contact.id as contact_id, $2::text as provider, null::text as ad_id
      from contacts as contact
      where contact.business_id = $1 and contact.id = any($3::bigint[]) and contact.erased_at is null
    ),
    ${findingRooms}
    select count(*) from talks`,
};

/**
 * Keeps messages in their chats, and says which it did not keep: those of whom there is no room yet, and those that
 * are kept already.
 *
 * A campaign raises no chats: a hundred thousand rows on top would bury the customers who wait. Its messages are in
 * their chats, and a chat rises when its customer answers.
 *
 * A chat passes each step of the funnel, and gets each tag, once: not again where its message was kept as unknown, or
 * where one was that was sent again since. All CTEs see the tables as they were before.
 *
 * A tag locks its chat, and the counter of events comes last, which is why the events look at `tagged`.
 *
 * The keys come whole out of `given`, of which the planner takes nothing for granted: whatever it believes of the
 * tables, it looks each row up.
 */
const store: Statement = {
  name: "campaign_messages",
  text: `
    with given as materialized (
      select $1::bigint as business_id, row.*
      from unnest($9::bigint[], $10::uuid[], $11::integer[], $12::text[], $13::text[], $14::text[], $15::text[])
        with ordinality
        as row(contact_id, reference, attempt, body, state, platform_message_id, error_reason, position)
    ),
    homed as materialized (
      select given.*, home.*
      from given left join lateral (
        select chat.id as chat_id, conversation.id as conversation_id, ${contactAsTold} as contact,
               chat.support_user_id, chat.department_id
        from contacts as contact
        join chats as chat on chat.business_id = contact.business_id and chat.contact_id = contact.id
        cross join lateral (
          select id from conversations as open
          where open.business_id = chat.business_id and open.chat_id = chat.id and open.closed_at is null
          limit 1
        ) as conversation
        where contact.business_id = given.business_id and contact.id = given.contact_id and chat.provider = $2
          and contact.erased_at is null
        limit 1
      ) as home on true
    ),
    made as (
      insert into messages as message (business_id, chat_id, conversation_id, direction, kind, body, media_url, author,
                                       author_name, template_id, campaign_id, state, reference, attempt,
                                       platform_message_id, error_reason, attachment)
      select business_id, chat_id, conversation_id, 'out', 'template', body, $6, 'business', $3, $5, $4, state,
             reference, attempt, platform_message_id, error_reason, $17::jsonb
      from homed
      where chat_id is not null
      order by position
      on conflict (business_id, reference) where reference is not null do nothing
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
      select ${toldColumns("made")}, homed.contact, homed.support_user_id, homed.department_id from made join homed using (reference)
    ),
    events as (
      ${toldOfNew} where (select count(*) from tagged) >= 0
    ),
    ${loggingEvents}
    select null as left_over, false as homeless, ${eventColumns} from logged
    where $16::boolean
    union all
    select reference, chat_id is null, null, null, null, null, null from homed
    where not exists (select from made where made.reference = homed.reference)
    order by number`,
};

/** A message that was kept as unknown is known now. */
const amend: Statement = {
  name: "campaign_messages_known",
  text: `
    with given as materialized (
      select $1::bigint as business_id, row.*
      from unnest($2::uuid[], $3::integer[], $4::text[], $5::text[], $6::text[])
        as row(reference, attempt, state, platform_message_id, error_reason)
    ),
    known as (
      update messages as message
      set state = given.state, attempt = given.attempt, error_reason = given.error_reason,
          platform_message_id = coalesce(message.platform_message_id, given.platform_message_id)
      from given
      where message.business_id = given.business_id and message.reference = given.reference
        and message.state = ${messageState.unknown} and given.state <> ${messageState.unknown}
      returning ${messageColumns}
    ),
    news as (
      select known.*, conversation.state as conversation_state, chat.support_user_id, chat.department_id
      from known
      cross join lateral (
        select state from conversations where business_id = known.business_id and id = known.conversation_id offset 0
      ) as conversation
      cross join lateral (
        select support_user_id, department_id from chats
        where business_id = known.business_id and id = known.chat_id offset 0
      ) as chat
    ),
    events as (
      ${toldOfChange}
    ),
    ${loggingEvents}
    select ${eventColumns} from logged where $7::boolean
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
      where contact.erased_at is null
      order by contact.id
      for no key update of contact
    )
    update contacts as contact
    set platform_id = coalesce(locked.platform_id, contact.platform_id),
        opted_out_at = case when locked.opted_out then coalesce(contact.opted_out_at, now())
                            else contact.opted_out_at end
    from locked where contact.business_id = $1 and contact.id = locked.id`,
};

type StoredRow = LoggedEvent & {
  /** The reference of one that was not kept; null for an event. */
  readonly left_over: string | null;
  /** There is no room for it yet. */
  readonly homeless: boolean;
};

export class PostgresCampaignMessages implements CampaignInbox {
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
    const news = messages.filter(({ onlyIfKept }) => !onlyIfKept);
    const { events, kept, homeless } = await this.store(businessId, origin, news, isHeard);
    if (homeless.length > 0) {
      const contactIds = [...new Set(homeless.map(({ contactId }) => contactId))];
      await this.transaction.rows(makeRooms, [businessId, origin.channel, contactIds]);
      const more = await this.store(businessId, origin, homeless, isHeard);
      events.push(...more.events);
      kept.push(...more.kept);
    }
    // Nearly always there are none: nearly every message is told of once.
    kept.push(...messages.filter(({ onlyIfKept }) => onlyIfKept));
    if (kept.length > 0) events.push(...(await this.amend(businessId, kept, isHeard)));
    return events;
  }

  private async store(
    businessId: number,
    origin: CampaignOrigin,
    messages: readonly CampaignMessage[],
    isHeard: boolean,
  ) {
    const { channel, authorName, campaignId, templateId, media, stepId, tags } = origin;
    const rows = await this.transaction.rows<StoredRow>(store, [
      businessId,
      channel,
      authorName,
      campaignId,
      templateId,
      media?.link ?? null,
      stepId,
      tags,
      plainArray(messages.map(({ contactId }) => contactId)),
      textArray(messages.map(({ reference }) => reference)),
      plainArray(messages.map(({ attempt }) => attempt)),
      textArray(messages.map(({ body }) => body)),
      textArray(messages.map(({ state }) => state)),
      textArray(messages.map(({ platformMessageId }) => platformMessageId)),
      textArray(messages.map(({ errorReason }) => errorReason)),
      isHeard,
      media && JSON.stringify({ kind: media.type }),
    ]);
    const leftOver = new Map(
      rows.flatMap(({ left_over: reference, homeless }) => (reference === null ? [] : [[reference, homeless]])),
    );
    return {
      events: rows.flatMap(({ left_over, homeless: _, ...event }) => (left_over === null ? [event] : [])),
      kept: messages.filter(({ reference }) => leftOver.get(reference) === false),
      homeless: messages.filter(({ reference }) => leftOver.get(reference) === true),
    };
  }

  private amend(businessId: number, messages: readonly CampaignMessage[], isHeard: boolean): Promise<LoggedEvent[]> {
    return this.transaction.rows<LoggedEvent>(amend, [
      businessId,
      textArray(messages.map(({ reference }) => reference)),
      plainArray(messages.map(({ attempt }) => attempt)),
      textArray(messages.map(({ state }) => state)),
      textArray(messages.map(({ platformMessageId }) => platformMessageId)),
      textArray(messages.map(({ errorReason }) => errorReason)),
      isHeard,
    ]);
  }
}
