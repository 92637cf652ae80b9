import type { Queries, Statement } from "../../../../infra/postgres/database.ts";
import type { MessageState } from "../../../domain/delivery.ts";
import type { EchoedMessage, IncomingMessage } from "../../../domain/incoming.ts";

/** A new message, or one with a new state. */
export interface MessageNews {
  readonly business_id: number;
  readonly id: number;
  readonly chat_id: number;
  /** The former state; null for a new message. */
  readonly before: MessageState | null;
  readonly state: MessageState;
  /** Set for a message from a customer. */
  readonly message?: IncomingMessage | undefined;
  /** Set for a message that the business wrote on another device. */
  readonly echo?: EchoedMessage | undefined;
  /** News about the message arrived before the message itself. */
  readonly hasEarly?: boolean;
  /** True for a customer's message if its conversation began in the same batch of messages. */
  readonly begins?: boolean;
}

/** A message that a status moved, with the news about its contact and conversation. */
export interface MovedMessage extends MessageNews {
  readonly before: MessageState;
  readonly conversation_id: number;
  readonly recipient_id: string | null;
  readonly opted_out: boolean;
  readonly takes_conversation: boolean;
}

/** A stored message that news named. */
export interface NamedMessage {
  readonly business_id: number;
  readonly id: number;
  readonly chat_id: number;
  readonly state: MessageState;
  /** The platform's ids of the sender and of the message. */
  readonly sender: string;
  readonly message_id: string;
  /** The news changed how the message looks. */
  readonly shows: boolean;
}

export interface ChangedContact {
  readonly business_id: number;
  readonly id: number;
}

/**
 * Rows per statement. PostgreSQL assumes 100 rows for a JSON list and joins it by nested loops, so the time grows
 * with the square of the number.
 */
export const atATime = 200;

/** Rows `news` of the chunk `$1`, joined with their `sender` on the channel `$2`. */
export const newsOfSenders = (columns: string): string =>
  `jsonb_to_recordset($1::jsonb) as news(${columns})
    join senders as sender on sender.provider = $2 and sender.platform_id = news.sender`;

/** Stores the news of one channel in one transaction. */
export class Intake {
  constructor(
    readonly transaction: Queries,
    readonly provider: string,
  ) {}

  /**
   * Runs a statement for chunks of the news: `$1` is the chunk as a JSON list, `$2` the channel, and `values` begin at
   * `$3`.
   */
  inChunks<Row extends object>(
    statement: Statement,
    news: readonly object[],
    ...values: readonly unknown[]
  ): Promise<Row[]> {
    return inChunks<Row>(this.transaction, statement, news, this.provider, ...values);
  }
}

/** Runs a statement for chunks of the news: `$1` is the chunk as a JSON list, and `values` begin at `$2`. */
export async function inChunks<Row extends object>(
  transaction: Queries,
  statement: Statement,
  news: readonly object[],
  ...values: readonly unknown[]
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < news.length; from += atATime) {
    const chunk = JSON.stringify(news.slice(from, from + atATime));
    rows.push(...(await transaction.rows<Row>(statement, [chunk, ...values])));
  }
  return rows;
}
