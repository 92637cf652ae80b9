import { isTooDeep, notJson, tooDeep } from "../../../infra/http/middleware/body.ts";
import type { FailureLimit } from "../../../infra/http/middleware/rate-limit.ts";
import { HttpProblem, plainDialect } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { named, objectWith, problem, type Schema, text } from "../../../infra/http/routing/schema.ts";
import { qrChannel } from "../../../kernel/channels.ts";
import type { WebhookQueue } from "../../application/ports.ts";
import { type InstanceSecrets, provenBy } from "./instance-proof.ts";
import { qrEventOf, qrEvents } from "./qr-payload.ts";

/** The parts of a webhook that are read. Parts of another shape are skipped, never refused. */
const qrDelivery = named("QrWebhook", {
  type: "object",
  properties: {
    event: { ...text, example: "connection.update" },
    instance: text,
    data: {
      type: "object",
      properties: {
        state: { ...text, description: "`connecting`, `open` or `close`" },
        statusReason: { type: "integer" },
      },
      additionalProperties: true,
    },
    date_time: { ...text, description: "When it happened, by the provider's own clock" },
  },
  additionalProperties: true,
} as const satisfies Schema);

/** News of connections have less than a kilobyte. */
const bodyLimit = 256 * 1024;

/**
 * The webhook of the provider of phones that are paired by QR code. As the cloud platform's: it is stored and answered
 * at once, and worked off afterwards. Right deliveries are never limited, wrong ones count as failures of their address,
 * at this path.
 *
 * @param secrets - what proves that a webhook is about an instance of a sender
 * @param onIgnored - called for a kind of news that is not read
 * @param onArrival - called after each delivery that is kept; must return at once
 */
export const qrWebhookRoute = (
  secrets: InstanceSecrets,
  queue: Pick<WebhookQueue, "keep">,
  failures: FailureLimit,
  onIgnored: () => void,
  onArrival: () => void,
): Route =>
  defineRoute({
    method: "post",
    path: "/webhooks/qr/:instance",
    operationId: "receiveQrWebhook",
    tag: "Webhooks",
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
    ],
    auth: "none",
    rateLimit: "none",
    params: objectWith({ instance: { type: "string", minLength: 1, maxLength: 200, example: "tienda-1" } }),
    body: "raw",
    rawSchema: qrDelivery,
    bodyLimit,
    responses: {
      200: { description: "Stored, or nothing to store", schema: objectWith({ success: { type: "boolean" } }) },
      400: { description: "No JSON, or nested deeper than anything that the provider sends", schema: problem },
      401: { description: "The secret is missing or another", schema: problem },
      429: { description: "Wrong, as too many before from this address", schema: problem },
      500: { description: "Not stored: the provider delivers it again", schema: problem },
    },
    dialect: plainDialect,
    handle: async ({ params: { instance }, body, headers, ip }) => {
      const proven = provenBy(secrets, headers.authorization ?? "", instance);
      if (proven === null) return await failures.refuse(ip, new HttpProblem(401, "Invalid secret"));
      const payload = body.toString("utf8");
      const told = parsed(payload);
      // The provider sends nothing like it, and neither reading nor storing it would ever succeed.
      if (isTooDeep(payload)) throw tooDeep();
      if (!qrEvents.some((read) => read === qrEventOf(told))) {
        onIgnored();
        return { success: true };
      }
      await queue.keep(withoutKey(told), { channel: qrChannel, about: proven });
      onArrival();
      return { success: true };
    },
  });

/** The provider sends along what opens the instance: that is not kept. */
const withoutKey = (told: unknown): string => JSON.stringify({ ...(told as object), apikey: undefined });

function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    throw notJson();
  }
}
