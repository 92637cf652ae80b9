import type { Route } from "../../infra/http/routing/route.ts";
import { named, type Schema, text } from "../../infra/http/routing/schema.ts";
import { pageChannel, photoChannel } from "../../kernel/channels.ts";
import type { ReceivingParts } from "../channel.ts";
import { listOf, open, type PlatformWebhook, platformWebhookRoutes } from "../shared/webhook.ts";
import { isReadOf, type PagesChannel } from "./payload.ts";

const referral = open({
  ad_id: { ...text, description: "The ad that the customer came from" },
  source: text,
  ref: text,
});

/** The parts of a webhook that are read. A part that does not match is skipped; the webhook is still accepted. */
const event = {
  sender: open({ id: text }),
  recipient: open({ id: text }),
  timestamp: { type: "integer", description: "Milliseconds since 1970" },
  message: open({
    mid: text,
    text,
    is_echo: {
      type: "boolean",
      description: "True if the business wrote it: by this service, or in the platform's app",
    },
    metadata: { ...text, description: "The reference that the message was sent with; pages only" },
    is_deleted: { type: "boolean", description: "The customer withdrew the message; photo accounts only" },
    attachments: listOf({
      type: { ...text, description: "`image`, `audio`, `video`, `file`, `location`, `fallback`, `share`, ..." },
      payload: open({ url: text, coordinates: open({ lat: { type: "number" }, long: { type: "number" } }) }),
    }),
    quick_reply: open({ payload: text }),
    reply_to: open({ mid: text, story: open({ id: text, url: text }) }),
    referral,
  }),
  postback: open({ mid: text, title: text, payload: text, referral }),
  message_edit: open({ mid: text, text: { ...text, description: "The new text of the message" } }),
  reaction: open({ mid: text, action: { ...text, description: "`react` or `unreact`" }, reaction: text, emoji: text }),
  delivery: open({ mids: { type: "array", items: text }, watermark: { type: "integer" } }),
  read: open({
    watermark: { type: "integer", description: "Pages: all messages up to this time were read" },
    mid: { ...text, description: "Photo accounts: the message that was read" },
  }),
  referral,
} as const satisfies Readonly<Record<string, Schema>>;

const delivery = named(
  "PagesWebhook",
  open({
    object: { ...text, description: "`page` or `instagram`" },
    entry: listOf({
      id: { ...text, description: "The page or photo account" },
      messaging: listOf(event),
    }),
  }),
);

type Place = Omit<PlatformWebhook, "channel" | "schema" | "isRead">;

const signature =
  "`X-Hub-Signature-256` has the HMAC-SHA256 of the body's bytes with the app secret, as at `/webhooks/cloud`.";
const storedAtOnce =
  "The webhook is stored and answered; it is processed afterwards. Repeated, late or reordered deliveries change nothing " +
  "twice and undo nothing.";
const kinds =
  "Kinds and details are those of the cloud channel: `text` (with `link` for a shared post or page), `image`, `video`, " +
  "`audio`, `document`, `sticker`, `button` for quick replies and postbacks, and `unsupported` for everything else. A " +
  "message with several files becomes one message for each.";

const places: Readonly<Record<PagesChannel, Place>> = {
  [pageChannel]: {
    path: "/webhooks/page",
    operationId: "receivePageWebhook",
    summary: "Customer messages, reactions and delivery news of pages",
    verification: { operationId: "verifyPageWebhook", rule: "PageWebhook.1" },
    failures: "wrong page webhooks",
    rules: {
      "PageWebhook.2": signature,
      "PageWebhook.3": storedAtOnce,
      "PageWebhook.4":
        "The customer is `sender.id`, which is not a phone number: the contact has no number, and its name is requested from " +
        "the platform afterwards (`contact:changed`).",
      "PageWebhook.5": `${kinds} A place is a \`location\`.`,
      "PageWebhook.6":
        "An echo (`is_echo`) settles the message with the reference in its `metadata`; messages that the business wrote in " +
        "the platform's app are shown as messages of the business. Nothing is sent again.",
      "PageWebhook.7":
        "`delivery` and `read` apply to the messages that they name, and to all messages up to `watermark`.",
      "PageWebhook.8":
        "An ad that the customer came from (`referral.ad_id`) is stored with the chat, even without a message. An edited " +
        "message (`message_edit`) shows the new text and the time in `editado`.",
      "PageWebhook.9":
        "Another `object`, copies for other apps (`standby`), other kinds of news and unknown pages are answered with 200 " +
        "and ignored.",
    },
  },
  [photoChannel]: {
    path: "/webhooks/photo",
    operationId: "receivePhotoWebhook",
    summary: "Customer messages, reactions and delivery news of photo-app accounts",
    verification: { operationId: "verifyPhotoWebhook", rule: "PhotoWebhook.1" },
    failures: "wrong photo webhooks",
    rules: {
      "PhotoWebhook.2": signature,
      "PhotoWebhook.3": storedAtOnce,
      "PhotoWebhook.4":
        "The customer is `sender.id`, which is not a phone number: the contact has no number, and its name is requested from " +
        "the platform afterwards (`contact:changed`).",
      "PhotoWebhook.5": `${kinds} A reply to a story has it in the details: \`context.story\`.`,
      "PhotoWebhook.6":
        "An echo (`is_echo`) has no reference: it settles the message with its id or, if a send is still unconfirmed, the " +
        "message with the same content. Messages that the business wrote in the platform's app are shown as messages of the " +
        "business.",
      "PhotoWebhook.7": "`read` applies to the message that it names. The platform does not report deliveries.",
      "PhotoWebhook.8":
        "An edited message (`message_edit`) shows the new text and the time in `editado`; a withdrawn one (`is_deleted`) " +
        "loses its content. An ad that the customer came from (`referral.ad_id`) is stored with the chat, even without a " +
        "message.",
      "PhotoWebhook.9": "Another `object`, other kinds of news and unknown accounts are answered with 200 and ignored.",
    },
  },
};

export const pagesWebhookRoutes =
  (channel: PagesChannel) =>
  (parts: ReceivingParts): Route[] => {
    const isRead = (told: unknown) => isReadOf(channel, told);
    return platformWebhookRoutes({ ...places[channel], channel, schema: delivery, isRead }, parts);
  };
