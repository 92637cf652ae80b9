import { statement } from "../../../../infra/postgres/statement.ts";
import type { PreferenceChange } from "../../../domain/incoming.ts";
import type { CustomerChat } from "./customer-chats.ts";
import { atATime, type Intake } from "./news.ts";

const lock = statement("incoming_lock_contacts")`
  with asking as (
    select sender.business_id, news.customer
    from jsonb_to_recordset($2::jsonb) as news(sender text, customer text)
    join senders as sender on sender.provider = $3 and sender.platform_id = news.sender
  ),
  matched as (
    select chat.business_id, chat.contact_id as id
    from jsonb_to_recordset($1::jsonb) as news(business_id bigint, chat_id bigint)
    join chats as chat on chat.business_id = news.business_id and chat.id = news.chat_id
    union
    select contact.business_id, contact.id from asking join contacts as contact
      on contact.business_id = asking.business_id and contact.phone = asking.customer
    union
    select contact.business_id, contact.id from asking join contacts as contact
      on contact.business_id = asking.business_id and contact.platform_id = asking.customer
  )
  select 1 from contacts as contact
  where (contact.business_id, contact.id) in (select business_id, id from matched)
  order by contact.business_id, contact.id
  for no key update`;

/**
 * Locks the contacts that several statements will write, sorted by id. Each statement alone would lock them in its own
 * order, which can deadlock.
 *
 * @param recipients - chats whose contacts will be written
 */
export async function lockContacts(
  { transaction, provider }: Intake,
  recipients: readonly CustomerChat[],
  preferences: readonly PreferenceChange[],
): Promise<void> {
  const statements = Math.ceil(recipients.length / atATime) + Math.ceil(preferences.length / atATime);
  if (statements < 2) return;
  const chats = recipients.map(({ business_id, chat_id }) => ({ business_id, chat_id }));
  const asking = preferences.map(({ sender, from }) => ({ sender, customer: from }));
  await transaction.rows(lock, [JSON.stringify(chats), JSON.stringify(asking), provider]);
}
