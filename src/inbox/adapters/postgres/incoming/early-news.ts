import type { Queries } from "../../../../infra/postgres/database.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { ChatChannelName } from "../../../../kernel/channels.ts";
import type { NewsOfMessages } from "../../../domain/incoming.ts";
import { looked } from "../early-waking.ts";
import { isInScope } from "../message-ids.ts";
import { type Intake, type MessageNews, newsOfSenders } from "./news.ts";

const keep = statement("early_news_keep")`
  with given as (
    select distinct on (sender.business_id, news.message_id, news.kind, news.customer, news.answer)
           sender.business_id, news.*
    from ${newsOfSenders(`
      position integer, sender text, message_id text, kind text, customer text, answer text, author text, emoji text,
      body text, at timestamptz`)}
    order by sender.business_id, news.message_id, news.kind, news.customer, news.answer, news.at desc,
             news.position desc
  )
  insert into early_news as early (business_id, platform_message_id, provider, kind, customer, answer, sender, author,
                                   emoji, body, at)
  select business_id, message_id, $2, kind, customer, answer, sender, author, emoji, body, at from given
  order by business_id, message_id, kind, customer, answer
  on conflict (business_id, platform_message_id, provider, kind, customer, answer) do update
  set emoji = excluded.emoji, body = excluded.body, at = excluded.at, author = excluded.author, heard_at = excluded.heard_at
  where early.at <= excluded.at
  returning early.business_id`;

/**
 * The largest number of early news per business. Real early news wait only for seconds, so a business with more has
 * news about messages that never come.
 */
export const mostEarlyNews = 5_000;

const trim = statement("early_news_trim")`
  delete from early_news
  where (business_id, platform_message_id, provider, kind, customer, answer) in (
    select old.business_id, old.platform_message_id, old.provider, old.kind, old.customer, old.answer
    from unnest($1::bigint[]) as kept(business_id)
    cross join lateral (
      select * from early_news where business_id = kept.business_id
      order by heard_at desc offset ${mostEarlyNews}
      for update skip locked
    ) as old)`;

/**
 * Stores news about messages that are not stored yet, and deletes the oldest news above the limit. Returns true if any
 * news were stored.
 */
export async function keepNews(
  intake: Intake,
  { reactions, edits, withdrawals, replies }: NewsOfMessages,
): Promise<boolean> {
  const nothing = { customer: "", answer: "", emoji: "", body: "", at: new Date() };
  const rows = [
    ...reactions.map(({ sender, from, name, messageId, emoji, occurredAt }) => ({
      ...nothing,
      ...{ kind: "reaction", sender, message_id: messageId, customer: from, author: name, emoji, at: occurredAt },
    })),
    ...edits.flatMap(({ sender, customer, author, messageId, body, occurredAt: at }) => {
      // Without the customer's id, an erasure of the customer could not find the row.
      if (customer === null) return [];
      return [{ ...nothing, kind: editKinds[author], sender, message_id: messageId, customer, body, at }];
    }),
    ...withdrawals.map(({ sender, from, messageId }) => ({
      ...nothing,
      ...{ kind: "withdrawal", sender, message_id: messageId, customer: from },
    })),
    ...replies.map(({ sender, platformMessageId, replyTo }) => ({
      ...nothing,
      ...{ kind: "reply", sender, message_id: replyTo, answer: platformMessageId },
    })),
  ].map((row, position) => ({ ...row, position }));
  const kept = await intake.inChunks<{ readonly business_id: number }>(keep, rows);
  if (kept.length > 0) await intake.transaction.rows(trim, [[...new Set(kept.map(({ business_id: id }) => id))]]);
  return kept.length > 0;
}

const editKinds = { customer: "edit", business: "own edit" } as const;

const columns = `early.kind, early.sender, early.platform_message_id as "messageId", early.customer as "from",
                 early.answer, early.author as name, early.emoji, early.body, early.at as "occurredAt"`;

/** Skips replies, which the statement `take` takes later: a replying message must be locked before it is linked. */
const takeOf = statement("early_news_of_messages")`
  with given as (
    select early.* from jsonb_to_recordset($1::jsonb) as news(business_id bigint, message_id text)
    join early_news as early
      on early.business_id = news.business_id and early.platform_message_id = news.message_id and early.provider = $2
  )
  delete from early_news as early using given
  where early.kind <> 'reply' and early.business_id = given.business_id and early.provider = given.provider
    and early.platform_message_id = given.platform_message_id and given.kind = early.kind
    and given.customer = early.customer
  returning ${columns}`;

const take = statement("early_news_take")`
  delete from early_news as early
  where (business_id, platform_message_id, provider, kind, customer, answer) in (
    select early.business_id, early.platform_message_id, early.provider, early.kind, early.customer, early.answer
    from early_news as early
    where early.heard_at > now() - interval '${looked} seconds' and early.provider = $1
      and ${livesHere("early.business_id")}
      and exists (
        select 1 from messages
        where business_id = early.business_id and platform_message_id = early.platform_message_id
          and ${isInScope("messages", "early.sender")})
    order by early.business_id, early.platform_message_id
    limit $2
    for update skip locked)
  returning ${columns}`;

interface Row {
  readonly kind: "reaction" | "withdrawal" | "reply" | "edit" | "own edit";
  readonly sender: string;
  readonly messageId: string;
  readonly from: string;
  readonly answer: string;
  readonly name: string | null;
  readonly emoji: string;
  readonly body: string;
  readonly occurredAt: Date;
}

function newsIn(rows: readonly Row[]): NewsOfMessages {
  const of = (wanted: Row["kind"]) => rows.filter(({ kind }) => kind === wanted);
  return {
    reactions: of("reaction").map(({ sender, from, name, messageId, emoji, occurredAt }) => ({
      ...{ sender, from, messageId, emoji, occurredAt },
      ...(name === null ? {} : { name }),
    })),
    edits: (["customer", "business"] as const).flatMap((author) =>
      of(editKinds[author]).map(({ sender, from, messageId, body, occurredAt }) => ({
        ...{ sender, customer: from, author, messageId, body, occurredAt },
      })),
    ),
    withdrawals: of("withdrawal").map(({ sender, from, messageId }) => ({ sender, from, messageId })),
    replies: of("reply").map(({ sender, answer, messageId }) => ({
      ...{ sender, platformMessageId: answer, replyTo: messageId },
    })),
  };
}

/** Removes and returns news that waited for the messages that were just stored. */
export async function takeNewsOf(intake: Intake, arrived: readonly MessageNews[]): Promise<NewsOfMessages> {
  const rows = arrived.flatMap(({ business_id, message, echo, hasEarly }) =>
    hasEarly ? [{ business_id, message_id: (message ?? echo)?.platformMessageId }] : [],
  );
  return newsIn(await intake.inChunks<Row>(takeOf, rows));
}

/** Removes and returns a batch of news whose message is stored by now. */
export const takeNews = async (
  transaction: Queries,
  channel: ChatChannelName,
  limit: number,
): Promise<NewsOfMessages> => newsIn(await transaction.rows<Row>(take, [channel, limit]));
