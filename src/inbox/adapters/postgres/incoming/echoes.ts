import { quoted } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { DeliveryStatus } from "../../../../messaging/public.ts";
import { unansweredStates } from "../../../domain/delivery.ts";
import { type EchoedMessage, sentOf } from "../../../domain/incoming.ts";
import { isInScope } from "../message-ids.ts";
import type { CustomerChat } from "./customer-chats.ts";
import { type Intake, inChunks, newsOfSenders } from "./news.ts";

/** Milliseconds by which an echo may be later, or earlier, than its message. It can be earlier if clocks differ. */
const latestEchoMs = 10 * 60_000;
const earliestEchoMs = 2 * 60_000;
/** Only this many of a chat's latest messages are compared with an echo. */
const mostAwaiting = 100;

/** Our messages in the chat of `row` that wait for the answer to their send and have no platform id; oldest first. */
export const unanswered = (row: string): string => `
  select id, reference, kind, body, media_url, created_at from (
    select id, reference, kind, body, media_url, created_at, state, platform_message_id from messages
    where business_id = ${row}.business_id and chat_id = ${row}.chat_id
    order by id desc limit ${mostAwaiting}
  ) as latest
  where state in (${quoted(...unansweredStates)}) and platform_message_id is null
  order by id`;

const known = statement("incoming_known_echoes")`
  select news.position, case when message.direction = 'out' then message.reference end as reference
  from ${newsOfSenders("position integer, sender text, message_id text, reference uuid")}
  cross join lateral (
    select direction, reference from messages
    where business_id = sender.business_id and platform_message_id = news.message_id
      and ${isInScope("messages", "news.sender")}
    union all
    select direction, reference from messages
    where business_id = sender.business_id and reference = news.reference
    limit 1
  ) as message`;

const awaiting = statement("incoming_awaiting_messages")`
  select chat.business_id, chat.chat_id, message.*
  from jsonb_to_recordset($1::jsonb) as chat(business_id bigint, chat_id bigint)
  cross join lateral (${unanswered("chat")}) as message
  order by chat.business_id, message.id`;

interface Awaiting extends CustomerChat {
  readonly id: number;
  readonly reference: string;
  readonly kind: string;
  readonly body: string;
  readonly media_url: string | null;
  readonly created_at: Date;
}

/** `chat` is undefined if it does not exist yet. */
export interface PlacedEcho {
  readonly echo: EchoedMessage;
  readonly chat: CustomerChat | undefined;
}

interface ReadEchoes {
  /** Echoes of our own messages, as statuses that confirm the send. */
  readonly settling: DeliveryStatus[];
  /** Messages that the business wrote on another device. */
  readonly written: EchoedMessage[];
}

/** Separates echoes of our own messages from messages written elsewhere. The chats' messages must be locked. */
export async function readEchoes(intake: Intake, echoes: readonly PlacedEcho[]): Promise<ReadEchoes> {
  const rows = echoes.map(({ echo }, position) => ({
    position,
    sender: echo.sender,
    message_id: echo.platformMessageId,
    reference: echo.reference,
  }));
  const named = await intake.inChunks<{ position: number; reference: string | null }>(known, rows);
  const referenceAt = new Map(named.map(({ position, reference }) => [position, reference]));
  const others = echoes.filter((_, position) => !referenceAt.has(position));
  const candidates = await inChunks<Awaiting>(intake.transaction, awaiting, distinctChats(others));
  const settling = echoes.flatMap(({ echo }, position) => {
    const reference = referenceAt.get(position);
    return reference ? [sentOf(echo, reference)] : [];
  });
  const written: EchoedMessage[] = [];
  const seen = new Set<string>();
  for (const { echo, chat } of others) {
    // A platform may deliver an echo twice; it must settle only one message.
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
  // An echo may carry the file's name in place of an empty text.
  if (text === "" && (said === "" || said === echo.file?.name)) return kind === echo.kind;
  // Some channels send a file with a text as a link below the text.
  return said === text || (media !== null && said === `${text}\n\n${media}`.trim());
}

const distinctChats = (echoes: readonly PlacedEcho[]): CustomerChat[] => [
  ...new Map(echoes.flatMap(({ chat }) => (chat ? [[`${chat.business_id} ${chat.chat_id}`, chat]] : []))).values(),
];
