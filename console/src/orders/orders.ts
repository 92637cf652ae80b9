import type { components } from "../../../client/src/index.ts";
import { answered, api, Refused } from "../shared/api.ts";

export type Order = components["schemas"]["Order"];
export type OrderLine = components["schemas"]["OrderLine"];
/** The fields of a card. Listed orders and the orders in events both have these fields. */
export type Card = Omit<components["schemas"]["ListedOrder"], "type"> & { readonly version?: number };

export const states = ["pending", "progress", "on-the-way", "completed", "cancelled"] as const;
export type State = (typeof states)[number];

const stateOfStatus: Readonly<Record<number, State>> = {
  8: "pending",
  1: "progress",
  2: "on-the-way",
  3: "on-the-way",
  4: "completed",
  5: "cancelled",
};

/** The status that an order gets when it is moved to a column. The column `on-the-way` also shows status 3. */
export const statusOf: Readonly<Record<State, Card["status"]>> = {
  pending: 8,
  progress: 1,
  "on-the-way": 2,
  completed: 4,
  cancelled: 5,
};

export const stateOf = ({ status }: { readonly status: number }): State => stateOfStatus[status] ?? "pending";

export const isOpen = (order: { readonly status: number }): boolean =>
  !["completed", "cancelled"].includes(stateOf(order));

const steps: Readonly<Record<State, readonly State[]>> = {
  pending: ["progress", "cancelled"],
  progress: ["on-the-way", "completed", "cancelled"],
  "on-the-way": ["completed", "cancelled"],
  completed: [],
  cancelled: [],
};

const stepsBack: Readonly<Record<State, readonly State[]>> = {
  pending: [],
  progress: ["pending"],
  "on-the-way": ["progress"],
  completed: ["on-the-way", "progress", "pending"],
  cancelled: ["pending"],
};

type Movable = Pick<Card, "status" | "shipment_method">;

const cancelsLast = (one: State, other: State): number => Number(one === "cancelled") - Number(other === "cancelled");

/** The states that a user may choose, with the next state first. The service checks the choice, too. */
export function nextStates(order: Movable, isAdministrator: boolean): State[] {
  const from = stateOf(order);
  const isPickup = order.shipment_method === "pickup";
  const fits = (to: State): boolean => {
    if (isPickup) return to !== "on-the-way";
    return !(from === "progress" && to === "completed") && !(from === "completed" && to === "progress");
  };
  return [...steps[from], ...(isAdministrator ? stepsBack[from] : [])].filter(fits).sort(cancelsLast);
}

export interface OpenOrder {
  readonly order: Order;
  /** The shown version, for `If-Match`. */
  readonly version: string;
}

export const orderKey = (id: number) => ["order", id] as const;

/** Returns null if the order does not exist or is not visible to the user. */
export async function fetchOrder(businessId: number, id: number): Promise<OpenOrder | null> {
  const path = { businessId, orderId: id };
  const asked = api.GET("/catalogs/v2/orders/sucursal/{businessId}/order/{orderId}", { params: { path } });
  try {
    const { data } = await answered(asked);
    return { order: data, version: (await asked).response.headers.get("etag") ?? "" };
  } catch (error) {
    if (error instanceof Refused && (error.status === 404 || error.status === 400)) return null;
    throw error;
  }
}

/** Without a version, the service does not check whether the order has changed. */
const ifMatch = (version: string | null) => (version ? { "If-Match": version } : {});

export async function moveOrder(id: number, to: State, reason: string | null): Promise<Card> {
  const asked = api.PUT("/catalogs/order/{orderId}/status", {
    params: { path: { orderId: id } },
    body: { status: to, ...(reason !== null && { reason }) },
  });
  const { data } = await answered(asked);
  return cardOf(data, (await asked).response.headers.get("etag"));
}

/** The order with the version from its `ETag`, for example 7 from `"v7"`. */
export function cardOf(order: Order, etag: string | null): Card {
  const [version] = /\d+/.exec(etag ?? "") ?? [];
  return { ...order, ...(version !== undefined && { version: Number(version) }) };
}

export const assignDriver = (id: number, driverId: number | null, version: string) =>
  answered(
    api.PUT("/catalogs/order/{orderId}/driver", {
      params: { path: { orderId: id }, header: ifMatch(version) },
      body: { driverId },
    }),
  );

export interface NewLine {
  readonly articleId: number;
  readonly quantity: number;
  /** The service ignores `customPrice` without `picked`. */
  readonly extras: { readonly id: number; readonly customPrice?: number; readonly picked?: string }[];
}

/** @param once - the Idempotency-Key, the same for each attempt */
export const addLine = (orderId: number, line: NewLine, version: string, once: string) =>
  answered(
    api.POST("/catalogs/orders/products/new", {
      params: { header: { ...ifMatch(version), "Idempotency-Key": once } },
      body: { orderId, ...line },
    }),
  );

export const removeLine = (orderId: number, detailId: number, version: string) =>
  answered(
    api.DELETE("/catalogs/orders/details/delete", {
      params: { header: ifMatch(version) },
      body: { orderId, detailId },
    }),
  );

/** All fields are sent, since the service clears most fields that are missing. */
export type Delivery = Pick<
  Order,
  | "shipment_method"
  | "payment_method"
  | "sucursal_id"
  | "location_picked"
  | "raw_adress"
  | "paid"
  | "schedule_at"
  | "zone_id"
>;

export const fieldsOf = (delivery: Delivery) => ({
  shipmentMethod: delivery.shipment_method,
  paymentMethod: delivery.payment_method,
  sucursalId: delivery.sucursal_id,
  location_picked: delivery.location_picked,
  raw_adress: delivery.raw_adress,
  paid: delivery.paid,
  scheduleAt: delivery.schedule_at,
  zoneId: delivery.zone_id,
});

export const saveDelivery = (orderId: number, delivery: Delivery, version: string) =>
  answered(
    api.PUT("/catalogs/order/update", {
      params: { header: ifMatch(version) },
      body: { orderId, ...fieldsOf(delivery) },
    }),
  );

/** @param once - the Idempotency-Key, the same for each attempt */
export const createOrder = (
  chatId: number | null,
  type: string,
  lines: readonly NewLine[],
  delivery: Delivery,
  once: string,
) =>
  answered(
    api.POST("/catalogs/orders", {
      params: { header: { "Idempotency-Key": once } },
      body: { ...(chatId !== null && { chatId }), type, lines: [...lines], ...fieldsOf(delivery) },
    }),
  );

export type LinkBy = "text" | "sms" | "template";

export function sendPaymentLink(businessId: number, orderId: number, by: LinkBy, templateId: number, once: string) {
  const params = { header: { "Idempotency-Key": once } };
  const body = { businessId, orderId };
  if (by === "text") return answered(api.POST("/catalogs/orders/payment/link", { params, body }));
  if (by === "sms") return answered(api.POST("/catalogs/orders/payment/link/sms", { params, body }));
  return answered(
    api.POST("/catalogs/orders/payment/link/template", { params, body: { ...body, plantilla_id: templateId } }),
  );
}
