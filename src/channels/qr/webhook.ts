import type { Route } from "../../infra/http/routing/route.ts";
import { named, type Schema, text } from "../../infra/http/routing/schema.ts";
import { qrChannel } from "../../kernel/channels.ts";
import type { ReceivingParts } from "../channel.ts";
import { webhookRoute } from "../shared/webhook.ts";
import { provenBy } from "./instance-proof.ts";
import { deliveredIn, keptAs } from "./kept.ts";
import { newsIn } from "./payload.ts";

/** What the provider adds to these as it likes. */
const objectOf = (properties: Readonly<Record<string, Schema>>) =>
  ({ type: "object", properties, additionalProperties: true }) as const;

/** The parts of a webhook that are read. Parts of another shape are skipped, never refused. */
const qrDelivery = named("QrWebhook", {
  type: "object",
  properties: {
    event: {
      ...text,
      description:
        "`messages.upsert`, `messages.update`, `messages.edited`, `messages.delete`, `send.message` or `connection.update`, also in capitals with `_`",
      example: "messages.upsert",
    },
    instance: text,
    data: objectOf({
      key: objectOf({
        remoteJid: { ...text, description: "`<digits>@s.whatsapp.net`; or `...@lid`, with the number beside it" },
        remoteJidAlt: text,
        senderPn: text,
        fromMe: { type: "boolean", description: "It was sent from the business's phone" },
        id: text,
      }),
      pushName: { ...text, description: "The name in the customer's profile" },
      message: objectOf({
        conversation: text,
        base64: { ...text, description: "The file of the message" },
      }),
      contextInfo: objectOf({ stanzaId: { ...text, description: "The message that it answers" } }),
      messageTimestamp: { type: "integer", description: "Seconds since 1970" },
      keyId: { ...text, description: "Of an update: the message" },
      status: {
        ...text,
        description: "Of an update: `PENDING`, `SERVER_ACK`, `DELIVERY_ACK`, `READ`, `PLAYED` or `ERROR`",
      },
      state: { ...text, description: "Of a connection: `connecting`, `open` or `close`" },
      statusReason: { type: "integer" },
    }),
    date_time: { ...text, description: "When it happened, by the provider's own clock" },
    sender: { ...text, description: "The business's phone" },
  },
  additionalProperties: true,
} as const satisfies Schema);

/** A file of 25 MB has 34 MB in base64. */
const bodyLimit = 40 * 1024 * 1024;

export const qrWebhookRoutes = (parts: ReceivingParts): Route[] => [
  webhookRoute(
    {
      channel: qrChannel,
      path: "/webhooks/qr/:place",
      operationId: "receiveQrWebhook",
      summary: "What the provider of paired phones tells of an instance",
      rules: [
        [
          "QrWebhook.1",
          "`Authorization: Bearer` holds the secret of this instance as this sender of this business, which the provider is given " +
            "when a phone is paired (`GET /admin/senders/{id}/qr.png`). It is checked before anything is read. An instance that gets " +
            "another name, or that another business has afterwards, has another secret, and what comes with the old one changes " +
            "nothing. Instances that were paired when secrets were made of their name alone keep theirs until a code is asked for again.",
        ],
        ["QrWebhook.2", "It is stored and answered; what follows from it happens afterwards."],
        [
          "QrWebhook.3",
          "`connection.update` sets the `state` of the sender: `connecting` while a phone is being paired or the provider " +
            "connects again, `open` while it is connected, `close` once it was logged out or lost: then its phone is " +
            "paired again with a new code.",
        ],
        [
          "QrWebhook.4",
          "Delivered twice or out of order it turns nothing back: what is up to half an hour older than the last news, by " +
            "the provider's clock (`date_time`), is late. What is older than that is a clock that was set back, and counts.",
        ],
        [
          "QrWebhook.5",
          "An instance that is no longer that sender's, other kinds of news and other states change nothing, and are answered with 200.",
        ],
        [
          "QrWebhook.6",
          "`messages.upsert` is a message of a customer, which shows in the chat with that number: text, media, location, contacts, " +
            "what was chosen from buttons and lists, orders; of other kinds, such as polls, what can be read as text. What the " +
            "business writes on its phone (`fromMe`) shows there, too, and is not sent again. Groups, status messages, " +
            "newsletters and customers whose number is hidden are left out.",
        ],
        [
          "QrWebhook.7",
          "`messages.update` tells how far a message of ours came, and `send.message` that it left, also where the " +
            "answer to its request was lost. `messages.delete` takes back what the customer wrote. " +
            "An edit gives the message its new text, and `editado` says when: those of customers come as `messages.edited` or " +
            "as `messages.upsert`, those from the business's phone as the latter. Edits that only a phone can read are left out.",
        ],
        [
          "QrWebhook.8",
          "A reaction is shown at the message that it is about and is no message of its own; an empty one takes it back.",
        ],
        [
          "QrWebhook.9",
          "Files are fetched from the provider afterwards: it is asked not to put them into its news. One that comes along in base64 " +
            "all the same is taken; a body may have 40 MB.",
        ],
        [
          "QrWebhook.10",
          "Messages need the secret of an instance as this sender: one that was made of the name alone proves connections only. " +
            "Phones that were paired before the provider was asked for messages tell of connections only, until a code is " +
            "asked for again; a phone that is connected stays so.",
        ],
      ],
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
