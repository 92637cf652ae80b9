import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { ProvenSender } from "../../inbox/public.ts";
import { isTooDeep, mostLevels } from "../../infra/http/middleware/body.ts";
import type { FailureLimit } from "../../infra/http/middleware/rate-limit.ts";
import { HttpProblem, plainDialect } from "../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type RequestHead, type Route, type Rules } from "../../infra/http/routing/route.ts";
import { objectWith, optionalFields, problem, type Schema, text } from "../../infra/http/routing/schema.ts";
import { sameText } from "../../infra/http/same-text.ts";
import type { ChatChannelName } from "../../kernel/channels.ts";
import type { ReceivingParts } from "../channel.ts";
import { ifJson } from "./json-fields.ts";

interface DeliveredHead {
  readonly headers: IncomingHttpHeaders;
  /** The path's last part, if the route has a parameter; else empty. */
  readonly place: string;
}

export interface Delivered extends DeliveredHead {
  readonly body: Buffer;
  /** Path and query as requested. */
  readonly url: string;
  readonly ip: string;
}

/** Proves that a webhook comes from the platform; null if it does not. Parses only what the proof needs. */
type Prover<Proven extends Proof> =
  | { prove(delivered: Delivered): Promise<Proven | null> | Proven | null }
  /** For webhooks that headers and path alone can prove. The body is read only after the proof. */
  | { proveByHead(head: DeliveredHead): Proven | null };

export type Webhook<Proven extends Proof = Proof> = Prover<Proven> & WebhookParts<Proven>;

interface WebhookParts<Proven extends Proof> {
  readonly channel: ChatChannelName;
  /** The path in the router's notation. Its last part may be `:place`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly rules: Rules;
  /** The body's schema, for documentation only. */
  readonly schema: Schema;
  /** The body's type; JSON by default. */
  readonly bodyType?: string;
  /** In bytes. */
  readonly bodyLimit: number;
  /** Counts failed proofs. */
  readonly failures: FailureLimit;
  /** The text of a 401. */
  readonly refusal: string;
  /** The body of a 200; `{ "success": true }` by default. */
  readonly answer?: { readonly type: string; readonly text: string };
  /** The part of a proven body to store; null if no part of the body is needed. Throws `Unreadable`. */
  keep(body: Buffer, proof: Proven): string | null;
}

/** A proven body that cannot be understood. It is dropped and answered with 200, so the platform does not repeat it. */
class Unreadable extends Error {}

export interface Proof {
  /** The sender that the proof names, if any. */
  readonly about: ProvenSender | null;
}

/**
 * A platform's webhook route. Deliveries are stored and answered at once, and processed afterwards. The platform
 * repeats a delivery that did not get a 200.
 *
 * Proven deliveries are never rate-limited, because a platform sends all businesses' deliveries from a few addresses.
 * Failed proofs count against their address.
 */
export function webhookRoute<Proven extends Proof>(webhook: Webhook<Proven>, parts: ReceivingParts): Route {
  const hasPlace = webhook.path.endsWith("/:place");
  const { answer } = webhook;
  const taken = answer ? new Reply(200, answer.text, {}, answer.type) : { success: true };
  const refuse = (ip: string) => webhook.failures.refuse(ip, new HttpProblem(401, webhook.refusal));
  const prove = "proveByHead" in webhook ? webhook.proveByHead : webhook.prove;
  return defineRoute({
    method: "post",
    path: webhook.path,
    operationId: webhook.operationId,
    tag: "Webhooks",
    summary: webhook.summary,
    rules: webhook.rules,
    auth: "none",
    ...("proveByHead" in webhook && {
      admitHead: ({ params: { place = "" }, headers, ip }: RequestHead) => {
        const proof = webhook.proveByHead({ headers, place });
        return proof === null ? refuse(ip) : sharerOf(proof);
      },
    }),
    rateLimit: "none",
    ...(hasPlace && { params: objectWith({ place: { type: "string", minLength: 1, maxLength: 200 } }) }),
    body: "raw",
    rawSchema: webhook.schema,
    ...(webhook.bodyType && { rawType: webhook.bodyType }),
    bodyLimit: webhook.bodyLimit,
    responses: {
      200: {
        description: "Stored, or nothing to store because nothing in it is read or it cannot be understood",
        ...(answer ? { type: answer.type } : { schema: objectWith({ success: { type: "boolean" } }) }),
      },
      400: { description: "The body cannot be received", schema: problem },
      401: { description: "The proof is missing or wrong", schema: problem },
      429: { description: "The proof is wrong, after too many wrong ones from this address", schema: problem },
      500: { description: "Not stored: it has to be delivered again", schema: problem },
    },
    dialect: plainDialect,
    handle: async ({ params, body, headers, ip, url }) => {
      const { place = "" } = (params ?? {}) as { place?: string };
      const proof = await prove({ body, headers, place, url, ip });
      if (proof === null) return await refuse(ip);
      const payload = keptOf(webhook, body, proof, parts);
      if (payload === null) return taken;
      await parts.queue.keep(payload, { channel: webhook.channel, about: proof.about });
      parts.onArrival();
      return taken;
    },
  });
}

