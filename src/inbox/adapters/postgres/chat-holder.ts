import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { jsonOf } from "../../../infra/postgres/sql-text.ts";
import type { Holder } from "../../domain/acting.ts";

/** The conversation is locked before its chat, as everywhere, which is why the condition looks at `talk`. */
const holder: Statement = {
  name: "chat_holder",
  text: `
    with talk as materialized (
      select id from conversations where business_id = $1 and chat_id = $2 and closed_at is null for no key update
    )
    select (select ${jsonOf<Holder>({ id: "users.id", name: "users.name" })} from users
            where users.business_id = chat.business_id and users.id = chat.support_user_id) as holder
    from chats as chat
    where chat.business_id = $1 and chat.id = $2 and (select count(*) from talk) >= 0
    for no key update of chat`,
};

/** Locks the chat until the transaction ends, and returns its agent; null where it has none. */
export async function holderOf(transaction: Queries, businessId: number, chatId: number): Promise<Holder | null> {
  const [chat] = await transaction.rows<{ holder: Holder | null }>(holder, [businessId, chatId]);
  return chat?.holder ?? null;
}
