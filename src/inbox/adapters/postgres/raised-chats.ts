import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { groupBy } from "../../../kernel/group-by.ts";
import { type MessageState, mayReach, wasUntold } from "../../domain/delivery.ts";
import type { IncomingMessage } from "../../domain/incoming.ts";
import { inChunks } from "./in-chunks.ts";

/**
 * Puts chats on top, and notes when their customers wrote last and which ad they clicked last, by the time of the
 * click. A chat that only a message of ours raises comes without `inbound_at`.
 */
const raise: Statement = {
  name: "incoming_raise",
  text: `
    with given as (
      select * from jsonb_to_recordset($1::jsonb) as news(
        business_id bigint, chat_id bigint, inbound_at timestamptz, ad_id text, referral jsonb, clicked_at timestamptz)
    ),
    locked as (
      select chat.business_id, chat.id, given.inbound_at, given.ad_id, given.referral, given.clicked_at
      from given join chats as chat on chat.business_id = given.business_id and chat.id = given.chat_id
      order by chat.business_id, chat.id
      for no key update of chat
    )
    update chats as chat
    set last_message_at = greatest(chat.last_message_at, now()),
        last_inbound_at = greatest(chat.last_inbound_at, locked.inbound_at),
        ad_id = case when locked.clicked_at >= coalesce(chat.ad_clicked_at, '-infinity')
                     then locked.ad_id else chat.ad_id end,
        ad_referral = case when locked.clicked_at >= coalesce(chat.ad_clicked_at, '-infinity')
                           then locked.referral else chat.ad_referral end,
        ad_clicked_at = greatest(chat.ad_clicked_at, locked.clicked_at)
    from locked where chat.business_id = locked.business_id and chat.id = locked.id`,
};

/** A message that changed or came. */
export interface MessageNews {
  readonly business_id: number;
  readonly id: number;
  readonly chat_id: number;
  /** Its state before; null for one that came. */
  readonly before: MessageState | null;
  readonly state: MessageState;
  /** What came. */
  readonly message?: IncomingMessage | undefined;
}

export async function raiseChats(transaction: Queries, news: readonly MessageNews[]): Promise<void> {
  await inChunks(transaction, raise, chatsOf(news));
}

/** One row for each chat that is to rise, in the order in which chats are locked. */
function chatsOf(news: readonly MessageNews[]): object[] {
  const raisers = news.filter(({ before, state }) => wasUntold(before) && mayReach(state));
  const chats = groupBy(raisers, (row) => `${row.business_id} ${row.chat_id}`);
  const rows = [...chats.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const messages = group.flatMap(({ message }) => message ?? []);
    const click = latest(messages.filter(({ referral }) => referral !== undefined));
    return [
      {
        business_id: first.business_id,
        chat_id: first.chat_id,
        inbound_at: latest(messages)?.occurredAt,
        ad_id: click?.referral?.adId,
        referral: click?.referral?.details,
        clicked_at: click?.occurredAt,
      },
    ];
  });
  return rows.sort((a, b) => a.business_id - b.business_id || a.chat_id - b.chat_id);
}

const latest = (messages: readonly IncomingMessage[]): IncomingMessage | undefined =>
  messages.reduce<IncomingMessage | undefined>(
    (found, message) => (found && found.occurredAt > message.occurredAt ? found : message),
    undefined,
  );
