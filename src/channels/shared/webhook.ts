import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { ProvenSender } from "../../inbox/public.ts";
import { isTooDeep, notJson, tooDeep } from "../../infra/http/middleware/body.ts";
import type { FailureLimit } from "../../infra/http/middleware/rate-limit.ts";
import { HttpProblem, plainDialect } from "../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type RequestHead, type Route } from "../../infra/http/routing/route.ts";
import { objectWith, problem, type Schema, text } from "../../infra/http/routing/schema.ts";
import { sameText } from "../../infra/http/same-text.ts";
import type { ChatChannelName } from "../../kernel/channels.ts";
import type { ReceivingParts } from "../channel.ts";

/** What stands before the body. */
export interface DeliveredHead {
  readonly headers: IncomingHttpHeaders;
  /** The last part of the path, where the address names one; else empty. */
  readonly place: string;
}

export interface Delivered extends DeliveredHead {
  readonly body: Buffer;
  /** Path and query, as they were called. */
  readonly url: string;
  /** Where it came from. */
  readonly ip: string;
}

/** Whose a webhook is by its proof; null where nothing proves that it comes from the platform. Looks at bytes only. */
type Prover<Proven extends Proof> =
  | { prove(delivered: Delivered): Promise<Proven | null> | Proven | null }
  /** For proofs that need no body: nothing of one is read before. */
  | { proveByHead(head: DeliveredHead): Proven | null };

export type Webhook<Proven extends Proof = Proof> = Prover<Proven> & WebhookParts<Proven>;

interface WebhookParts<Proven extends Proof> {
  readonly channel: ChatChannelName;
  /** In the router's notation; its last part may be `:place`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly rules: readonly (readonly [number: string, rule: string])[];
  /** What the body holds, for the document alone. */
  readonly schema: Schema;
  /** The type of the body; JSON unless given. */
  readonly bodyType?: string;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Counts wrong ones. */
  readonly failures: FailureLimit;
  /** How a refusal is worded. */
  readonly refusal: string;
  /** The body of a 200; `{ "success": true }` unless given. */
  readonly answer?: { readonly type: string; readonly text: string };
  /** What of a proven body is kept; null where nothing of it is read. Throws `notJson()` for what is no JSON. */
  keep(body: Buffer, proof: Proven): string | null;
}

export interface Proof {
  /** The sender that the proof names, where it names one. */
  readonly about: ProvenSender | null;
}

/**
 * The webhook of a platform. What it delivers is stored and answered at once, and worked off afterwards: the platform
 * waits for nothing and delivers again what was not answered with 200.
 *
 * Right deliveries are never limited: a platform sends those of all businesses from a few addresses. Wrong ones count
 * as failures of their address, at this path.
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
        description: "Stored, or nothing to store",
        ...(answer ? { type: answer.type } : { schema: objectWith({ success: { type: "boolean" } }) }),
      },
      400: {
        description: "Nothing that the platform sends: it cannot be read, or is nested too deep",
        schema: problem,
      },
      401: { description: "The proof is missing or wrong", schema: problem },
      429: { description: "Wrong, as too many before from this address", schema: problem },
      500: { description: "Not stored: it has to be delivered again", schema: problem },
    },
    dialect: plainDialect,
    handle: async ({ params, body, headers, ip, url }) => {
      const { place = "" } = (params ?? {}) as { place?: string };
      const proof = await prove({ body, headers, place, url, ip });
      if (proof === null) return await refuse(ip);
      const payload = webhook.keep(body, proof);
      if (payload === null) {
        parts.onIgnored(webhook.channel);
        return taken;
      }
      await parts.queue.keep(payload, { channel: webhook.channel, about: proof.about });
      parts.onArrival();
      return taken;
    },
  });
}

/** A business shares its room among all of its senders. */
const sharerOf = ({ about }: Proof): string =>
  about?.owner ? `business ${about.owner.businessId}` : `sender ${about?.platformId}`;

/** The messaging platform's proof: `X-Hub-Signature-256` over the bytes of the body. */
export const signedBy =
  (appSecret: string) =>
  ({ body, headers }: Delivered): Proof | null => {
    const signature = `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
    return sameText(String(headers["x-hub-signature-256"] ?? ""), signature) ? { about: null } : null;
  };

/** The body as it came, where something of its JSON is read. */
export const jsonWhere =
  (isRead: (told: unknown) => boolean) =>
  (body: Buffer): string | null => {
    const payload = body.toString("utf8");
    return isRead(jsonIn(payload)) ? payload : null;
  };

export function jsonIn(payload: string): unknown {
  const told = parsed(payload);
  // A platform sends nothing like it, and neither reading nor storing it would ever succeed.
  if (isTooDeep(payload)) throw tooDeep();
  return told;
}

function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    throw notJson();
  }
}

const verification = {
  type: "object",
  properties: { "hub.mode": text, "hub.verify_token": text, "hub.challenge": { type: "string", maxLength: 1000 } },
} as const satisfies Schema;

/** How the messaging platform asks, once, whether an address is ours. */
export function verificationRoute(
  { path, operationId, rule, failures }: Pick<Webhook, "path" | "operationId" | "failures"> & { readonly rule: string },
  verifyToken: string,
): Route {
  return defineRoute({
    method: "get",
    path,
    operationId,
    tag: "Webhooks",
    summary: "Prove to the messaging platform that this address is ours",
    rules: [
      [
        rule,
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
}
