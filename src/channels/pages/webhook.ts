import type { Route } from "../../infra/http/routing/route.ts";
import { named, type Schema, text } from "../../infra/http/routing/schema.ts";
import { pageChannel, photoChannel } from "../../kernel/channels.ts";
import type { ReceivingParts } from "../channel.ts";
import { jsonWhere, signedBy, verificationRoute, type Webhook, webhookRoute } from "../shared/webhook.ts";
import { isReadOf, type PagesChannel } from "./payload.ts";

const open = (properties: Readonly<Record<string, Schema>>) =>
  ({ type: "object", properties, additionalProperties: true }) as const;
const listOf = (properties: Readonly<Record<string, Schema>>) => ({ type: "array", items: open(properties) }) as const;

const referral = open({
  ad_id: { ...text, description: "The ad that the customer came from" },
  source: text,
  ref: text,
});

/** The parts of a webhook that are read. Parts of another shape are skipped, never refused. */
const event = {
  sender: open({ id: text }),
  recipient: open({ id: text }),
  timestamp: { type: "integer", description: "Milliseconds since 1970" },
  message: open({
    mid: text,
    text,
    is_echo: {
      type: "boolean",
      description: "It was written by the business: by this service, or in the platform's app",
    },
    metadata: { ...text, description: "The reference that went out with the message; pages only" },
    is_deleted: { type: "boolean", description: "The customer took it back; photo accounts only" },
    attachments: listOf({
      type: { ...text, description: "`image`, `audio`, `video`, `file`, `location`, `fallback`, `share`, ..." },
      payload: open({ url: text, coordinates: open({ lat: { type: "number" }, long: { type: "number" } }) }),
    }),
    quick_reply: open({ payload: text }),
    reply_to: open({ mid: text, story: open({ id: text, url: text }) }),
    referral,
  }),
  postback: open({ mid: text, title: text, payload: text, referral }),
  message_edit: open({ mid: text, text: { ...text, description: "What the message says from then on" } }),
  reaction: open({ mid: text, action: { ...text, description: "`react` or `unreact`" }, reaction: text, emoji: text }),
  delivery: open({ mids: { type: "array", items: text }, watermark: { type: "integer" } }),
  read: open({
    watermark: { type: "integer", description: "Of pages: all that was sent until then was read" },
    mid: { ...text, description: "Of photo accounts: the message that was read" },
  }),
  referral,
} as const satisfies Readonly<Record<string, Schema>>;

const delivery = named("PagesWebhook", {
  ...open({
    object: { ...text, description: "`page` or `instagram`" },
    entry: listOf({
      id: { ...text, description: "The page or photo account that it is about" },
      messaging: listOf(event),
    }),
  }),
});

/** The platform sends up to 3 MB. */
const bodyLimit = 4 * 1024 * 1024;

interface Place extends Pick<Webhook, "path" | "summary" | "rules"> {
  readonly verification: { readonly operationId: string; readonly rule: string };
  readonly operationId: string;
  /** Of a failure limit. */
  readonly failures: string;
}

const signature =
  "`X-Hub-Signature-256` holds the HMAC-SHA256 of the bytes of the body with the app secret, as at `/webhooks/cloud`.";
const storedAtOnce =
  "It is stored and answered; what follows from it happens afterwards. Delivered twice, late or out of order, it changes " +
  "nothing twice and turns nothing back.";
const kinds =
  "Kinds and details are as on the cloud channel: `text` (with `link` where a post or a page was shared), `image`, " +
  "`video`, `audio`, `document`, `sticker`, `button` for quick replies and postbacks, and `unsupported` for " +
  "what has no word there. Of a message with several files each becomes a message.";

const places: Readonly<Record<PagesChannel, Place>> = {
  [pageChannel]: {
    path: "/webhooks/page",
    operationId: "receivePageWebhook",
    summary: "Customer messages, reactions and delivery news of pages",
    verification: { operationId: "verifyPageWebhook", rule: "PageWebhook.1" },
    failures: "wrong page webhooks",
    rules: [
      ["PageWebhook.2", signature],
      ["PageWebhook.3", storedAtOnce],
      [
        "PageWebhook.4",
        "The customer is `sender.id`, which is no phone number: such a contact has none, and its name is asked " +
          "of the platform afterwards, told by `contact:changed`.",
      ],
      ["PageWebhook.5", `${kinds} A place is a \`location\`.`],
      [
        "PageWebhook.6",
        "An echo (`is_echo`) settles the message that its `metadata` names; what somebody wrote in the platform's app is " +
          "shown as a message of the business. Nothing is sent again.",
      ],
      [
        "PageWebhook.7",
        "`delivery` and `read` tell of the messages that they name, and of all that were sent up to `watermark`.",
      ],
      [
        "PageWebhook.8",
        "An ad that the customer came from (`referral.ad_id`) becomes the chat's, also without a message. A message that the " +
          "customer edits (`message_edit`) has the new text from then on, and `editado` says when.",
      ],
      [
        "PageWebhook.9",
        "Another `object`, what other apps hear (`standby`), other kinds of news and pages of no business change nothing, " +
          "and are answered with 200.",
      ],
    ],
  },
  [photoChannel]: {
    path: "/webhooks/photo",
    operationId: "receivePhotoWebhook",
    summary: "Customer messages, reactions and delivery news of photo-app accounts",
    verification: { operationId: "verifyPhotoWebhook", rule: "PhotoWebhook.1" },
    failures: "wrong photo webhooks",
    rules: [
      ["PhotoWebhook.2", signature],
      ["PhotoWebhook.3", storedAtOnce],
      [
        "PhotoWebhook.4",
        "The customer is `sender.id`, which is no phone number: such a contact has none, and its name is asked " +
          "of the platform afterwards, told by `contact:changed`.",
      ],
      ["PhotoWebhook.5", `${kinds} An answer to a story names it in the details: \`context.story\`.`],
      [
        "PhotoWebhook.6",
        "An echo (`is_echo`) names no reference: it settles the message with its id or, while one still waits for the platform's " +
          "answer, the one with the same content. What somebody wrote in the platform's app is shown as a message of the business.",
      ],
      ["PhotoWebhook.7", "`read` tells of the message that it names. That a message was delivered is not told."],
      [
        "PhotoWebhook.8",
        "A message that the customer edits (`message_edit`) has the new text from then on, and `editado` says when; one that " +
          "the customer took back (`is_deleted`) loses its content. An ad that the customer came from " +
          "(`referral.ad_id`) becomes the chat's, also without a message.",
      ],
      [
        "PhotoWebhook.9",
        "Another `object`, other kinds of news and accounts of no business change nothing, and are answered with 200.",
      ],
    ],
  },
};

export const pagesWebhookRoutes =
  (channel: PagesChannel) =>
  (parts: ReceivingParts): Route[] => {
    const { verification, failures: name, ...place } = places[channel];
    const failures = parts.newFailureLimit(name);
    return [
      verificationRoute({ path: place.path, ...verification, failures }, parts.verifyToken),
      webhookRoute(
        {
          ...place,
          channel,
          schema: delivery,
          bodyLimit,
          failures,
          refusal: "Invalid signature",
          prove: signedBy(parts.appSecret),
          keep: jsonWhere((told) => isReadOf(channel, told)),
        },
        parts,
      ),
    ];
  };
