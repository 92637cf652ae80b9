import type { Queries } from "../../../../infra/postgres/database.ts";
import { loggedEvents } from "../../../../infra/postgres/log-events.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import { groupBy } from "../../../../kernel/group-by.ts";
import type { Audience } from "../../../application/events.ts";
import { mayReach, wasUnannounced } from "../../../domain/delivery.ts";
import type { AdClick } from "../../../domain/incoming.ts";
import { nameAndPayload } from "../announce-sql.ts";
import { audienceOf, chatJoins, windowUntil } from "../chat-sql.ts";
import { chatState } from "../state-sql.ts";
import type { CustomerChat } from "./customer-chats.ts";
import type { StoredReaction } from "./customer-reactions.ts";
import { inChunks, type MessageNews } from "./news.ts";

/**
 * A chat stays with the agent who closed it until the customer writes again. The customer's message usually begins a
 * new conversation. If an outgoing message began the new conversation first, the chat has the state `bot`.
 */
const isReleased = `(locked.begins or locked.arrived <> '{}' and locked.state = ${chatState.bot})`;

/**
 * A released chat has a department only if the chat waits for an agent there. A conversation that begins with this
 * message waits for no agent, so its chat has no department.
 */
const departmentAfter = `
  case when locked.begins then null
       when ${isReleased} and (locked.support_user_id is not null or locked.department_id is not null)
       then department_waited_for(locked.business_id, locked.id, locked.department_id)
       else locked.department_id end`;

/**
 * Moves chats with new messages to the top; reactions, clicks, edits and withdrawals do not move a chat. Stores when
 * the customer last wrote or reacted, to which sender, and the latest ad click. Until the customer has written, the
 * chat's sender is the one that the business used on another device. `inbound_at` is null without a message or reaction
 * of the customer. Returns the chats; `was` is set if other agents see the chat now.
 */
const raise = statement("incoming_raise")`
  with given as (
    select * from jsonb_to_recordset($1::jsonb) as news(
      business_id bigint, chat_id bigint, inbound_at timestamptz, inbound_to text, echo_of text, ad_id text,
      referral jsonb, clicked_at timestamptz, arrived bigint[], begins boolean, rises boolean, changes boolean)
  ),
  locked as (
    select given.*, chat.id, chat.last_inbound_at, chat.ad_clicked_at, chat.state, chat.support_user_id,
           chat.department_id
    from given join chats as chat on chat.business_id = given.business_id and chat.id = given.chat_id
    order by chat.business_id, chat.id
    for no key update of chat
  ),
  -- Asked once the chats are locked.
  placed as materialized (
    select locked.*, ${audienceOf("locked")} as was, ${isReleased} as is_released,
           ${departmentAfter} as department_after, case when locked.rises then now() end as risen_at
    from locked
  ),
  raised as (
  update chats as chat
  set version = chat.version + 1, last_message_at = greatest(chat.last_message_at, locked.risen_at),
      last_inbound_at = greatest(chat.last_inbound_at, locked.inbound_at),
      sender = case when locked.inbound_at >= coalesce(chat.last_inbound_at, '-infinity') then locked.inbound_to
                    else coalesce(chat.sender, locked.inbound_to, locked.echo_of) end,
      ad_id = case when locked.clicked_at >= coalesce(chat.ad_clicked_at, '-infinity')
                   then locked.ad_id else chat.ad_id end,
      ad_referral = case when locked.clicked_at >= coalesce(chat.ad_clicked_at, '-infinity')
                         then locked.referral else chat.ad_referral end,
      ad_clicked_at = greatest(chat.ad_clicked_at, locked.clicked_at),
      unread = chat.unread + (select count(*) from unnest(locked.arrived) as id where id > chat.read_up_to),
      support_user_id = case when locked.is_released then null else chat.support_user_id end,
      department_id = locked.department_after
  from placed as locked where chat.business_id = locked.business_id and chat.id = locked.id
  returning chat.business_id, chat.id, chat.provider, chat.support_user_id, chat.department_id, chat.last_inbound_at,
            locked.was, not locked.rises as stays, locked.changes,
            chat.ad_clicked_at is distinct from locked.ad_clicked_at as is_clicked,
            chat.last_inbound_at is distinct from locked.last_inbound_at as is_written
  )
  select raised.business_id, raised.id as chat_id,
         case when raised.was <> ${audienceOf("raised")} then raised.was end as was,
         raised.stays and (
           raised.changes or raised.is_clicked or raised.is_written and ${windowUntil("raised")} is not null
         ) as "isToBeTold"
  from raised`;

