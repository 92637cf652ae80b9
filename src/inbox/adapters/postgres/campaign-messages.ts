import { plainArray, textArray } from "../../../infra/postgres/arrays.ts";
import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { eventColumns, loggingEvents } from "../../../infra/postgres/log-events.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { groupBy } from "../../../kernel/group-by.ts";
import type { CampaignInbox, CampaignMessage, CampaignNews, CampaignOrigin } from "../../../messaging/public.ts";
import { messageColumns, told, toldColumns, toldOfChange, toldOfNew } from "./announce-sql.ts";
import { chatJoins, contactAsTold } from "./chat-sql.ts";
import { messageState } from "./state-sql.ts";
import { findingRooms } from "./thread-sql.ts";

/** Locks messages that are kept already; nearly always there are none. */
const hold: Statement = {
  name: "campaign_messages_kept",
  text: `
    select reference from messages
    where business_id = $1 and reference = any($2::uuid[])
    order by id
    for no key update`,
};

/** The chats that were closed, and are not any more. */
const makeRooms: Statement = {
  name: "campaign_rooms",
  text: `
    with owners as (
      select contact.business_id, contact.id as contact_id, $2::text as provider, null::text as ad_id
      from contacts as contact
      where contact.business_id = $1 and contact.id = any($3::bigint[]) and contact.erased_at is null
    ),
    ${findingRooms}
    select chat_id as "chatId" from made_conversations join known_chats using (business_id, chat_id)`,
};

/**
 * Puts tags on chats, and raises the versions of those that did not have them: these are returned. A chat gets each tag
 * once, with the step of the funnel that the first campaign gives it.
 */
const tag: Statement = {
  name: "campaign_tags",
  text: `
    with given as materialized (
      select $1::bigint as business_id, row.*
      from unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[])
        as row(contact_id, provider, campaign_id, step_id, tag_ids)
    ),
    wanted as materialized (
      select distinct on (chat.id, tag.id) chat.id as chat_id, tag.id as tag_id, given.campaign_id, given.step_id
      from given
      cross join lateral (
        select id from chats
        where business_id = given.business_id and contact_id = given.contact_id and provider = given.provider
        limit 1
      ) as chat
      join tags as tag on tag.business_id = given.business_id and tag.id = any(given.tag_ids::bigint[])
      where not exists (
        select from chat_tags as had
        where had.business_id = given.business_id and had.chat_id = chat.id and had.tag_id = tag.id)
        and exists (
          select from contacts as contact
          where contact.business_id = given.business_id and contact.id = given.contact_id and contact.erased_at is null)
      order by chat.id, tag.id, given.campaign_id
    ),
    locked as (
      select id as chat_id from chats
      where business_id = $1 and id in (select chat_id from wanted)
      order by id
      for no key update
    ),
    tagged as (
      insert into chat_tags (business_id, chat_id, tag_id)
      select $1, chat_id, tag_id from wanted join locked using (chat_id)
      order by chat_id, tag_id
      on conflict do nothing
      returning chat_id, tag_id
    ),
    passed as (
      insert into funnel_events (business_id, type, chat_id, step_id, tag_id, campaign_id)
      select $1, 'assigned_tag', chat_id, step_id, tag_id, campaign_id from tagged join wanted using (chat_id, tag_id)
    )
    update chats set version = version + 1
    where business_id = $1 and id in (select chat_id from tagged)
    returning id as "chatId"`,
};

/**
 * Keeps messages in their chats, and says of which there is no room.
 *
 * A campaign raises no chats: a hundred thousand rows on top would bury the customers who wait. Its messages are in
 * their chats, and a chat rises when its customer answers.
 *
 * A chat passes each step of the funnel once: not again where its message was kept as unknown, or where one was that was
 * sent again since. All CTEs see the tables as they were before.
 *
 * The keys come whole out of `given`, of which the planner takes nothing for granted: whatever it believes of the
 * tables, it looks each row up.
 */
