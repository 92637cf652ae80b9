import type { Queries } from "../../../../infra/postgres/database.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { rankIn } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { ChatChannelName } from "../../../../kernel/channels.ts";
import { deliveryStates } from "../../../../kernel/delivery.ts";
import type { DeliveryStatus } from "../../../../messaging/public.ts";
import type { EarlyStatuses } from "../../../application/incoming/ports.ts";
import type { NewsOfMessages } from "../../../domain/incoming.ts";
import { looked } from "../early-waking.ts";
import { isInScope } from "../message-ids.ts";
import { messageState } from "../state-sql.ts";
import { takeNews } from "./early-news.ts";
import { type Intake, newsOfSenders } from "./news.ts";

/** After this many minutes no answer to a send is expected, and early news expire. */
const kept = 15;
const purgedAtOnce = 10_000;

const rank = (state: string): string => rankIn(deliveryStates, state);

const keep = statement("early_statuses_keep")`
  with given as (
    select distinct on (sender.business_id, news.message_id) sender.business_id, sender.id as sender_id, news.*
    from ${newsOfSenders("sender text, message_id text, state text, error jsonb")}
    order by sender.business_id, news.message_id, ${rank("news.state")} desc
  ),
  -- Evaluated once per sender. Statuses of messages that other systems send from the same account are not stored.
  awaiting as materialized (
    select business_id, sender_id from (select distinct business_id, sender_id from given) as asked
    where exists (
        select 1 from messages as message
        join chats as chat on chat.business_id = message.business_id and chat.id = message.chat_id
        where message.business_id = asked.business_id and message.state = ${messageState.sending}
          and chat.provider = $2)
      or exists (
        select 1 from messages as message
        join chats as chat on chat.business_id = message.business_id and chat.id = message.chat_id
        where message.business_id = asked.business_id and message.direction = 'out' and message.campaign_id is null
          and message.created_at > now() - interval '${kept} minutes' and message.state = ${messageState.unknown}
          and message.platform_message_id is null and chat.provider = $2)
      or exists (
        select 1 from campaigns
        where business_id = asked.business_id and sender_id = asked.sender_id
          and (state = 'running' or finished_at > now() - interval '${kept} minutes'))
      or exists (
        select 1 from campaign_recipients where business_id = asked.business_id and lease_until is not null)
  )
  insert into early_statuses as early (business_id, platform_message_id, provider, sender, state, error, heard_at)
  select business_id, message_id, $2, sender, state, error, clock_timestamp() from given
  where case
    when exists (
      select 1 from messages where business_id = given.business_id and platform_message_id = given.message_id
        and ${isInScope("messages", "given.sender")})
    then exists (
      select 1 from messages as message
      where message.business_id = given.business_id and message.platform_message_id = given.message_id
        and ${isInScope("message", "given.sender")} and message.direction = 'out' and ${rank("message.state")} < ${rank("given.state")})
    else (given.business_id, given.sender_id) in (select business_id, sender_id from awaiting) end
  order by business_id, message_id
  on conflict (business_id, platform_message_id) do update
  set state = excluded.state, error = excluded.error, heard_at = excluded.heard_at
  where ${rank("early.state")} < ${rank("excluded.state")}
  returning early.business_id`;

/**
 * Stores statuses whose message has no platform id yet, and statuses whose message got its id after `moveStatuses`
 * looked for the message. Statuses with our reference never wait, since the reference is stored before the send.
 * Returns true if any status was stored.
 */
export async function keepEarly(intake: Intake, statuses: readonly DeliveryStatus[]): Promise<boolean> {
  const rows = statuses
    .filter(({ reference }) => reference === undefined)
    .map(({ sender, platformMessageId, state, error }) => ({ sender, message_id: platformMessageId, state, error }));
  return (await intake.inChunks(keep, rows)).length > 0;
}

/** Recent statuses whose message is stored by now. `offset 0` forces one look-up per row. */
const due = `
  select early.business_id, early.platform_message_id, early.provider
  from early_statuses as early cross join lateral (
    select 1 from messages
    where business_id = early.business_id and platform_message_id = early.platform_message_id
      and ${isInScope("messages", "early.sender")} offset 0
  ) as message
  where early.heard_at > now() - interval '${looked} seconds' and ${livesHere("early.business_id")}`;

const waitingOn = statement("early_statuses_channels")`
  select provider from (${due} limit 1000) as due
  union
  select provider from (
    select early.provider from early_news as early
    where early.heard_at > now() - interval '${looked} seconds' and ${livesHere("early.business_id")} and exists (
      select 1 from messages
      where business_id = early.business_id and platform_message_id = early.platform_message_id
        and ${isInScope("messages", "early.sender")})
    limit 1000
  ) as due_news`;

const take = statement("early_statuses_take")`
  delete from early_statuses where (business_id, platform_message_id) in (
    select early.business_id, early.platform_message_id
    from (${due} and early.provider = $1 limit $2) as due join early_statuses as early
      using (business_id, platform_message_id)
    order by early.business_id, early.platform_message_id
    for update of early skip locked)
  returning sender, platform_message_id as "platformMessageId", state, error`;

const purge = statement("early_statuses_purge")`
  delete from early_statuses where (business_id, platform_message_id) in (
    select business_id, platform_message_id from early_statuses
    where heard_at < now() - interval '${kept} minutes' and ${livesHere("business_id")}
    order by heard_at limit ${purgedAtOnce}
    for update skip locked)
  returning business_id`;

/** The largest number of early news of all businesses in a cell together. */
const mostEarlyNewsInAll = 100_000;

/** Deletes expired news, and the oldest above the limit. */
const purgeNews = statement("early_news_purge")`
  delete from early_news where ctid = any(array(
    select ctid from early_news
    where heard_at < greatest(now() - interval '${kept} minutes', (
      select heard_at from early_news order by heard_at desc offset ${mostEarlyNewsInAll} limit 1))
      and ${livesHere("business_id")}
    order by heard_at limit ${purgedAtOnce}
    for update skip locked))
  returning business_id`;

type Row = Omit<DeliveryStatus, "error"> & { readonly error: NonNullable<DeliveryStatus["error"]> | null };

export class PostgresEarlyStatuses implements EarlyStatuses {
  constructor(private readonly transaction: Queries) {}

  async take(channel: ChatChannelName, limit: number): Promise<DeliveryStatus[]> {
    const rows = await this.transaction.rows<Row>(take, [channel, limit]);
    return rows.map(({ error, ...status }) => (error === null ? status : { ...status, error }));
  }

  takeNews(channel: ChatChannelName, limit: number): Promise<NewsOfMessages> {
    return takeNews(this.transaction, channel, limit);
  }

  async channels(): Promise<ChatChannelName[]> {
    const rows = await this.transaction.rows<{ provider: ChatChannelName }>(waitingOn, []);
    return rows.map(({ provider }) => provider);
  }

  async purge(): Promise<number> {
    const [statuses, news] = [await this.transaction.rows(purge, []), await this.transaction.rows(purgeNews, [])];
    return statuses.length + news.length;
  }
}
