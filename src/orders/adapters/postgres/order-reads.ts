import type { Cells } from "../../../infra/postgres/cells.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import { agentSees } from "../../../infra/postgres/seen-chats.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { MessageOrders, OrderReads, ShownOrder } from "../../application/reads/ports.ts";
import { driverJson, isoOf, orderFields, shownAsJson, withIsoDates } from "./order-sql.ts";

const trackedDriver = driverJson(`,
         'trackingId', driver.tracking_id,
         'last', case when driver.last_latitude is not null and driver.last_longitude is not null then
           json_build_object('latitude', driver.last_latitude, 'longitude', driver.last_longitude,
                             'at', driver.last_located_at) end`);

const shownFields = `
      ${orderFields(trackedDriver)}, json_build_object('id', business.id, 'name', business.name) as business,
      (select json_build_object('latitude', branch.latitude, 'longitude', branch.longitude)
       from branches as branch where branch.business_id = o.business_id and branch.id = o.branch_id
         and branch.latitude is not null and branch.longitude is not null) as origin,
      (select json_build_object('id', users.id, 'name', users.name)
       from users where users.business_id = o.business_id and users.id = o.user_id) as user,
      (select json_build_object(
         'id', chat.id, 'lastMessageAt', chat.last_message_at,
         'contact', json_build_object('id', contact.id, 'name', contact.name, 'platformId', contact.platform_id))
       from in_app_contacts as contact join in_app_chats as chat
         on chat.business_id = contact.business_id and chat.contact_id = contact.id
       where contact.business_id = o.business_id and contact.platform_id = o.external_user_id) as "inAppChat",
      coalesce(nullif(business.feature_flags ->> 'tax_id_label', ''), 'NIT') as "taxIdLabel"`;

const find = statement("order_find")`
  ${shownAsJson(shownFields, "orders as o join businesses as business on business.id = o.business_id")}
  where o.business_id = $1 and o.id = $2`;

const ofMessage = statement("order_of_message")`
  select o.id from orders as o
  join chats as chat on chat.business_id = o.business_id and chat.id = o.chat_id
  where o.business_id = $1 and o.message_id = $2 and ($3::bigint is null or ${agentSees("$3")})`;

export class PostgresOrderReads implements OrderReads, MessageOrders {
  constructor(private readonly cells: Cells) {}

  async ofMessage(businessId: number, messageId: number, seenBy: number | null): Promise<number | null> {
    const values = [businessId, messageId, seenBy];
    const [row] = await this.cells.of(businessId).rows<{ id: number }>(ofMessage, values);
    return row?.id ?? null;
  }

  find(businessId: number, orderId: number): Promise<ShownOrder | null> {
    return findShown(this.cells.of(businessId), businessId, orderId);
  }
}

export async function findShown(
  queries: Pick<Queries, "rows">,
  businessId: number,
  orderId: number,
): Promise<ShownOrder | null> {
  const [row] = await queries.rows<{ shown: ShownOrder }>(find, [businessId, orderId]);
  return row ? toShown(row.shown) : null;
}

function toShown(row: ShownOrder): ShownOrder {
  const { driver, inAppChat } = row;
  return Object.assign(withIsoDates(row), {
    driver: driver && { ...driver, last: driver.last && { ...driver.last, at: isoOf(driver.last.at) } },
    inAppChat: inAppChat && { ...inAppChat, lastMessageAt: isoOf(inAppChat.lastMessageAt) },
  });
}
