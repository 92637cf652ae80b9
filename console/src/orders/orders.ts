import type { components } from "../../../client/src/index.ts";
import { answered, api, Refused } from "../shared/api.ts";

export type Order = components["schemas"]["Order"];
export type OrderLine = components["schemas"]["OrderLine"];
/** What a card shows: rows of lists and events both have it. */
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

/** What an order gets that is moved to a column: the first of two statuses that are on the way. */
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

/** Where a user may move an order, forward first. The service decides in any case: this only spares useless offers. */
export function nextStates(order: Movable, isAdministrator: boolean): State[] {
  const from = stateOf(order);
  const isPickup = order.shipment_method === "pickup";
  const fits = (to: State): boolean => {
    if (isPickup) return to !== "on-the-way";
    return !(from === "progress" && to === "completed") && !(from === "completed" && to === "progress");
  };
  return [...steps[from], ...(isAdministrator ? stepsBack[from] : [])].filter(fits);
}

export interface OpenOrder {
  readonly order: Order;
  /** For `If-Match`: the version that is shown. */
  readonly version: string;
}

export const orderKey = (id: number) => ["order", id] as const;

/** Null where there is none, or none that may be seen. */
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

/** Without a version the change counts for the order as it is by then. */
const ifMatch = (version: string | null) => (version ? { "If-Match": version } : {});

export const moveOrder = (id: number, to: State, reason: string | null, version: string | null) =>
  answered(
    api.PUT("/catalogs/order/{orderId}/status", {
      params: { path: { orderId: id }, header: ifMatch(version) },
      body: { status: to, ...(reason !== null && { reason }) },
    }),
  );

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
  /** A price of its own counts only together with what was picked. */
  readonly extras: { readonly id: number; readonly customPrice?: number; readonly picked?: string }[];
}

/** @param once - the same for each attempt at one line: it is added once */
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

/** The service empties each of these that is left out, so all are sent. */
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

/** @param once - the same for each attempt at one order: it is made once */
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
