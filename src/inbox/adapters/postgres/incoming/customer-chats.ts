import type { Statement } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { isNumbered } from "../../../../kernel/channels.ts";
import { byId, byNumber, type Naming } from "../thread-sql.ts";
import { type Intake, newsOfSenders } from "./news.ts";

const chatsOf = (name: string, contact: Naming): Statement => statement(name)`
  with wanted as (
    select sender.business_id, news.customer, news.position, $2::text as provider
    from ${newsOfSenders("position integer, sender text, customer text")}
  )
  select wanted.position, wanted.business_id, chat.id as chat_id
  from wanted
  cross join lateral (${contact.found}) as contact
  cross join lateral (
    select id from chats
    where business_id = wanted.business_id and contact_id = contact.id and provider = wanted.provider offset 0
  ) as chat`;
const find = chatsOf("incoming_chats", byNumber);
const findById = chatsOf("incoming_chats_by_id", byId);

export interface CustomerChat {
  readonly business_id: number;
  readonly chat_id: number;
}

/** A reference to a customer's chat. */
interface InChat {
  readonly sender: string;
  /** The customer's id on the platform. */
  readonly customer: string;
}

/** Returns the chat of each customer on the channel, or undefined. */
export async function chatsOfCustomers(
  intake: Intake,
  customers: readonly InChat[],
): Promise<(CustomerChat | undefined)[]> {
  const rows = customers.map(({ sender, customer }, position) => ({ position, sender, customer }));
  const statement = isNumbered(intake.provider) ? find : findById;
  const found = await intake.inChunks<CustomerChat & { position: number }>(statement, rows);
  const byPosition = new Map(found.map(({ position, ...chat }) => [position, chat]));
  return customers.map((_, position) => byPosition.get(position));
}
