import type { Webhook } from "../../../infra/http/openapi/writer.ts";
import { integer, named, objectWith, type Schema, text, timestamp } from "../../../infra/http/routing/schema.ts";
import type { WebhookEvent } from "../../../kernel/webhook-events.ts";

interface Described {
  readonly summary: string;
  readonly description?: string;
  readonly payload: { readonly required?: readonly string[]; readonly properties: Readonly<Record<string, unknown>> };
}

const about =
  "Posted to the webhooks that listen to this event, according to the Standard Webhooks specification; libraries that verify " +
  "it are listed at standardwebhooks.com. It may be sent more than once, with the same `webhook-id`. An answer of 2xx within " +
  "15 seconds accepts it. Otherwise it is tried again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, except that 410 " +
  "disables the webhook. First attempts about one chat, and about one order, are made in the order of the events. " +
  "`data` is what an App Key gets on the sockets.";

const parameters = [
  { in: "header", name: "webhook-id", description: "The id of the event, the same in every attempt", schema: text },
  {
    in: "header",
    name: "webhook-timestamp",
    description: "The time of the attempt in seconds since 1970",
    schema: text,
  },
  {
    in: "header",
    name: "webhook-signature",
    description:
      "`v1,` and the base64 of the HMAC-SHA256 of `{id}.{timestamp}.{body}`. The key is the part of the secret after `whsec_`, " +
      "decoded from base64. While the previous secret is valid there are two signatures with a space between.",
    schema: text,
  },
] as const;

const responses = {
  200: { description: "Accepted, as with any status from 200 to 299" },
  410: { description: "The webhook will be disabled" },
} as const;

const envelope = { empresa_id: integer, at: timestamp, seq: { ...integer, minimum: 1 } } as const;

/** An event's name as part of the name of an operation or schema: `message.new` becomes `MessageNew`. */
const nameOf = (event: string): string =>
  event
    .split(".")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

/** The requests to businesses' endpoints, for the document of the HTTP API. */
export const webhookDocuments = (events: Readonly<Record<WebhookEvent, Described>>): Webhook[] =>
  Object.entries(events).map(([event, { summary, description, payload }]) => {
    const fields = { ...envelope, ...payload.properties, ...envelope };
    const data = {
      type: "object",
      required: [...new Set([...Object.keys(envelope), ...(payload.required ?? [])])],
      properties: fields,
    };
    const name = nameOf(event);
    const body = objectWith({ type: { type: "string", const: event }, timestamp, data });
    return {
      name: event,
      method: "post",
      operationId: `tell${name}`,
      tag: "Events",
      summary,
      description: description === undefined ? about : `${description} ${about}`,
      parameters,
      body: named(`${name}Event`, body as unknown as Schema & object),
      responses,
    };
  });
