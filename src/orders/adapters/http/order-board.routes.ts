import { heldTo, isAdministrator } from "../../../infra/http/routing/caller.ts";
import { coded, codedDialect, type Dialect, type InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, named, numericIdOf, objectWith, type Schema } from "../../../infra/http/routing/schema.ts";
import type {
  AssignDriverFailure,
  CreateOrderFailure,
  MoveOrderFailure,
  OrderBoard,
} from "../../application/board/order-board.ts";
import type { OrderMovedOn, OrderNotFound } from "../../domain/failures.ts";
import { orderStates } from "../../domain/states.ts";
import { orderAnswer, shownOrder } from "./get-order.route.ts";
import { actorOf, editOf, etagHeader, eventRule, versionRule } from "./order-edit.ts";
import { fieldsOf, nullableId, writtenFields } from "./order-fields.ts";
import { lineFields, lineOf } from "./picked-line.ts";

const mostLines = 100;
const mostExtras = 50;
/** In bytes: enough for the most lines and extras with the longest picked names, at 3 bytes for each character. */
const longestOrder = 4 * 1024 * 1024;

const failures = { 500: { description: "Unexpected failure", schema: codedFailure } } as const;
const wrongField = { description: "A field is missing or wrong", schema: codedFailure };
const missing = { description: "No such order", schema: codedFailure };
const movedOn = { description: "The order is not at the version that `If-Match` names", schema: codedFailure };

const boardDialect = {
  ...codedDialect,
  order_not_found: () => [404, coded("order_not_found", "La orden no existe")],
  order_moved_on: () => [412, coded("order_moved_on", "La orden cambió")],
} as const satisfies Dialect<InvalidInput | OrderNotFound | OrderMovedOn>;

const common = { tag: "Orders", auth: "key-or-session", scope: "orders" } as const;
const answer = (description: string) => ({ description, schema: orderAnswer, headers: etagHeader });

export const orderBoardRoutes = (board: OrderBoard): Route[] => [
  createRoute(board),
  statusRoute(board),
  driverRoute(board),
];

const newOrder = named("NewOrder", {
  type: "object",
  required: ["type", "lines"],
  properties: {
    chatId: nullableId("chat"),
    type: { type: "string", minLength: 1, maxLength: 100, pattern: "\\S", example: "wa" },
    lines: {
      type: "array",
      minItems: 1,
      maxItems: mostLines,
      items: { type: "object", required: ["articleId", "extras"], properties: lineFields(mostExtras) },
    },
    ...writtenFields,
  },
} as const satisfies Schema);

const createDialect: Dialect<InvalidInput | CreateOrderFailure> = {
  ...codedDialect,
  chat_not_found: () => [404, coded("chat_not_found", "El chat no existe")],
  branch_not_found: () => [404, coded("branch_not_found", "La sucursal no existe")],
  zone_not_found: () => [404, coded("zone_not_found", "La zona no existe")],
  article_not_found: () => [404, coded("article_not_found", "Un producto no existe")],
  order_too_dear: () => [400, coded("order_too_dear", "El total de la orden es demasiado grande")],
};

const createRoute = (board: Pick<OrderBoard, "create">): Route =>
  defineRoute({
    ...common,
    method: "post",
    path: "/catalogs/orders",
    operationId: "createOrder",
    summary: "Create an order with its products",
    rules: {
      "Board.1":
        "The order is pending. The answer is as in §12, with the order's version as `ETag`; `tracker` is the driver's last " +
        "known location.",
      "Board.2":
        `From 1 to ${mostLines} lines, each added as in §10.2 to §10.4: with its statistics, its custom prices, and its ` +
        `detail's type and retailer_id; at most ${mostExtras} extras per line.`,
      "Board.3":
        "The other fields are those of an update (§9.4, §9.6); an omitted one is null. An id that the business does not " +
        "have, and a chat that the agent may not see, is a 404, and no order is created.",
      "Board.4":
        "The history begins with an entry `created`, which has the fields that are not null and the lines, and names the user " +
        "or the App Key. The `user` of an order is the user who created it.",
      "Board.5":
        "An order is refused (400) if its total exceeds 90071992547409.91, the largest that a number holds exactly in cents.",
      ...eventRule("Board.6"),
    },
    idempotent: true,
    about: ({ body }) => (body.chatId == null ? null : { chatId: body.chatId }),
    body: newOrder,
    bodyLimit: longestOrder,
    responses: {
      201: answer("The order"),
      400: { description: "A field is missing or wrong, or the total is too large", schema: codedFailure },
      404: { description: "No such chat, branch, zone or product", schema: codedFailure },
      ...failures,
    },
    dialect: createDialect,
    handle: async ({ body, caller }) => {
      const { scheduledAt, latitude, longitude, zoneId, ...fields } = fieldsOf(body);
      const made = await board.create({
        ...fields,
        businessId: caller.businessId,
        actor: actorOf(caller),
        type: body.type,
        chatId: body.chatId ?? null,
        seenBy: heldTo(caller),
        scheduledAt: scheduledAt ?? null,
        latitude: latitude ?? null,
        longitude: longitude ?? null,
        zoneId: zoneId ?? null,
        lines: body.lines.map((line, index) => lineOf(line, `lines[${index}].`)),
      });
      return shownOrder(201, made);
    },
  });