const store: Statement = {
  name: "campaign_messages",
  text: `
    with given as materialized (
      select $1::bigint as business_id, row.*
      from unnest($8::bigint[], $9::uuid[], $10::integer[], $11::text[], $12::text[], $13::text[], $14::text[])
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
             reference, attempt, platform_message_id, error_reason, $16::jsonb
      from homed
      where chat_id is not null
      order by position
      on conflict (business_id, reference) where reference is not null do nothing
      returning ${messageColumns}, message.reference, message.attempt
    ),
    passed as (
      insert into funnel_events (business_id, type, chat_id, step_id, campaign_id)
      select business_id, 'campaign_sent', chat_id, $7::bigint, $4::bigint from made
      where attempt = 1 or coalesce((
        select false from messages as message
        where message.business_id = made.business_id and message.chat_id = made.chat_id and message.campaign_id = $4
        limit 1), true)
    ),
    news as (
      select ${toldColumns("made")}, homed.contact, homed.support_user_id, homed.department_id
      from made join homed using (reference)
    ),
    events as (
      ${toldOfNew}
    ),
    ${loggingEvents}
    select null as homeless, ${eventColumns} from logged
    where $15::boolean
    union all
    select reference, null, null, null, null, null from homed where chat_id is null
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
      join conversations as conversation
        on conversation.business_id = known.business_id and conversation.id = known.conversation_id
      join chats as chat on chat.business_id = known.business_id and chat.id = known.chat_id
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
    from locked where contact.business_id = $1 and contact.id = locked.id
      and (locked.platform_id <> contact.platform_id or locked.opted_out and contact.opted_out_at is null)
    returning contact.id`,
};

/** Chats and contacts that look different now. A chat in which nothing stands in the inbox is told of by its message. */
const tell: Statement = {
  name: "campaign_changes_told",
  text: `
    with given as (select null::jsonb as was),
    events as (
      select chat.business_id, 1 as position, ${told("chat:changed")}
      from unnest($2::bigint[]) as changed(id)
      cross join lateral (
        select * from chats where business_id = $1 and id = changed.id and last_message_at is not null offset 0
      ) as chat
      cross join given ${chatJoins}
      union all
      select contact.business_id, 0, ${told("contact:changed")}
      from contacts as contact where contact.business_id = $1 and contact.id = any($3::bigint[])
    ),
    ${loggingEvents}
    select ${eventColumns} from logged where $4::boolean
    order by number`,
};

/** An event, or the reference of a message of which there is no room. */
type StoredRow = LoggedEvent & { readonly homeless: string | null };

interface NewMessage {
  readonly origin: CampaignOrigin;
  readonly message: CampaignMessage;
}

const isNew = ({ onlyIfKept, reference }: CampaignMessage, kept: ReadonlySet<string>): boolean =>
  !onlyIfKept && !kept.has(reference);

const newIn = ({ campaigns, kept }: Pick<Recording, "campaigns" | "kept">): NewMessage[] =>
  campaigns.flatMap(({ origin, messages }) =>
    messages.filter((message) => isNew(message, kept)).map((message) => ({ origin, message })),
  );

/** What of a business is to be recorded, and what came of it so far. */
interface Recording extends CampaignNews {
  /** Where each message is kept already, by its reference. */
  readonly kept: Set<string>;
  readonly changedChats: Set<number>;
  readonly changedContacts: readonly number[];
}

/**
 * Everybody locks messages, contacts, conversations, chats, and the counters of events in this order, each by business and
 * id. So each step is taken for all campaigns of all businesses before the next one.
 */
export class PostgresCampaignMessages implements CampaignInbox {
  constructor(private readonly transaction: Queries) {}

  async record(given: readonly CampaignNews[], isHeard: boolean): Promise<LoggedEvent[]> {
    const news = given.toSorted((one, other) => one.businessId - other.businessId);
    const held: (CampaignNews & Pick<Recording, "kept">)[] = [];
    for (const each of news) held.push({ ...each, kept: await this.hold(each) });
    const recordings: Recording[] = [];
    for (const each of held) {
      recordings.push({ ...each, changedChats: new Set(), changedContacts: await this.learn(each) });
    }
    for (const recording of recordings) await this.makeRooms(recording, newIn(recording));
    for (const recording of recordings) await this.tag(recording);
    const events: LoggedEvent[] = [];
    for (const recording of recordings) for (const event of await this.keep(recording, isHeard)) events.push(event);
    return events;
  }

