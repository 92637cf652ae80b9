import { createHmac } from "node:crypto";
import { isTooDeep, notJson, tooDeep } from "../../../infra/http/middleware/body.ts";
import type { FailureLimit } from "../../../infra/http/middleware/rate-limit.ts";
import { HttpProblem, plainDialect } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { named, objectWith, problem, type Schema, text } from "../../../infra/http/routing/schema.ts";
import { sameText } from "../../../infra/http/same-text.ts";
import { cloudChannel } from "../../../kernel/channels.ts";
import type { WebhookQueue } from "../../application/ports.ts";

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

export interface CloudWebhookSettings {
  /** Signs what the platform delivers. */
  readonly appSecret: string;
  /** Proves, once, that the platform was told of this address by its owner. */
  readonly verifyToken: string;
}

const verification = {
  type: "object",
  properties: { "hub.mode": text, "hub.verify_token": text, "hub.challenge": { type: "string", maxLength: 1000 } },
} as const satisfies Schema;

/**
 * The platform's webhook. What it delivers is stored and answered at once, and worked off afterwards: the
 * platform waits for nothing and delivers again what was not answered with 200.
 *
 * Right deliveries are never limited: the platform sends those of all businesses from a few addresses. Wrong ones
 * count as failures of their address, at this path.
 *
 * @param onArrival - called after each delivery; must return at once
 */
export function cloudWebhookRoutes(
  { appSecret, verifyToken }: CloudWebhookSettings,
  queue: Pick<WebhookQueue, "keep">,
  failures: FailureLimit,
  onArrival: () => void,
): Route[] {
  const verify = defineRoute({
    method: "get",
    path: "/webhooks/cloud",
    operationId: "verifyCloudWebhook",
    tag: "Webhooks",
    summary: "Prove to the messaging platform that this address is ours",
    rules: [
      [
        "Webhook.6",
        "The platform asks once, when the address is registered there: with `hub.mode` `subscribe` and the verify token " +
          "that was registered, `hub.challenge` is sent back as it came.",
      ],
    ],
    auth: "none",
    rateLimit: "none",
    query: verification,
    responses: {
      200: { description: "The challenge, as it came", type: "text/plain" },
      400: { description: "A wrong parameter", schema: problem },
      403: { description: "Another mode, or another verify token", schema: problem },
      429: { description: "Wrong, as too many before from this address", schema: problem },
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect: plainDialect,
    handle: async ({ query, ip }) => {
      const isOurs = query["hub.mode"] === "subscribe" && sameText(query["hub.verify_token"] ?? "", verifyToken);
      if (!isOurs) await failures.refuse(ip, new HttpProblem(403, "Wrong verify token"));
      return new Reply(200, query["hub.challenge"] ?? "", {}, "text/plain");
    },
  });

  const receive = defineRoute({
    method: "post",
    path: "/webhooks/cloud",
    operationId: "receiveCloudWebhook",
    tag: "Webhooks",
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
    ],
    auth: "none",
    rateLimit: "none",
    body: "raw",
    rawSchema: cloudDelivery,
    bodyLimit,
    responses: {
      200: {
        description: "Stored",
        schema: objectWith({ success: { type: "boolean" } }),
      },
      400: { description: "No JSON, or nested deeper than anything that the platform sends", schema: problem },
      401: { description: "The signature is missing or wrong", schema: problem },
      429: { description: "Wrong, as too many before from this address", schema: problem },
      500: { description: "Not stored: the platform delivers it again", schema: problem },
    },
    dialect: plainDialect,
    handle: async ({ body, headers, ip }) => {
      const signature = `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
      if (!sameText(String(headers["x-hub-signature-256"] ?? ""), signature)) {
        await failures.refuse(ip, new HttpProblem(401, "Invalid signature"));
      }
      const payload = body.toString("utf8");
      if (!isJson(payload)) throw notJson();
      // The platform sends nothing like it, and neither reading nor storing it would ever succeed.
      if (isTooDeep(payload)) throw tooDeep();
      await queue.keep(payload, { channel: cloudChannel, about: null });
      onArrival();
      return { success: true };
    },
  });

  return [verify, receive];
}

function isJson(payload: string): boolean {
  try {
    JSON.parse(payload);
    return true;
  } catch {
    return false;
  }
}
