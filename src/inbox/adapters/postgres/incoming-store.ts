import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { eventColumns, loggingEvents } from "../../../infra/postgres/log-events.ts";
import type { NoteInAudit } from "../../../kernel/audit.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { groupBy } from "../../../kernel/group-by.ts";
import type { DigestOfNumber } from "../../application/contacts/ports.ts";
import type { Audience } from "../../application/events.ts";
import type { IncomingStore } from "../../application/ports.ts";
import { mayReach, wasUntold } from "../../domain/delivery.ts";
import type { IncomingMessage, IncomingNews } from "../../domain/incoming.ts";
import { announcing, messageColumns, raising, told } from "./announce-sql.ts";
import { announceContacts, lockCounters } from "./changed-contacts.ts";
import { audienceOf, chatJoins, windowUntil } from "./chat-sql.ts";
import { storeMessages } from "./customer-messages.ts";
import { lockMessages, type StoredReaction, storeReactions } from "./customer-reactions.ts";
import { learnFrom, moveMessages, takeConversationsOf } from "./delivery-statuses.ts";
import { applyPreferences } from "./marketing-preferences.ts";
import { inChunks, type MessageNews } from "./news.ts";
import { noteSenders } from "./sender-news.ts";
import { chatState } from "./state-sql.ts";

/**
 * The agent who closed a chat has it until its customer writes again. A message that is sent after the closing may have
 * opened the new conversation, which is in the hands of the bot then.
 */
const isReleased = `(locked.begins or locked.arrived <> '{}' and chat.state = ${chatState.bot})`;

/** A released chat waits for no department, unless a contact asked for an agent in the conversation that goes on. */
const departmentAfter = `
  case when locked.begins then null
       when ${isReleased} and (chat.support_user_id is not null or chat.department_id is not null)
       then department_waited_for(chat.business_id, chat.id, chat.department_id)
       else chat.department_id end`;

/**
 * Puts chats on top, and notes when their customers wrote last and which ad they clicked last, by the time of the
 * click. A chat that only a message of ours raises comes without `inbound_at`, and one whose customer only reacted is
 * not raised. Returns the chats that other agents see than before.
 */
const raise: Statement = {
  name: "incoming_raise",
  text: `
    with given as (
      select * from jsonb_to_recordset($1::jsonb) as news(
        business_id bigint, chat_id bigint, inbound_at timestamptz, ad_id text, referral jsonb, clicked_at timestamptz,
        arrived bigint[], begins boolean, rises boolean)
    ),
    locked as (
      select chat.business_id, chat.id, given.inbound_at, given.ad_id, given.referral, given.clicked_at, given.arrived,
             given.begins, given.rises, chat.last_inbound_at, ${audienceOf("chat")} as was
      from given join chats as chat on chat.business_id = given.business_id and chat.id = given.chat_id
      order by chat.business_id, chat.id
      for no key update of chat
    )
    update chats as chat
    set version = chat.version + 1, last_message_at = case when locked.rises then greatest(chat.last_message_at, now())
                               else chat.last_message_at end,
        last_inbound_at = greatest(chat.last_inbound_at, locked.inbound_at),
        ad_id = case when locked.clicked_at >= coalesce(chat.ad_clicked_at, '-infinity')
                     then locked.ad_id else chat.ad_id end,
        ad_referral = case when locked.clicked_at >= coalesce(chat.ad_clicked_at, '-infinity')
                           then locked.referral else chat.ad_referral end,
        ad_clicked_at = greatest(chat.ad_clicked_at, locked.clicked_at),
        unread = chat.unread + (select count(*) from unnest(locked.arrived) as id where id > chat.read_up_to),
        support_user_id = case when ${isReleased} then null else chat.support_user_id end,
        department_id = ${departmentAfter}
    from locked where chat.business_id = locked.business_id and chat.id = locked.id
    returning chat.business_id, chat.id, chat.id as chat_id,
              case when locked.was <> ${audienceOf("chat")} then locked.was end as was,
              not locked.rises and chat.last_inbound_at is distinct from locked.last_inbound_at
                and ${windowUntil("chat")} is not null as "hasNewWindow"`,
};

/** What `raise` made of a chat. */
interface RaisedChat {
  readonly business_id: number;
  readonly chat_id: number;
  /** Who could see it before; null where that is the same. */
  readonly was: Audience | null;
  /** Its service window ends later, of which no message tells. */
  readonly hasNewWindow: boolean;
}

const announcement = (name: string, looks: boolean): Statement => ({
  name,
  text: `
    with moved as (
      select ${messageColumns}, news.before, news.looks
      from jsonb_to_recordset($1::jsonb) as news(business_id bigint, id bigint, before text, looks boolean)
      join messages as message on message.business_id = news.business_id and message.id = news.id
    ),
    ${announcing(raising.done, { looks })}
    select ${eventColumns} from logged order by business_id, number`,
});
const announce = announcement("incoming_announce", false);
const announceWithLooks = announcement("incoming_announce_with_looks", true);

const announceWindows: Statement = {
  name: "incoming_announce_windows",
  text: `
    with given as (
      select *, null::jsonb as was from jsonb_to_recordset($1::jsonb) as raised(business_id bigint, chat_id bigint)
    ),
    events as (
      select chat.business_id, chat.id as position, ${told("chat:changed")}
      from given cross join lateral (
        select * from chats where business_id = given.business_id and id = given.chat_id offset 0
      ) as chat
      ${chatJoins}
    ),
    ${loggingEvents}
    select ${eventColumns} from logged order by business_id, number`,
};

