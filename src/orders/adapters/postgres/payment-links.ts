import type { Cells } from "../../../infra/postgres/cells.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { LinkRenewals, PayableOrder, PaymentLinks } from "../../application/payments/ports.ts";
import type { Actor } from "../../domain/change.ts";

const find = statement("payment_link_find")`
  select business.feature_flags ->> 'payments-url' as "paymentsUrl",
         case when contact.id is not null and contact.erased_at is null then json_build_object(
           'businessId', business.id, 'businessName', business.name, 'chatId', chat.id, 'provider', chat.provider,
           'contactId', contact.id, 'phone', coalesce(contact.phone, ''), 'platformId', contact.platform_id, 'author', (
             select json_build_object('kind', 'user', 'name', users.name, 'userId', users.id) from users
             where users.business_id = o.business_id and users.id = $3)) end as recipient
  from orders as o
  join businesses as business on business.id = o.business_id
  left join chats as chat on chat.business_id = o.business_id and chat.id = o.chat_id
  left join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
  where o.business_id = $1 and o.id = $2`;

/** A simultaneous request waits for the order's row, and then finds the transaction id of the first request. */
const renew = statement("payment_link_renew")`
  with earlier as (
    select business_id, id, transaction_id, payment_expires_at, clock_timestamp() as now, gen_random_uuid() as new_id,
           clock_timestamp() + interval '2 hours' as expires_at
    from orders where business_id = $1 and id = $2
    for no key update
  ),
  renewed as (
    update orders as o
    set transaction_id = coalesce(o.transaction_id, earlier.new_id),
        payment_expires_at = earlier.expires_at, version = o.version + 1, updated_at = earlier.now
    from earlier where o.business_id = earlier.business_id and o.id = earlier.id
    returning o.business_id, o.id, o.version, o.transaction_id, o.payment_expires_at, o.updated_at
  ),
  told as (
    insert into order_changes (business_id, order_id, version, action, actor, actor_id, at, changes)
    select renewed.business_id, renewed.id, renewed.version, 'payment_link_renewed', $4, $3, renewed.updated_at,
           jsonb_build_object('paymentExpiresAt', jsonb_build_object(
             'from', earlier.payment_expires_at, 'to', renewed.payment_expires_at))
           || case when earlier.transaction_id is not null then '{}'::jsonb else jsonb_build_object(
                'transactionId', jsonb_build_object('from', null, 'to', renewed.transaction_id)) end
    from renewed join earlier using (business_id, id)
  )
  select transaction_id as "transactionId" from renewed`;

const recordSent = statement("payment_link_record_sent")`
  insert into commerce_events (business_id, name, order_id) values ($1, 'payment_link_sent', $2)`;

export class PostgresPaymentLinks implements PaymentLinks {
  constructor(private readonly cells: Cells) {}

  async find(businessId: number, orderId: number, userId: number | null): Promise<PayableOrder | null> {
    const [row] = await this.cells.of(businessId).rows<PayableOrder>(find, [businessId, orderId, userId]);
    return row ?? null;
  }

  async recordSent(businessId: number, orderId: number): Promise<void> {
    await this.cells.of(businessId).rows(recordSent, [businessId, orderId]);
  }
}

export class PostgresLinkRenewals implements LinkRenewals {
  constructor(private readonly transaction: Queries) {}

  async renew(businessId: number, orderId: number, { kind, id }: Actor): Promise<string | null> {
    const [row] = await this.transaction.rows<{ transactionId: string }>(renew, [businessId, orderId, id, kind]);
    return row?.transactionId ?? null;
  }
}
