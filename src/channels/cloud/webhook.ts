import type { Route } from "../../infra/http/routing/route.ts";
import { named, text } from "../../infra/http/routing/schema.ts";
import { cloudChannel } from "../../kernel/channels.ts";
import type { ReceivingParts } from "../channel.ts";
import { listOf, open, platformWebhookRoutes } from "../shared/webhook.ts";
import { isReadOfCloud } from "./payload.ts";

/** Documents the main parts that are read. Parts of another shape are skipped, never refused. */
const cloudDelivery = named(
  "CloudWebhook",
  open({
    object: { ...text, example: "whatsapp_business_account" },
    entry: listOf({
      changes: listOf({
        field: text,
        value: open({
          metadata: open({ phone_number_id: { ...text, description: "The number of the business" } }),
          contacts: listOf({ wa_id: text, profile: open({ name: text }) }),
          messages: listOf({
            id: text,
            from: { ...text, description: "Digits of the customer's number" },
            timestamp: { ...text, description: "Seconds since 1970" },
            type: {
              ...text,
              description: "`text`, `image`, `reaction`, ...; the field of that name holds the content",
            },
            context: open({ id: text }),
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
            biz_opaque_callback_data: { ...text, description: "The reference that the message was sent with" },
            errors: listOf({ code: { type: "integer" }, message: text, title: text }),
          }),
          user_preferences: listOf({
            wa_id: text,
            category: text,
            value: { ...text, description: "`stop` or `resume`" },
            timestamp: text,
          }),
        }),
      }),
    }),
  }),
);

export const cloudWebhookRoutes = (parts: ReceivingParts): Route[] =>
  platformWebhookRoutes(
    {
      channel: cloudChannel,
      path: "/webhooks/cloud",
      operationId: "receiveCloudWebhook",
      summary: "Customer messages, reactions, delivery statuses and opt-outs from the messaging platform",
      verification: { operationId: "verifyCloudWebhook", rule: "Webhook.6" },
      failures: "wrong webhooks",
      rules: {
        "Webhook.1": "`X-Hub-Signature-256` has the HMAC-SHA256 of the body's bytes with the app secret.",
        "Webhook.2": "The webhook is stored and answered; it is processed afterwards.",
        "Webhook.3": "Repeated, late or reordered deliveries change nothing twice and undo nothing.",
        "Webhook.4":
          "A reaction is shown at its message and is no message itself; the customer's latest replaces earlier ones, and an " +
          "empty one removes it. It emits `message:changed`, does not move the chat and is not unread, but opens the " +
          "service window. A reaction to a message outside the customer's chat is dropped.",
        "Webhook.5": "`responde_a` names the message of the same chat that a message replies to.",
        "Webhook.7":
          "An order from a catalog (`order`) becomes a message and an order of type `wa`, which emits `order:changed`. Its " +
          "lines are the business's products with these `retailer_id`s, at the business's own prices.",
        "Webhook.8":
          "Messages that the business writes in the business app (`smb_message_echoes`) are shown as messages of the " +
          "business and are not sent again. Other fields, such as earlier chats (`history`, `smb_app_state_sync`), are " +
          "answered with 200 and ignored.",
        "Webhook.9":
          "An edited message (`edit`) shows the new text and the time in `editado`, and emits `message:changed`. A withdrawn " +
          "message (`revoke`) loses its content. `account_update` is stored with the account's numbers and shown by " +
          "`GET /admin/senders`.",
      },
      schema: cloudDelivery,
      isRead: isReadOfCloud,
    },
    parts,
  );