function keptOf<Proven extends Proof>(
  { channel, keep }: Pick<Webhook<Proven>, "channel" | "keep">,
  body: Buffer,
  proof: Proven,
  parts: Pick<ReceivingParts, "onIgnored" | "onUnreadable">,
): string | null {
  try {
    const payload = keep(body, proof);
    if (payload === null) parts.onIgnored(channel);
    return payload;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    parts.onUnreadable(channel, error);
    return null;
  }
}

/** The memory of bodies is counted under this key: one per business, or one per sender if no business is proven. */
const sharerOf = ({ about }: Proof): string =>
  about?.owner ? `business ${about.owner.businessId}` : `sender ${about?.platformId}`;

/** Throws `Unreadable`. */
export function jsonIn(payload: string): unknown {
  const told = ifJson(payload);
  if (told === undefined) throw new Unreadable("not JSON");
  // Platforms send no JSON this deep. Much deeper JSON could not be processed or stored.
  if (isTooDeep(payload)) throw new Unreadable(`more than ${mostLevels} levels`);
  return told;
}

const verification = optionalFields({
  "hub.mode": text,
  "hub.verify_token": text,
  "hub.challenge": { type: "string", maxLength: 1000 },
});

/** The messaging platform calls this once to verify a webhook URL. */
function verificationRoute(
  { path, operationId, rule, failures }: Pick<Webhook, "path" | "operationId" | "failures"> & { readonly rule: string },
  verifyToken: string,
): Route {
  return defineRoute({
    method: "get",
    path,
    operationId,
    tag: "Webhooks",
    summary: "Verify this webhook URL for the messaging platform",
    rules: {
      [rule]:
        "The platform asks once, when the URL is registered there: for `hub.mode` `subscribe` and the registered verify " +
        "token, the answer is `hub.challenge` unchanged.",
    },
    auth: "none",
    rateLimit: "none",
    query: verification,
    responses: {
      200: { description: "The challenge, unchanged", type: "text/plain" },
      400: { description: "A wrong parameter", schema: problem },
      403: { description: "Another mode, or another verify token", schema: problem },
      429: { description: "The token is wrong, after too many wrong ones from this address", schema: problem },
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect: plainDialect,
    handle: async ({ query, ip }) => {
      const isOurs = query["hub.mode"] === "subscribe" && sameText(query["hub.verify_token"] ?? "", verifyToken);
      if (!isOurs) await failures.refuse(ip, new HttpProblem(403, "Wrong verify token"));
      return new Reply(200, query["hub.challenge"] ?? "", {}, "text/plain");
    },
  });
}

/** The messaging platform sends up to 3 MB. */
const platformBodyLimit = 4 * 1024 * 1024;

export interface PlatformWebhook
  extends Pick<Webhook, "channel" | "path" | "operationId" | "summary" | "rules" | "schema"> {
  readonly verification: { readonly operationId: string; readonly rule: string };
  /** The name of the failure limit. */
  readonly failures: string;
  /** False if nothing in this JSON is needed: the delivery is then not stored. */
  isRead(told: unknown): boolean;
}

/** The routes of a webhook of the messaging platform, which verifies the URL and signs the body with an HMAC. */
export function platformWebhookRoutes(
  { verification, failures: name, isRead, ...webhook }: PlatformWebhook,
  parts: ReceivingParts,
): Route[] {
  const failures = parts.newFailureLimit(name);
  const received = {
    ...webhook,
    bodyLimit: platformBodyLimit,
    failures,
    refusal: "Invalid signature",
    prove: ({ body, headers }: Delivered) => {
      const signature = `sha256=${createHmac("sha256", parts.appSecret).update(body).digest("hex")}`;
      return sameText(String(headers["x-hub-signature-256"] ?? ""), signature) ? { about: null } : null;
    },
    keep: (body: Buffer) => {
      const payload = body.toString("utf8");
      return isRead(jsonIn(payload)) ? payload : null;
    },
  };
  return [
    verificationRoute({ path: webhook.path, ...verification, failures }, parts.verifyToken),
    webhookRoute(received, parts),
  ];
}

/** An object of a webhook; the platform may add fields. */
export const open = <const Fields extends Readonly<Record<string, Schema>>>(properties: Fields) =>
  ({ type: "object", properties, additionalProperties: true }) as const;

export const listOf = (properties: Readonly<Record<string, Schema>>) =>
  ({ type: "array", items: open(properties) }) as const;
