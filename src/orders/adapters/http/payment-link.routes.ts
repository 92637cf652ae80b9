import type { KeyCaller, UserCaller } from "../../../infra/http/routing/caller.ts";
import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { idOf, objectWith, problem, type Schema } from "../../../infra/http/routing/schema.ts";
import type { BusinessNotFound } from "../../../kernel/errors.ts";
import type { BusinessMessages } from "../../../messaging/public.ts";
import type { LinkWay, SendPaymentLink, SendPaymentLinkFailure } from "../../application/payments/send-payment-link.ts";
import { actorOf } from "./order-edit.ts";

const ids = { businessId: idOf("business"), orderId: idOf("order") } as const;

const body = objectWith(ids);

const templateBody = {
  type: "object",
  required: ["businessId", "orderId", "plantilla_id"],
  properties: {
    ...ids,
    plantilla_id: idOf("template"),
    parameters: {
      type: "array",
      maxItems: 99,
      items: { type: "string", maxLength: 4_096 },
      default: [],
      "x-error": "parameters debe ser un arreglo de textos",
    },
  },
} as const satisfies Schema;

const internal = (): [500, { message: string }] => [500, { message: "Internal server error" }];

const dialect: Dialect<InvalidInput | BusinessNotFound | SendPaymentLinkFailure> = {
  invalid_input: (error) => [400, { message: error.message }],
  business_not_found: internal,
  payment_link_impossible: internal,
  template_not_found: internal,
  no_sender: internal,
  send_refused: internal,
  send_uncertain: internal,
  platform_unreachable: internal,
  unexpected: internal,
};

const responses = {
  200: {
    description: "The link was sent",
    schema: objectWith({ message: { const: "ok" } }),
  },
  400: { description: "A field is missing or wrong", schema: problem },
  500: {
    description:
      "No such order, no `payments-url`, no recipient, refused by the platform, or an outcome that nobody knows yet",
    schema: problem,
  },
} as const;

/** §8 Send payment link, and its variants. */
export function paymentLinkRoutes(
  sendPaymentLink: Pick<SendPaymentLink, "execute">,
  messages: BusinessMessages,
): Route[] {
  const send = async (orderId: number, caller: KeyCaller | UserCaller, way: LinkWay) => {
    await sendPaymentLink.execute({ businessId: caller.businessId, orderId, actor: actorOf(caller) }, way);
    return { message: "ok" };
  };
  const base = {
    method: "post",
    tag: "Orders",
    auth: "key-or-token",
    lane: "platform",
    idempotent: true,
    responses,
    dialect,
  } as const;
  return [
    defineRoute({
      ...base,
      path: "/catalogs/orders/payment/link",
      operationId: "sendPaymentLink",
      summary: "Send an order's payment link as a text",
      rules: [
        [
          "§8.1",
          "Order and business are the caller's. Without a usable `payments-url` (http or https) nothing is done.",
        ],
        [
          "§8.2",
          "The recipient is the contact of the order's chat; an order without a chat has none, nor has one whose contact " +
            "was erased: 500, and nothing is done.",
        ],
        [
          "§8.3",
          "The first link gives the order a transaction id, a UUID v4 that every later link carries, however many are " +
            "asked for at once.",
        ],
        [
          "§8.4",
          "Each request sets paidExpire to two hours from now. That is a change of the order like any other: its version " +
            "rises, its log of changes gets a `payment_link_renewed`, clients hear `order:changed`. It is committed before " +
            "anything is sent and stays when sending fails.",
        ],
        [
          "§8.5",
          "The link is `payments-url`, its own query and fragment kept, with `tid` and `oid` added to the query.",
        ],
        ["§8.6", "It goes as a text over the chat's own channel, and is kept in the chat, where clients hear of it."],
        [
          "§8.7",
          "`payment_link_sent` is recorded in the statistics once it is sent, also where nobody knows the outcome; not where it was refused or never left. A failure there changes nothing.",
        ],
        ["§8.8", "Status and payment of the order are not checked; a link may be sent any number of times."],
        [
          "§8.9",
          "A request sends at most one message. What the platform refuses, and what nobody knows the outcome of, is " +
            "answered with 500.",
        ],
      ],
      body,
      ownBusiness: "body.businessId",
      handle: ({ body, caller }) => send(body.orderId, caller, (customer) => messages.byText(customer)),
    }),
    defineRoute({
      ...base,
      path: "/catalogs/orders/payment/link/template",
      operationId: "sendPaymentLinkByTemplate",
      summary: "Send an order's payment link by a template",
      rules: [
        [
          "§8.10",
          "All rules of the link as a text hold, but that it goes by the template: over the chat's own channel (a " +
            "template of ProviderB over that one), the link as the last parameter, after `parameters`.",
        ],
        [
          "§8.11",
          "The platform decides on approval and parameter count. A channel that knows no templates gets the rendered " +
            "text, and only with as many parameters as the template has.",
        ],
      ],
      body: templateBody,
      ownBusiness: "body.businessId",
      handle: ({ body, caller }) =>
        send(body.orderId, caller, (customer) => messages.byTemplate(customer, body.plantilla_id, body.parameters)),
    }),
    defineRoute({
      ...base,
      path: "/catalogs/orders/payment/link/sms",
      operationId: "sendPaymentLinkBySms",
      summary: "Send an order's payment link by SMS",
      rules: [
        [
          "§8.12",
          "All rules of the link as a text hold, but that it goes as an SMS to the contact's number, and is kept in the " +
            "chat as a message of the type `sms`. No delivery status comes for it: an unknown outcome stays unknown.",
        ],
      ],
      body,
      ownBusiness: "body.businessId",
      handle: ({ body, caller }) => send(body.orderId, caller, (customer) => messages.bySms(customer)),
    }),
  ];
}
