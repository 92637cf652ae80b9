import { statement } from "../../../../infra/postgres/statement.ts";
import type { CustomerChat } from "./customer-chats.ts";
import type { MarkedMessage } from "./delivery-marks.ts";
import { unanswered } from "./echoes.ts";
import { type Intake, newsOfSenders } from "./news.ts";

/**
 * Locks all messages that a batch of news concerns, sorted by id. Without this, each statement would sort only the
 * messages that it changes itself, so two transactions could deadlock.
 */
const lock = statement("incoming_lock_messages")`
  with given as (
    select sender.business_id, news.message_id, news.reference
    from ${newsOfSenders("sender text, message_id text, reference uuid")}
  ),
  echoed as (select * from jsonb_to_recordset($4::jsonb) as chat(business_id bigint, chat_id bigint)),
  matched as (
    select message.business_id, message.id from given join messages as message
      on message.business_id = given.business_id and message.platform_message_id = given.message_id
    union
    select message.business_id, message.id from given join messages as message
      on message.business_id = given.business_id and message.reference = given.reference
    union
    select marked.business_id, marked.id from jsonb_to_recordset($3::jsonb) as marked(business_id bigint, id bigint)
    union
    select echoed.business_id, message.id from echoed cross join lateral (${unanswered("echoed")}) as message
  )
  select 1 from messages as message
  where (message.business_id, message.id) in (select business_id, id from matched)
  order by message.business_id, message.id
  for no key update`;

interface Touched {
  readonly named: readonly {
    readonly sender: string;
    readonly message_id: string;
    readonly reference?: string | undefined;
  }[];
  readonly marked: readonly MarkedMessage[];
  /** Chats with echoes that may belong to messages whose send is unconfirmed. */
  readonly echoed: readonly CustomerChat[];
}

export async function lockTouched({ transaction, provider }: Intake, { named, marked, echoed }: Touched) {
  await transaction.rows(lock, [JSON.stringify(named), provider, JSON.stringify(marked), JSON.stringify(echoed)]);
}
