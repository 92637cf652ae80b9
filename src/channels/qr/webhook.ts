import type { Route } from "../../infra/http/routing/route.ts";
import { named, text } from "../../infra/http/routing/schema.ts";
import { qrChannel } from "../../kernel/channels.ts";
import type { ReceivingParts } from "../channel.ts";
import { open, webhookRoute } from "../shared/webhook.ts";
import { provenBy } from "./instance-proof.ts";
import { deliveredIn, keptAs } from "./kept.ts";
import { newsIn } from "./payload.ts";

/** Documents the main parts of a webhook. A part that does not match is skipped; the webhook is still accepted. */
const qrDelivery = named(
  "QrWebhook",
  open({
    event: {
      ...text,
      description:
        "`messages.upsert`, `messages.update`, `messages.edited`, `messages.delete`, `send.message` or `connection.update`, also in capitals with `_`",
      example: "messages.upsert",
    },
    instance: text,
    data: open({
      key: open({
        remoteJid: {
          ...text,
          description: "`<digits>@s.whatsapp.net`; or `...@lid`, with the number in another field",
        },
        remoteJidAlt: text,
        senderPn: text,
        fromMe: { type: "boolean", description: "The business's phone sent it" },
        id: text,
      }),
      pushName: { ...text, description: "The name in the customer's profile" },
      message: open({
        conversation: text,
        base64: { ...text, description: "The file of the message" },
      }),
      contextInfo: open({ stanzaId: { ...text, description: "The message that this one replies to" } }),
      messageTimestamp: { type: "integer", description: "Seconds since 1970" },
      keyId: { ...text, description: "In an update: the message" },
      status: {
        ...text,
        description: "In an update: `PENDING`, `SERVER_ACK`, `DELIVERY_ACK`, `READ`, `PLAYED` or `ERROR`",
      },
      state: { ...text, description: "In a connection update: `connecting`, `open` or `close`" },
      statusReason: { type: "integer" },
    }),
    date_time: { ...text, description: "Time of the event by the provider's clock" },
    sender: { ...text, description: "The business's phone" },
  }),
);

/** In bytes. A file of 25 MB is about 33 MB in base64. */
const bodyLimit = 40 * 1024 * 1024;

export const qrWebhookRoutes = (parts: ReceivingParts): Route[] => [
  webhookRoute(
    {
      channel: qrChannel,
      path: "/webhooks/qr/:place",
      operationId: "receiveQrWebhook",
      summary: "News of an instance from the provider of paired phones",
      rules: {
        "QrWebhook.1":
          "`Authorization: Bearer` has the secret of this instance as this sender of this business, which the provider gets " +
          "when a phone is paired (`GET /admin/senders/{id}/qr.png`). It is checked before anything is read. After a change " +
          "of the instance's name or owner there is another secret, and webhooks with the old one change nothing. Instances " +
          "from the time when the secret contained only the name keep theirs until a code is requested again.",
        "QrWebhook.2": "The webhook is stored and answered; it is processed afterwards.",
        "QrWebhook.3":
          "`connection.update` sets the sender's `state`: `connecting` while a phone is being paired or the provider " +
          "reconnects, `open` while it is connected, `close` after it was logged out or lost; then the phone needs a new " +
          "code.",
        "QrWebhook.4":
          "Repeated or reordered deliveries undo nothing: news up to half an hour older than the latest, by the provider's " +
          "clock (`date_time`), are ignored as late. A larger step back means that the clock was set back, and is accepted.",
        "QrWebhook.5":
          "News for an instance that is no longer this sender's, other kinds and other states are answered with 200 and ignored.",
        "QrWebhook.6":
          "`messages.upsert` is a customer's message: text, media, location, contacts, choices from buttons and lists, orders; " +
          "other kinds, such as polls, are shown as text where possible. Messages that the business writes on its phone " +
          "(`fromMe`) are shown too, and are not sent again. Groups, status messages, newsletters and customers with a " +
          "hidden number are ignored.",
        "QrWebhook.7":
          "`messages.update` has the delivery state of a sent message, and `send.message` confirms a send, even if the answer " +
          "to its request was lost. `messages.delete` withdraws a customer's message. An edit changes the text and sets " +
          "`editado`: edits of customers arrive as `messages.edited` or `messages.upsert`, those from the business's phone " +
          "as `messages.upsert`. Edits that only a phone can decrypt are ignored.",
        "QrWebhook.8": "A reaction is shown at its message and is no message itself; an empty one removes it.",
        "QrWebhook.9":
          "Files are downloaded from the provider afterwards, which is asked not to put them into webhooks. A file that " +
          "arrives in base64 anyway is stored; a body may have 40 MB.",
        "QrWebhook.10":
          "Messages require the secret of the instance as this sender; a secret of the name alone proves only connections. " +
          "Phones that were paired before the provider was asked for messages report only connections until a code is " +
          "requested again; a connected phone stays connected.",
      },
      schema: qrDelivery,
      bodyLimit,
      failures: parts.newFailureLimit("wrong qr webhooks"),
      refusal: "Invalid secret",
      proveByHead: ({ headers, place }) => {
        const about = provenBy(parts.secrets, headers.authorization ?? "", place);
        return about && { about };
      },
      keep: (body, { about }) => {
        const { told, file } = deliveredIn(body);
        const news = newsIn({ told, file }, about);
        if (about === null || Object.values(news).every((pieces) => pieces.length === 0)) return null;
        const isOfMessage = [...news.messages, ...news.echoes].some((each) => each.file?.place.at === "here");
        return keptAs({ told, file: isOfMessage ? file : "" }, about.platformId);
      },
    },
    parts,
  ),
];