/**
 * Set-based: news of any number of businesses in a few statements. Everybody who writes messages locks in this
 * order: messages, contacts, conversations, chats, and the counters of events last, each by its ids; so nobody waits
 * in a circle.
 */
export class PostgresIncomingStore implements IncomingStore {
  constructor(
    private readonly transaction: Queries,
    private readonly provider: string,
    private readonly digestOf: DigestOfNumber,
    private readonly note: NoteInAudit,
  ) {}

  async record(told: IncomingNews): Promise<LoggedEvent[]> {
    const { transaction, provider } = this;
    const { statuses, preferences, messages, reactions } = told;
    await noteSenders(transaction, provider, told, this.note);
    await lockMessages(transaction, provider, statuses, reactions);
    const moved = await moveMessages(transaction, provider, statuses);
    const learned = await learnFrom(transaction, moved);
    const asked = await applyPreferences(transaction, provider, preferences, this.digestOf);
    await takeConversationsOf(transaction, moved);
    const arrived = await storeMessages(transaction, provider, messages, this.digestOf);
    const news = [...moved, ...arrived];
    // Last of what is written to messages: one may be about a message that came with it.
    const reacted = await storeReactions(transaction, provider, reactions);
    const raised = await inChunks<RaisedChat>(transaction, raise, chatsToRaise(news, reacted));
    const withNewWindow = raised.filter(({ hasNewWindow }) => hasNewWindow);
    const contacts = [...learned, ...asked];
    if (withNewWindow.length + contacts.length > 0) await lockCounters(transaction, [...news, ...raised, ...contacts]);
    const events = await this.tell(news, reacted, raised);
    const windows = await inChunks<LoggedEvent>(transaction, announceWindows, withNewWindow);
    return [...events, ...windows, ...(await announceContacts(transaction, contacts))];
  }

  private tell(
    news: readonly MessageNews[],
    reacted: readonly StoredReaction[],
    raised: readonly RaisedChat[],
  ): Promise<LoggedEvent[]> {
    const changes = news.map(({ business_id, id, before }) => ({ business_id, id, before, looks: false }));
    const looks = newLooks(news, reacted);
    const rows = [...changes, ...looks].sort((a, b) => a.business_id - b.business_id || a.id - b.id);
    return inChunks<LoggedEvent>(
      this.transaction,
      looks.length > 0 ? announceWithLooks : announce,
      rows,
      JSON.stringify(raised.filter(({ was }) => was !== null)),
    );
  }
}

const chatKeyOf = ({ business_id, chat_id }: Pick<MessageNews, "business_id" | "chat_id">): string =>
  `${business_id} ${chat_id}`;
const keyOf = ({ business_id, id }: Pick<MessageNews, "business_id" | "id">): string => `${business_id} ${id}`;

/** Messages that look different now to clients who know them; who hears of one now sees it as it is. */
function newLooks(news: readonly MessageNews[], reacted: readonly StoredReaction[]) {
  const toldNow = new Set(news.filter(({ before }) => wasUntold(before)).map(keyOf));
  const changed = reacted.filter((row) => row.shows && !wasUntold(row.state) && !toldNow.has(keyOf(row)));
  const once = new Map(changed.map((row) => [keyOf(row), row]));
  return [...once.values()].map(({ business_id, id, state }) => ({ business_id, id, before: state, looks: true }));
}

/** One row for each chat with a new message or whose customer reacted, in the order in which chats are locked. */
function chatsToRaise(news: readonly MessageNews[], reacted: readonly StoredReaction[]): object[] {
  const untold = news.filter(({ before }) => wasUntold(before));
  const chats = groupBy<MessageNews | StoredReaction, string>([...untold, ...reacted], chatKeyOf);
  const rows = [...chats.values()].flatMap((rowsOfChat) => {
    const [first] = rowsOfChat;
    if (!first) return [];
    const group = rowsOfChat.flatMap((row) => ("before" in row ? row : []));
    const messages = group.flatMap(({ message }) => message ?? []);
    const reactions = rowsOfChat.flatMap((row) => ("before" in row ? [] : { occurredAt: row.at }));
    const click = latest(messages.filter(({ referral }) => referral !== undefined));
    return [
      {
        business_id: first.business_id,
        chat_id: first.chat_id,
        rises: group.some(({ state }) => mayReach(state)),
        inbound_at: latest<{ readonly occurredAt: Date }>([...messages, ...reactions])?.occurredAt,
        ad_id: click?.referral?.adId,
        referral: click?.referral?.details,
        clicked_at: click?.occurredAt,
        arrived: group.flatMap(({ id, message }) => (message ? [id] : [])),
        begins: group.some(({ begins }) => begins),
      },
    ];
  });
  return rows.sort((a, b) => a.business_id - b.business_id || a.chat_id - b.chat_id);
}

const latest = <News extends Pick<IncomingMessage, "occurredAt">>(news: readonly News[]): News | undefined =>
  news.reduce<News | undefined>(
    (found, each) => (found && found.occurredAt > each.occurredAt ? found : each),
    undefined,
  );
