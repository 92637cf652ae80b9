import type { KeyCaller, UserCaller } from "../../../infra/http/routing/caller.ts";
import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { idOf, objectWith, problem, type Schema } from "../../../infra/http/routing/schema.ts";
import type { BusinessNotFound } from "../../../kernel/errors.ts";
import type { BusinessMessages } from "../../../messaging/public.ts";
import type {
  PrepareLink,
  SendPaymentLink,
  SendPaymentLinkFailure,
} from "../../application/payments/send-payment-link.ts";
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
    description: "No such order, no `payments-url`, no recipient, refused by the platform, or an unknown outcome",
    schema: problem,
  },
} as const;

/** §8 Send an order's payment link as a text, by a template or by SMS. */
export function paymentLinkRoutes(
  sendPaymentLink: Pick<SendPaymentLink, "execute">,
  messages: BusinessMessages,
): Route[] {
  const send = async (orderId: number, caller: KeyCaller | UserCaller, prepare: PrepareLink) => {
    await sendPaymentLink.execute({ businessId: caller.businessId, orderId, actor: actorOf(caller) }, prepare);
    return { message: "ok" };
  };
  const base = {
    method: "post",
    tag: "Orders",
    auth: "key-or-token",
    scope: "orders",
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
      rules: {
        "§8.1":
          "The order must belong to the caller's business. Without a usable `payments-url` (http or https) nothing is done.",
        "§8.2":
          "The recipient is the contact of the order's chat. If the order has no chat, or the contact was erased, the answer is " +
          "500 and nothing is done.",
        "§8.3":
          "The first link gives the order a transaction id, a UUID v4. Every later link has the same id, also links that are " +
          "requested at the same time.",
        "§8.4":
          "Each request sets paidExpire to two hours from now. Like every change of the order, this increments its version, adds " +
          "a `payment_link_renewed` to its history and sends `order:changed` to clients. It is committed before anything is " +
          "sent, and stays if sending fails.",
        "§8.5":
          "The link is `payments-url` with `tid` and `oid` added to its query; its own query and fragment are kept.",
        "§8.6": "It is sent as a text over the chat's own channel, and stored in the chat, where clients see it.",
        "§8.7":
          "`payment_link_sent` is recorded in the statistics after the send, also if its outcome is unknown, but not if the " +
          "link was refused or never left. If recording fails, the answer is the same.",
        "§8.8": "Status and payment of the order are not checked; a link may be sent any number of times.",
        "§8.9":
          "A request sends at most one message. If the platform refuses it, or its outcome is unknown, the answer is 500.",
      },
      body,
      ownBusiness: "body.businessId",
      handle: ({ body, caller }) => send(body.orderId, caller, (customer) => messages.byText(customer)),
    }),
    defineRoute({
      ...base,
      path: "/catalogs/orders/payment/link/template",
      operationId: "sendPaymentLinkByTemplate",
      summary: "Send an order's payment link by a template",
      rules: {
        "§8.10":
          "The rules of the link as a text apply, except that the link is sent by the template: over the chat's own channel (a " +
          "template of ProviderB over that one), with the link as the last parameter, after `parameters`.",
        "§8.11":
          "The platform decides on approval and parameter count. A channel without templates gets the rendered text, and only " +
          "with as many parameters as the template has.",
      },
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
      rules: {
        "§8.12":
          "The rules of the link as a text apply, except that the link is sent as an SMS to the contact's number, and stored in " +
          "the chat as a message of the type `sms`. It gets no delivery status: an unknown outcome stays unknown.",
      },
      body,
      ownBusiness: "body.businessId",
      handle: ({ body, caller }) => send(body.orderId, caller, (customer) => messages.bySms(customer)),
    }),
  ];
}
