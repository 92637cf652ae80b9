import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { laneOfPage } from "../../../infra/http/routing/lanes.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import {
  type Infer,
  integer,
  numericIdOf,
  objectWith,
  problem,
  type Schema,
  text,
} from "../../../infra/http/routing/schema.ts";
import type { BusinessNotFound } from "../../../kernel/errors.ts";
import type { GetOrder } from "../../application/reads/get-order.ts";
import type { ListOrders, ListOrdersFailure } from "../../application/reads/list-orders.ts";
import type { ListedOrder, Page, PageRequest } from "../../application/reads/ports.ts";
import type { OrderNotFound, PlanMissing } from "../../domain/failures.ts";
import { orderStates } from "../../domain/states.ts";
import { listedToWire } from "../wire/order-wire.ts";
import { orderAnswer, shownOrder } from "./get-order.route.ts";
import { hasNextPage, pageOf, paging, periodMessage } from "./lists.ts";
import { etagHeader } from "./order-edit.ts";
import { listedOrderSchema } from "./order-schemas.ts";

const path = "/catalogs/v2/orders/sucursal/:businessId";

const businessId = numericIdOf("business");
const params = objectWith({ businessId });
const written = { type: "string", minLength: 1, maxLength: 40 } as const;

const filters = {
  sucursalId: { ...numericIdOf("branch"), description: "Orders of this branch" },
  userId: { ...numericIdOf("user"), description: "Orders whose chat is assigned to this agent" },
  from: { ...written, description: "ISO 8601, inclusive" },
  to: { ...written, description: "ISO 8601, exclusive" },
} as const;

/** The token may be in the body instead of the query. */
const body = { type: "object", properties: { token: text } } as const satisfies Schema;

const page = objectWith({
  status: { const: "success" },
  data: { type: "array", items: listedOrderSchema },
  total: integer,
  hasNextPage: { type: "boolean" },
  page: integer,
});

const refusal = objectWith({ error: text });

const dialect: Dialect<InvalidInput | BusinessNotFound | ListOrdersFailure> = {
  invalid_input: (error) => [400, { success: false, error: error.message }],
  wrong_period: (error) => [400, { success: false, error: periodMessage(error, "from", "to") }],
  plan_missing: () => [400, { success: false, error: "No se ha encontrado el plan de la empresa" }],
  business_not_found: () => [401, { error: "Invalid token" }],
  unexpected: () => [500, { message: "Internal server error" }],
};

const orderDialect: Dialect<InvalidInput | BusinessNotFound | PlanMissing | OrderNotFound> = {
  ...dialect,
  order_not_found: () => [404, { message: "Order not found" }],
};

const failures = {
  400: { description: "No token, a wrong parameter, or the business has no plan", schema: refusal },
  401: { description: "The token is not one of this business", schema: refusal },
  500: { description: "Unexpected failure", schema: problem },
} as const;

const common = { method: "get", tag: "Orders", auth: "session", body, dialect } as const;

/** §13 Routes that show the orders of a business to its users. They require a session token. */
export const listOrdersRoutes = (orders: ListOrders, getOrder: GetOrder): Route[] => [
  listRoute(orders),
  countsRoute(orders),
  searchRoute(orders),
  orderRoute(orders, getOrder),
];

const listRoute = (orders: ListOrders): Route =>
  defineRoute({
    ...common,
    path,
    operationId: "listOrders",
    summary: "List the orders of a business or branch, newest first",
    rules: {
      "§13.1":
        "Requires a session token: as `token` in the query or in a JSON body, or as bearer. App Keys are not accepted. Only the " +
        "first 16 kB of an uncompressed body are searched, and such a request counts against the rate of its address.",
      "§13.2": "Every part of the listing requires that the business has a plan that is not empty.",
      "§13.3": "Only orders of the business in the path, which must be the token's business.",
      "§13.4":
        "`status` is a tab: pending (8), progress (1), on-the-way (2 and 3), completed (4), cancelled (5); without it the " +
        "orders of every status are listed.",
      "§13.5": "`userId` keeps the orders whose chat is assigned to that agent, also in the total.",
      "§13.6":
        "`from` is inclusive, `to` exclusive. Without a zone they are in the business's. Invalid and empty dates, and a " +
        "`from` after `to`, are refused.",
      "§13.7": "`total` is the exact count of all matches on all pages. A page has 9 orders by default.",
      "§13.8": "Each order has `details`, `total` and `discount` as when it is read on its own.",
      "§13.9": "A branch or user that the business does not have gives an empty page.",
    },
    params,
    ownBusiness: "params.businessId",
    query: {
      type: "object",
      properties: { status: { type: "string", enum: orderStates }, ...filters, ...paging(9) },
    } as const,
    responses: { 200: { description: "A page of orders", schema: page }, ...failures },
    lane: laneOfPage,
    cost: 2,
    handle: async (call) => {
      const { query, caller } = call;
      // Aborting a short read would cost more than the read itself.
      const asked = pageOf(query, laneOfPage(query) && call.signal);
      const filter = { tab: query.status ?? null, ...filterOf(query) };
      return toPage(await orders.list(caller.businessId, filter, asked), asked);
    },
  });