  private async hold({ businessId, campaigns }: CampaignNews): Promise<Set<string>> {
    const references = campaigns.flatMap(({ messages }) => messages.map(({ reference }) => reference));
    const rows = await this.transaction.rows<{ reference: string }>(hold, [businessId, textArray(references)]);
    return new Set(rows.map(({ reference }) => reference));
  }

  private async learn({ businessId, learned }: CampaignNews): Promise<number[]> {
    if (learned.length === 0) return [];
    const rows = await this.transaction.rows<{ id: number }>(learn, [businessId, JSON.stringify(learned)]);
    return rows.map(({ id }) => id);
  }

  private async makeRooms({ businessId, changedChats }: Recording, of: readonly NewMessage[]): Promise<void> {
    const byChannel = groupBy(of, ({ origin }) => origin.channel);
    for (const [channel, messages] of [...byChannel].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const contactIds = [...new Set(messages.map(({ message }) => message.contactId))];
      const values = [businessId, channel, plainArray(contactIds)];
      for (const { chatId } of await this.transaction.rows<{ chatId: number }>(makeRooms, values)) {
        changedChats.add(chatId);
      }
    }
  }

  private async tag(recording: Recording): Promise<void> {
    const tagged = newIn(recording).filter(({ origin }) => origin.tags.length > 0);
    if (tagged.length === 0) return;
    const rows = await this.transaction.rows<{ chatId: number }>(tag, [
      recording.businessId,
      plainArray(tagged.map(({ message }) => message.contactId)),
      textArray(tagged.map(({ origin }) => origin.channel)),
      plainArray(tagged.map(({ origin }) => origin.campaignId)),
      plainArray(tagged.map(({ origin }) => origin.stepId)),
      textArray(tagged.map(({ origin }) => plainArray(origin.tags))),
    ]);
    for (const { chatId } of rows) recording.changedChats.add(chatId);
  }

  private async keep(recording: Recording, isHeard: boolean): Promise<LoggedEvent[]> {
    const { businessId, campaigns, kept, changedChats, changedContacts } = recording;
    const events: LoggedEvent[] = [];
    for (const { origin, messages } of campaigns) {
      const news = messages.filter((message) => isNew(message, kept));
      const stored = await this.store(businessId, origin, news, isHeard);
      events.push(...stored.events);
      const known = messages.filter(({ reference }) => kept.has(reference));
      if (stored.homeless.length > 0) {
        // Their chats were closed since. Where somebody waits in a circle because of it, the transaction runs again.
        await this.makeRooms(
          recording,
          stored.homeless.map((message) => ({ origin, message })),
        );
        const more = await this.store(businessId, origin, stored.homeless, isHeard);
        events.push(...more.events);
      }
      if (known.length > 0) events.push(...(await this.amend(businessId, known, isHeard)));
    }
    if (changedChats.size + changedContacts.length > 0) {
      const values = [businessId, plainArray([...changedChats]), plainArray(changedContacts), isHeard];
      events.push(...(await this.transaction.rows<LoggedEvent>(tell, values)));
    }
    return events;
  }

  private async store(
    businessId: number,
    origin: CampaignOrigin,
    messages: readonly CampaignMessage[],
    isHeard: boolean,
  ) {
    const { channel, authorName, campaignId, templateId, media, stepId } = origin;
    if (messages.length === 0) return { events: [], homeless: [] };
    const rows = await this.transaction.rows<StoredRow>(store, [
      businessId,
      channel,
      authorName,
      campaignId,
      templateId,
      media?.link ?? null,
      stepId,
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
    const homeless = new Set(rows.flatMap(({ homeless }) => homeless ?? []));
    return {
      events: rows.flatMap(({ homeless, ...event }) => (homeless === null ? [event] : [])),
      homeless: messages.filter(({ reference }) => homeless.has(reference)),
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