/** The result of `raise` for one chat. */
export interface RaisedChat {
  readonly business_id: number;
  readonly chat_id: number;
  /** Who could see the chat before; null if unchanged. */
  readonly was: Audience | null;
  /** True if the end of the window, the ad or the text of a message changed, but no new message moved the chat. */
  readonly isToBeTold: boolean;
}

const announceChanges = statement("incoming_announce_chats")`
  with given as (
    select *, null::jsonb as was from jsonb_to_recordset($1::jsonb) as raised(business_id bigint, chat_id bigint)
  ),
  events as (
    select chat.business_id, chat.id as position, ${nameAndPayload("chat:changed")}
    from given cross join lateral (
      select * from chats where business_id = given.business_id and id = given.chat_id offset 0
    ) as chat
    ${chatJoins}
  ),
  ${loggedEvents}`;

export interface PlacedClick {
  readonly click: AdClick;
  readonly chat: CustomerChat;
}

/** News that change chats. */
export interface ChatNews {
  readonly messages: readonly MessageNews[];
  readonly reacted: readonly StoredReaction[];
  /** Chats with edited or withdrawn messages. */
  readonly rewritten: readonly (CustomerChat & { readonly shows: boolean })[];
  readonly clicks: readonly PlacedClick[];
}

export const raiseChats = (transaction: Queries, news: ChatNews): Promise<RaisedChat[]> =>
  inChunks<RaisedChat>(transaction, raise, chatsToRaise(news));

/** Logs `chat:changed` for the chats that changed without a new message. */
export const announceChats = (transaction: Queries, raised: readonly RaisedChat[]): Promise<LoggedEvent[]> =>
  inChunks<LoggedEvent>(
    transaction,
    announceChanges,
    raised.filter(({ isToBeTold }) => isToBeTold),
  );

/** One row for each chat, in lock order. */
function chatsToRaise({ messages, reacted, rewritten, clicks }: ChatNews): object[] {
  const unannounced = messages.filter(({ before }) => wasUnannounced(before));
  const changed = rewritten.filter(({ shows }) => shows);
  const places = [...unannounced, ...reacted, ...changed, ...clicks.map(({ chat }) => chat)];
  const messagesOf = groupBy(unannounced, keyOf);
  const reactedIn = groupBy(reacted, keyOf);
  const changedIn = new Set(changed.map(keyOf));
  const clicksOf = groupBy(clicks, ({ chat }) => keyOf(chat));
  const rows = [...new Map(places.map((chat) => [keyOf(chat), chat]))].map(([key, { business_id, chat_id }]) => {
    const group = messagesOf.get(key) ?? [];
    const sent = group.flatMap(({ message }) => message ?? []);
    const reactions = (reactedIn.get(key) ?? []).map(({ at, sender }) => ({ occurredAt: at, sender }));
    const inbound = latest<{ readonly occurredAt: Date; readonly sender: string }>([...sent, ...reactions]);
    const click = latest([
      ...sent.flatMap(({ referral, occurredAt }) => (referral ? [{ referral, occurredAt }] : [])),
      ...(clicksOf.get(key) ?? []).map(({ click: { referral, occurredAt } }) => ({ referral, occurredAt })),
    ]);
    return {
      business_id,
      chat_id,
      rises: group.some(({ state }) => mayReach(state)),
      inbound_at: inbound?.occurredAt,
      inbound_to: inbound?.sender,
      echo_of: latest(group.flatMap(({ echo }) => echo ?? []))?.sender,
      ad_id: click?.referral.adId,
      referral: click?.referral.details,
      clicked_at: click?.occurredAt,
      arrived: group.flatMap(({ id, message }) => (message ? [id] : [])),
      begins: group.some(({ begins }) => begins === true),
      changes: changedIn.has(key),
    };
  });
  return rows.sort((a, b) => a.business_id - b.business_id || a.chat_id - b.chat_id);
}

const keyOf = ({ business_id, chat_id }: CustomerChat): string => `${business_id} ${chat_id}`;

const latest = <News extends { readonly occurredAt: Date }>(news: readonly News[]): News | undefined =>
  news.reduce<News | undefined>(
    (found, each) => (found && found.occurredAt > each.occurredAt ? found : each),
    undefined,
  );