const countsRoute = (orders: ListOrders): Route =>
  defineRoute({
    ...common,
    path: `${path}/counts`,
    operationId: "countOrders",
    summary: "Count the orders of each tab of the listing",
    rules: { "§13.10": "The counts apply the filters of the listing, except its tab." },
    params,
    ownBusiness: "params.businessId",
    query: { type: "object", properties: filters } as const,
    responses: {
      200: {
        description: "The orders of each tab",
        schema: objectWith({
          status: { const: "success" },
          data: objectWith(Object.fromEntries(orderStates.map((name) => [name, integer]))),
        }),
      },
      ...failures,
    },
    lane: "counts",
    cost: 2,
    handle: async ({ query, caller, signal }) => ({
      status: "success",
      data: await orders.counts(caller.businessId, filterOf(query), signal),
    }),
  });

const searchRoute = (orders: ListOrders): Route =>
  defineRoute({
    ...common,
    path: `${path}/search`,
    operationId: "searchOrders",
    summary: "Search the orders of a business by id or by their contact, newest first",
    rules: {
      "§13.11":
        "`q` is the id of an order, part of the contact's number (three digits or more) or part of the contact's name; one or " +
        "two letters match the beginning of the name. Only the 1,000 newest matching contacts count.",
    },
    params,
    ownBusiness: "params.businessId",
    query: {
      type: "object",
      required: ["q"],
      properties: {
        q: {
          type: "string",
          minLength: 1,
          maxLength: 100,
          pattern: "\\S",
          example: "Carla",
          "x-error": { pattern: "q es requerido" },
        },
        ...paging(9),
      },
    } as const,
    responses: { 200: { description: "A page of orders", schema: page }, ...failures },
    lane: "longReads",
    cost: 2,
    handle: async ({ query, caller, signal }) => {
      const asked = pageOf(query, signal);
      return toPage(await orders.search(caller.businessId, query.q.trim(), asked), asked);
    },
  });

const orderRoute = (orders: ListOrders, getOrder: GetOrder): Route =>
  defineRoute({
    ...common,
    path: `${path}/order/:orderId`,
    operationId: "getListedOrder",
    summary: "Show one order of the business as its users see it",
    rules: { "§13.12": "The order is as with an App Key, with its version as `ETag`." },
    params: objectWith({ businessId, orderId: numericIdOf("order") }),
    ownBusiness: "params.businessId",
    responses: {
      200: { description: "The order", schema: orderAnswer, headers: etagHeader },
      404: { description: "No such order", schema: problem },
      ...failures,
    },
    dialect: orderDialect,
    handle: async ({ params, caller }) => {
      await orders.requirePlan(caller.businessId);
      return shownOrder(200, await getOrder.execute(caller.businessId, params.orderId));
    },
  });

type FilterQuery = Infer<{ readonly type: "object"; readonly properties: typeof filters }>;

const filterOf = ({ sucursalId, userId, from, to }: FilterQuery) => ({
  branchId: sucursalId ?? null,
  agentId: userId ?? null,
  from: from ?? null,
  to: to ?? null,
});

const toPage = ({ items, total }: Page<ListedOrder>, asked: PageRequest) => ({
  status: "success",
  data: items.map(listedToWire),
  total,
  hasNextPage: hasNextPage(asked, total),
  page: asked.page,
});