const newStatus = {
  type: "object",
  required: ["status"],
  properties: {
    status: { type: "string", enum: orderStates, example: "progress" },
    reason: { type: ["string", "null"], maxLength: 500 },
  },
} as const satisfies Schema;

const statusDialect: Dialect<InvalidInput | MoveOrderFailure> = {
  ...boardDialect,
  wrong_transition: () => [409, coded("wrong_transition", "La orden no puede pasar a ese estado")],
  forbidden: () => [403, coded("forbidden", "Solo un administrador puede devolver la orden a ese estado")],
};

const statusRoute = (board: Pick<OrderBoard, "move">): Route =>
  defineRoute({
    ...common,
    method: "put",
    path: "/catalogs/order/:orderId/status",
    operationId: "changeOrderStatus",
    summary: "Move an order to another state",
    rules: {
      "Board.7":
        "One step at a time: `pending`, `progress`, `on-the-way`, `completed`. An order for `pickup` goes from `progress` to " +
        "`completed`. `on-the-way` is written as status 2; status 3 counts as `on-the-way`, too.",
      "Board.8":
        "An order can be `cancelled` from every state except `completed` and `cancelled`. That requires a `reason`, which " +
        "becomes `cancel_reason`. With any other status `reason` has no effect.",
      "Board.9":
        "Only administrators and App Keys may go one step back, or from `completed` or `cancelled` to `pending`; others get a " +
        "403. A reopened order loses its `cancel_reason`, and its time of inactivity for the bot starts again.",
      "Board.10":
        "Every other step is a 409 `wrong_transition`, also to the state that the order already has. 404 and 412 are checked " +
        "first.",
      "Board.11": "The history gets an entry, `cancelled` or `status_changed`, with the user or the App Key.",
      ...eventRule("Board.12"),
      ...versionRule("Board.13"),
    },
    conditional: true,
    params: objectWith({ orderId: numericIdOf("order") }),
    body: newStatus,
    responses: {
      200: answer("The order in its new state"),
      400: wrongField,
      403: { description: "The step is only for administrators and App Keys", schema: codedFailure },
      404: missing,
      409: { description: "No such step from the order's state", schema: codedFailure },
      412: movedOn,
      ...failures,
    },
    dialect: statusDialect,
    complaint: ({ body: { status, reason } }) =>
      status === "cancelled" && (reason ?? "").trim() === "" ? "reason es requerido para cancelar" : undefined,
    handle: async ({ params, body: { status, reason }, caller, headers }) =>
      shownOrder(
        200,
        await board.move({
          ...editOf(params.orderId, caller, headers),
          mover: isAdministrator(caller) ? "manager" : "agent",
          to: status,
          cancelReason: status === "cancelled" ? (reason ?? null) : null,
        }),
      ),
  });

const driverDialect: Dialect<InvalidInput | AssignDriverFailure> = {
  ...boardDialect,
  driver_not_found: () => [404, coded("driver_not_found", "El repartidor no existe")],
};

const driverRoute = (board: Pick<OrderBoard, "assignDriver">): Route =>
  defineRoute({
    ...common,
    method: "put",
    path: "/catalogs/order/:orderId/driver",
    operationId: "assignOrderDriver",
    summary: "Assign a driver to an order, or remove the driver",
    rules: {
      "Board.14": "The driver must belong to the business, otherwise 404 `driver_not_found`; null removes the driver.",
      "Board.15":
        "This is possible in every state. The history gets an entry `driver_changed` with its author. Assigning the present " +
        "driver again changes nothing.",
      ...eventRule("Board.16"),
      ...versionRule("Board.17"),
    },
    conditional: true,
    params: objectWith({ orderId: numericIdOf("order") }),
    body: objectWith({ driverId: nullableId("driver") }),
    responses: {
      200: answer("The order with its driver"),
      400: wrongField,
      404: { description: "No such order or driver", schema: codedFailure },
      412: movedOn,
      ...failures,
    },
    dialect: driverDialect,
    handle: async ({ params, body: { driverId }, caller, headers }) =>
      shownOrder(200, await board.assignDriver({ ...editOf(params.orderId, caller, headers), driverId })),
  });
