import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { jsonOf } from "../../../infra/postgres/sql-text.ts";
import type { Holder } from "../../domain/acting.ts";

/** Locks the conversation, then the chat, as everywhere; the condition on `open_conversation` enforces the order. */
const holder: Statement = {
  name: "chat_holder",
  text: `
    with open_conversation as materialized (
      select id from conversations where business_id = $1 and chat_id = $2 and closed_at is null for no key update
    )
    select (select ${jsonOf<Holder>({ id: "users.id", name: "users.name" })} from users
            where users.business_id = chat.business_id and users.id = chat.support_user_id) as holder
    from chats as chat
    where chat.business_id = $1 and chat.id = $2 and (select count(*) from open_conversation) >= 0
    for no key update of chat`,
};

/** Locks the chat until the transaction ends, and returns its agent or null. */
export async function holderOf(transaction: Queries, businessId: number, chatId: number): Promise<Holder | null> {
  const [chat] = await transaction.rows<{ holder: Holder | null }>(holder, [businessId, chatId]);
  return chat?.holder ?? null;
}
