import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { MessageState } from "../../domain/delivery.ts";
import type { EchoedMessage, IncomingMessage } from "../../domain/incoming.ts";

/** A message that changed or came. */
export interface MessageNews {
  readonly business_id: number;
  readonly id: number;
  readonly chat_id: number;
  /** Its state before; null for one that came. */
  readonly before: MessageState | null;
  readonly state: MessageState;
  /** What a customer sent. */
  readonly message?: IncomingMessage | undefined;
  /** What somebody of the business wrote elsewhere. */
  readonly echo?: EchoedMessage | undefined;
  /** News of it came before it. */
  readonly hasEarly?: boolean;
  /** With it the customer began a conversation. */
  readonly begins?: boolean;
}

/** A message that more is known about now, and what that says about its contact and conversation. */
export interface MovedMessage extends MessageNews {
  readonly before: MessageState;
  readonly recipient_id: string | null;
  readonly opted_out: boolean;
  readonly takes_conversation: boolean;
}

/** A contact that clients are to be told of. */
export interface ChangedContact {
  readonly business_id: number;
  readonly id: number;
}

/**
 * News that go to the database in one statement. PostgreSQL takes a list for a hundred rows and joins by nested
 * loops: thousands at a time would take the square of their number.
 */
export const atATime = 200;

/** Runs a statement on any number of news, handed to it as a JSON list in `$1`, with the values from `$2` on. */
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
