import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { quoted } from "../../../infra/postgres/sql-text.ts";
import type { DeliveryStatus } from "../../../messaging/public.ts";
import { unansweredStates } from "../../domain/delivery.ts";
import { type EchoedMessage, sentOf } from "../../domain/incoming.ts";
import type { CustomerChat } from "./customer-chats.ts";
import { isInScope } from "./message-ids.ts";
import { inChunks } from "./news.ts";

/** Milliseconds that an echo may tell later, and sooner, than the message was opened that it is of: clocks differ. */
const latestEchoMs = 10 * 60_000;
const earliestEchoMs = 2 * 60_000;
/** Messages of one chat that are looked at. */
const mostAwaiting = 100;

/** Messages of ours whose answer is awaited and that no platform has named yet, of the chat of a row, the oldest first. */
export const unanswered = (row: string): string => `
  select id, reference, kind, body, media_url, created_at from (
    select id, reference, kind, body, media_url, created_at, state, platform_message_id from messages
    where business_id = ${row}.business_id and chat_id = ${row}.chat_id
    order by id desc limit ${mostAwaiting}
  ) as latest
  where state in (${quoted(...unansweredStates)}) and platform_message_id is null
  order by id`;

const known: Statement = {
  name: "incoming_known_echoes",
  text: `
    select news.position, case when message.direction = 'out' then message.reference end as reference
    from jsonb_to_recordset($1::jsonb) as news(position integer, sender text, message_id text, reference uuid)
    join senders as sender on sender.provider = $2 and sender.platform_id = news.sender
    cross join lateral (
      select direction, reference from messages
      where business_id = sender.business_id and platform_message_id = news.message_id
        and ${isInScope("messages", "news.sender")}
      union all
      select direction, reference from messages
      where business_id = sender.business_id and reference = news.reference
      limit 1
    ) as message`,
};

const awaiting: Statement = {
  name: "incoming_awaiting_messages",
  text: `
    select chat.business_id, chat.chat_id, message.*
    from jsonb_to_recordset($1::jsonb) as chat(business_id bigint, chat_id bigint)
    cross join lateral (${unanswered("chat")}) as message
    order by chat.business_id, message.id`,
};

interface Awaiting extends CustomerChat {
  readonly id: number;
  readonly reference: string;
  readonly kind: string;
  readonly body: string;
  readonly media_url: string | null;
  readonly created_at: Date;
}

/** An echo and the chat that it is in; undefined where that is yet to be made. */
export interface PlacedEcho {
  readonly echo: EchoedMessage;
  readonly chat: CustomerChat | undefined;
}

interface ReadEchoes {
  /** That messages of ours were sent, as a delivery status tells it. */
  readonly settling: DeliveryStatus[];
  /** What somebody of the business wrote elsewhere. */
  readonly written: EchoedMessage[];
}

/** Tells echoes of our own messages from what was written elsewhere. Their messages are locked. */
export async function readEchoes(
  transaction: Queries,
  provider: string,
  echoes: readonly PlacedEcho[],
): Promise<ReadEchoes> {
  const rows = echoes.map(({ echo }, position) => ({
    position,
    sender: echo.sender,
    message_id: echo.platformMessageId,
    reference: echo.reference,
  }));
  const named = await inChunks<{ position: number; reference: string | null }>(transaction, known, rows, provider);
  const referenceAt = new Map(named.map(({ position, reference }) => [position, reference]));
  const others = echoes.filter((_, position) => !referenceAt.has(position));
  const candidates = await inChunks<Awaiting>(transaction, awaiting, distinctChats(others));
  const settling = echoes.flatMap(({ echo }, position) => {
    const reference = referenceAt.get(position);
    return reference ? [sentOf(echo, reference)] : [];
  });
  const written: EchoedMessage[] = [];
  const seen = new Set<string>();
  for (const { echo, chat } of others) {
    // The platform may tell of one echo twice: it settles one message only.
    const key = `${echo.sender} ${echo.platformMessageId}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const index = candidates.findIndex((candidate) => isOf(candidate, echo, chat));
    const [settled] = index < 0 ? [] : candidates.splice(index, 1);
    if (settled) settling.push(sentOf(echo, settled.reference));
    else written.push(echo);
  }
  return { settling, written };
}

function isOf(message: Awaiting, echo: EchoedMessage, chat: CustomerChat | undefined): boolean {
  const laterMs = echo.occurredAt.getTime() - message.created_at.getTime();
  const isOfChat = message.business_id === chat?.business_id && message.chat_id === chat.chat_id;
  return isOfChat && laterMs <= latestEchoMs && laterMs >= -earliestEchoMs && looksLike(message, echo);
}

function looksLike({ body, media_url: media, kind }: Awaiting, echo: EchoedMessage): boolean {
  const [text, said] = [body.trim(), echo.body.trim()];
  // The name of a file stands in the place of a text.
  if (text === "" && (said === "" || said === echo.file?.name)) return kind === echo.kind;
  // Some channels carry a file that comes with a text as a link below it.
  return said === text || (media !== null && said === `${text}\n\n${media}`.trim());
}

const distinctChats = (echoes: readonly PlacedEcho[]): CustomerChat[] => [
  ...new Map(echoes.flatMap(({ chat }) => (chat ? [[`${chat.business_id} ${chat.chat_id}`, chat]] : []))).values(),
];
