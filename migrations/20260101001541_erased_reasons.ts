import type { Knex } from "knex";
import { defining, withFiles } from "./20260101001413_erased_names.ts";

const botsReason = "(BOT) Cancelada por inactividad en el chat";
const kept = (reason: string): string => `case when ${reason} = to_jsonb('${botsReason}'::text) then ${reason} end`;

/** The history of an order says from what a reason changed to what. */
const textsOfOrders = `
  when key = 'picked' then '""'
  when key = 'cancelReason' and each -> 'to' is not null then
    jsonb_build_object('from', ${kept("each -> 'from'")}, 'to', ${kept("each -> 'to'")})
  when key = 'cancelReason' and each <> to_jsonb('${botsReason}'::text) then 'null'`;

const ordersOfErased = `
  select chat.business_id, known.id
  from contacts as contact
  join chats as chat on chat.business_id = contact.business_id and chat.contact_id = contact.id
  join orders as known on known.business_id = chat.business_id and known.chat_id = chat.id
  where contact.erased_at is not null`;

/**
 * Reasons of cancellations and picked options of extras are free texts about a customer, so erasures clear them. The
 * bot's own reason stays: listings of abandoned carts search for it. Orders of contacts that are already erased lose
 * them here; their events are kept for some days only.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(defining(withFiles, textsOfOrders));
  await db.raw(`
    update orders
    set cancel_reason = case when cancel_reason = '${botsReason}' then cancel_reason end,
        extra_data = erased_payload(extra_data), version = version + 1
    where (business_id, id) in (${ordersOfErased})
      and (cancel_reason <> '${botsReason}' or erased_payload(extra_data) <> extra_data)`);
  await db.raw(`
    update order_changes set changes = erased_payload(changes)
    where (business_id, order_id) in (${ordersOfErased}) and erased_payload(changes) <> changes`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(defining(withFiles));
}
