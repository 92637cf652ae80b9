import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import type { World } from "../support/world.ts";

interface OrderRow {
  readonly id: number;
  readonly version: number;
  readonly shipment_method: string | null;
  readonly payment_method: string | null;
  readonly branch_id: number | null;
  readonly location_label: string | null;
  readonly raw_address: string | null;
  readonly paid: boolean | null;
  readonly scheduled_at: Date | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly zone_id: number | null;
  readonly speedy_price: string | null;
  readonly extra_data: { version: number; customExtras: Record<string, Record<string, object>> };
  readonly updated_at: Date;
}

/** Requests that edit orders, and checks of the result. */
export class Edits {
  constructor(private readonly world: World) {}

  private send(method: string, path: string, body: unknown, headers: Readonly<Record<string, string>>) {
    const { api } = this.world;
    return request(api + path, { method, body, headers: { "x-api-key": this.world.appKey(1), ...headers } });
  }

  update = (body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    this.send("PUT", "/catalogs/order/update", body, headers);

  /** The product has no extras unless `body` names some. */
  add = (body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    this.send("POST", "/catalogs/orders/products/new", { extras: [], ...body }, headers);

  remove = (body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    this.send("DELETE", "/catalogs/orders/details/delete", body, headers);

  history = (orderId: number | string, query = "", businessId = 1): Promise<Answer> =>
    this.world.get(`/catalogs/order/${orderId}/history${query}`, businessId);

  async row(orderId: number): Promise<OrderRow> {
    const [row] = await this.world.rows<OrderRow>("select * from orders where business_id = 1 and id = $1", [orderId]);
    if (!row) throw new Error(`no order ${orderId}`);
    return row;
  }

  lines(orderId: number) {
    return this.world.rows<{ id: number; article_id: number; quantity: number; type: string; retailer_id: string }>(
      "select * from order_lines where business_id = 1 and order_id = $1 order by id",
      [orderId],
    );
  }

  async extras(lineId: number): Promise<number[]> {
    const sql = "select extra_id from line_extras where business_id = 1 and line_id = $1 order by id";
    return (await this.world.rows<{ extra_id: number }>(sql, [lineId])).map(({ extra_id }) => extra_id);
  }

  statistics(orderId: number) {
    return this.world.rows<{ name: string; article_id: number; extra_id: number | null }>(
      "select name, article_id, extra_id from commerce_events where business_id = 1 and order_id = $1 order by id",
      [orderId],
    );
  }

  changes(orderId: number) {
    return this.world.rows<{ version: number; action: string }>(
      "select version, action from order_changes where business_id = 1 and order_id = $1 order by id",
      [orderId],
    );
  }

  /** All rows of the tables that an edit may change. */
  async everything(): Promise<object> {
    const tables = ["orders", "order_lines", "line_extras", "commerce_events", "order_changes", "realtime_events"];
    const held = tables.map((table) => this.world.rows(`select * from ${table} order by business_id, ${"1, 2"}`));
    return Object.fromEntries((await Promise.all(held)).map((rows, index) => [tables[index], rows]));
  }

  /** The number of logged `order:changed` events of an order. */
  async logged(orderId: number): Promise<number> {
    const sql = `select count(*) from realtime_events
                 where business_id = 1 and name = 'order:changed' and payload ->> 'id' = $1`;
    return (await this.world.rows<{ count: number }>(sql, [String(orderId)]))[0]?.count ?? 0;
  }
}

export function expectAnswer({ status, type, json }: Answer, expected: number, body: object): void {
  expect({ status, type, body: json }).to.deep.equal({ status: expected, type: "application/json", body });
}

export const expectError = (answer: Answer, status: number, message: string): void =>
  expectAnswer(answer, status, { message });
