import type { Route } from "../../infra/http/routing/route.ts";
import { named, type Schema, text } from "../../infra/http/routing/schema.ts";
import { cloudChannel } from "../../kernel/channels.ts";
import type { ReceivingParts } from "../channel.ts";
import { jsonWhere, signedBy, verificationRoute, webhookRoute } from "../shared/webhook.ts";
import { isReadOfCloud } from "./payload.ts";

/** A list of objects; the platform adds fields and kinds as it likes. */
const listOf = (properties: Readonly<Record<string, Schema>>) =>
  ({ type: "array", items: { type: "object", properties, additionalProperties: true } }) as const;

/** The parts of a webhook that are read. Parts of another shape are skipped, never refused. */
export const cloudDelivery = named("CloudWebhook", {
  type: "object",
  properties: {
    object: { ...text, example: "whatsapp_business_account" },
    entry: listOf({
      changes: listOf({
        field: text,
        value: {
          type: "object",
          additionalProperties: true,
          properties: {
            metadata: {
              type: "object",
              additionalProperties: true,
              properties: { phone_number_id: { ...text, description: "The number of the business that it is about" } },
            },
            contacts: listOf({
              wa_id: text,
              profile: { type: "object", properties: { name: text }, additionalProperties: true },
            }),
            messages: listOf({
              id: text,
              from: { ...text, description: "Digits of the customer's number" },
              timestamp: { ...text, description: "Seconds since 1970" },
              type: {
                ...text,
                description: "`text`, `image`, `reaction`, ...; the field of that name holds the content",
              },
              context: { type: "object", properties: { id: text }, additionalProperties: true },
              referral: { type: "object", additionalProperties: true },
            }),
            message_echoes: listOf({
              id: text,
              to: { ...text, description: "Digits of the customer's number" },
              timestamp: text,
              type: text,
            }),
            statuses: listOf({
              id: text,
              status: { ...text, description: "`sent`, `delivered`, `read` or `failed`" },
              timestamp: text,
              recipient_id: text,
              biz_opaque_callback_data: { ...text, description: "The reference that went out with the message" },
              errors: listOf({ code: { type: "integer" }, message: text, title: text }),
            }),
            user_preferences: listOf({
              wa_id: text,
              category: text,
              value: { ...text, description: "`stop` or `resume`" },
              timestamp: text,
            }),
          },
        },
      }),
    }),
  },
  additionalProperties: true,
} as const satisfies Schema);

/** The platform sends up to 3 MB. */
const bodyLimit = 4 * 1024 * 1024;

export function cloudWebhookRoutes(parts: ReceivingParts): Route[] {
  const failures = parts.newFailureLimit("wrong webhooks");
  return [
    verificationRoute(
      { path: "/webhooks/cloud", operationId: "verifyCloudWebhook", rule: "Webhook.6", failures },
      parts.verifyToken,
    ),
    webhookRoute(
      {
        channel: cloudChannel,
        path: "/webhooks/cloud",
        operationId: "receiveCloudWebhook",
        summary: "Customer messages, reactions, delivery statuses and opt-outs from the messaging platform",
        rules: [
          ["Webhook.1", "`X-Hub-Signature-256` holds the HMAC-SHA256 of the bytes of the body with the app secret."],
          ["Webhook.2", "It is stored and answered; what follows from it happens afterwards."],
          ["Webhook.3", "Delivered twice, late or out of order, it changes nothing twice and turns nothing back."],
          [
            "Webhook.4",
            "A reaction is shown at the message that it is about and is no message of its own; the customer's latest counts, " +
              "and an empty one takes it back. It is told by `message:changed`, raises no chat and is not counted as unread, " +
              "and it opens the service window. One to a message that is not in the customer's chat is dropped.",
          ],
          ["Webhook.5", "A message that answers another one of its chat names it: `responde_a`."],
          [
            "Webhook.7",
            "An order from a catalog (`order`) is a message, and one order of the business of type `wa`, told by " +
              "`order:changed`; its lines are the business's products with those `retailer_id`s, at the business's own prices.",
          ],
          [
            "Webhook.8",
            "What somebody of the business writes in the business app (`smb_message_echoes`) is shown as a message of the " +
              "business and is not sent again. Other fields, such as chats of before (`history`, `smb_app_state_sync`), change " +
              "nothing, and are answered with 200.",
          ],
          [
            "Webhook.9",
            "A message that its author edits (`edit`) has the new text from then on, and `editado` says when; it is told by " +
              "`message:changed`. One that the customer took back (`revoke`) loses its content. `account_update` is kept with the numbers of " +
              "the account and shown by `GET /admin/senders`.",
          ],
        ],
        schema: cloudDelivery,
        bodyLimit,
        failures,
        refusal: "Invalid signature",
        prove: signedBy(parts.appSecret),
        keep: jsonWhere(isReadOfCloud),
      },
      parts,
    ),
  ];
}
