import { administration } from "../../../infra/http/routing/administration.ts";
import { doneBy } from "../../../infra/http/routing/caller.ts";
import { cursorField, cursorOf, limitField, limitOf, positionIn } from "../../../infra/http/routing/cursors.ts";
import { coded, codedDialect, type Dialect } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import {
  codedFailure,
  integer,
  named,
  nullableInteger,
  nullableText,
  numericIdOf,
  objectWith,
  text,
  timestamp,
} from "../../../infra/http/routing/schema.ts";
import type { ManageDeliveries } from "../../application/manage-deliveries.ts";
import type { Delivery } from "../../application/ports.ts";
import {
  deliveryStates,
  keptDays,
  previousSecretHours,
  replayHours,
  type SinceOutOfRange,
  type SinceUnreadable,
  type WebhookDisabled,
  type WebhookNotFound,
  webhookIdOf,
} from "../../domain/deliveries.ts";

const usualPage = 50;

const dialect = {
  ...codedDialect,
  not_found: () => [404, coded("not_found", "El registro no existe")],
} as const satisfies typeof codedDialect & Dialect<WebhookNotFound>;

/** Of what only an endpoint that is not disabled can be asked. */
const deliveringDialect = {
  ...dialect,
  disabled: () => [409, coded("disabled", "El webhook está deshabilitado")],
  since_unreadable: () => [400, coded("invalid_input", "since debe ser una fecha ISO 8601")],
  since_out_of_range: () => [
    400,
    coded("invalid_input", `since debe estar dentro de las últimas ${replayHours} horas`),
  ],
} as const satisfies typeof dialect & Dialect<WebhookDisabled | SinceUnreadable | SinceOutOfRange>;

const failures = {
  400: { description: "A parameter or field is wrong", schema: codedFailure },
  404: { description: "No such webhook, or no such delivery of it", schema: codedFailure },
  500: { description: "Unexpected failure", schema: codedFailure },
} as const;
const disabled = { description: "The webhook is disabled", schema: codedFailure } as const;

const moment = { type: ["string", "null"], format: "date-time" } as const;
const deliveryFields = {
  id: integer,
  webhook_id: { ...text, description: "The header `webhook-id` of its attempts", example: "evt_1_4711" },
  type: text,
  timestamp: { ...timestamp, description: "When the event happened" },
  state: { type: "string", enum: deliveryStates },
  attempts: integer,
  last_attempt_at: moment,
  next_attempt_at: { ...moment, description: "Null unless it waits" },
  status: { ...nullableInteger, description: "Of the last answer; null where there was none" },
  answer: { ...nullableText, description: "The first kilobyte of the last answer" },
  error: { ...nullableText, description: "Why there was no answer" },
} as const;
const deliverySchema = named("WebhookDelivery", objectWith(deliveryFields));
const wholeDeliverySchema = named(
  "WholeWebhookDelivery",
  objectWith({ ...deliveryFields, payload: { type: "object", description: "The body of its attempts" } }),
);

const params = objectWith({ id: numericIdOf("webhook") });
const ofDelivery = objectWith({ id: numericIdOf("webhook"), deliveryId: numericIdOf("delivery") });

/** What a webhook can do beside what every resource can. */
export function webhookRoutes(deliveries: ManageDeliveries): Route[] {
  return [
    defineRoute({
      ...administration,
      method: "post",
      path: "/admin/webhooks/:id/rotate",
      operationId: "rotateWebhookSecret",
      summary: "Give a webhook another secret",
      rules: [
        [
          "Webhooks.1",
          "The new secret is told in this answer and never again. The one before signs beside it, as the second signature of " +
            `\`webhook-signature\`, until the next rotation or for ${previousSecretHours} hours.`,
        ],
        ["Webhooks.2", "It stands in the audit, without either secret."],
      ],
      params,
      responses: {
        200: {
          description: "The new secret",
          schema: named(
            "WebhookSecret",
            objectWith({ secret: { ...text, example: "whsec_..." }, previous_valid_until: timestamp }),
          ),
        },
        ...failures,
      },
      dialect,
      handle: async (call) => {
        const { params, caller, ip } = call;
        const { secret, previousUntil } = await deliveries.rotate(caller.businessId, params.id, doneBy(caller, ip));
        return { secret, previous_valid_until: previousUntil.toISOString() };
      },
    }),
    defineRoute({
      ...administration,
      method: "post",
      path: "/admin/webhooks/:id/test",
      operationId: "testWebhook",
      summary: "Try a webhook out",
      rules: [
        ["Webhooks.3", "Delivers an event of type `webhook.test`, as any other, whatever the webhook hears of."],
        [
          "Webhooks.4",
          "What came of it stands in the delivery that is answered, a moment later. It stands in the audit.",
        ],
      ],
      params,
      responses: { 202: { description: "The delivery", schema: deliverySchema }, 409: disabled, ...failures },
      dialect: deliveringDialect,
      handle: async ({ params, caller, ip }) => {
        const { businessId } = caller;
        return new Reply(202, toWire(businessId, await deliveries.test(businessId, params.id, doneBy(caller, ip))));
      },
    }),
    defineRoute({
      ...administration,
      method: "get",
      path: "/admin/webhooks/:id/deliveries",
      operationId: "listWebhookDeliveries",
      summary: "List the deliveries to a webhook",
      rules: [
        ["Webhooks.5", "The latest first. `next` is the cursor of the next page, or null."],
        ["Webhooks.6", `Deliveries are kept for ${keptDays} days. What is erased of a contact is erased of them, too.`],
        ["Webhooks.7", "`failed` are those that were given up after ten attempts, or with their webhook."],
      ],
      params,
      query: {
        type: "object",
        properties: {
          state: { type: "string", enum: deliveryStates },
          cursor: cursorField,
          limit: limitField(usualPage),
        },
      } as const,
      responses: {
        200: {
          description: "A page of deliveries",
          schema: objectWith({ data: { type: "array", items: deliverySchema }, next: nullableText }),
        },
        ...failures,
      },
      dialect,
      handle: async ({ params, query, caller: { businessId } }) => {
        const { state = null, cursor } = query;
        const limit = limitOf(query.limit ?? usualPage);
        const [before = null] = cursor === undefined ? [] : positionIn(cursor, 1);
        const found = await deliveries.list(businessId, params.id, state, before, limit);
        const page = found.slice(0, limit);
        const last = found.length > limit ? page.at(-1) : undefined;
        return { data: page.map((each) => toWire(businessId, each)), next: last ? cursorOf(last.id) : null };
      },
    }),
    defineRoute({
      ...administration,
      method: "get",
      path: "/admin/webhooks/:id/deliveries/:deliveryId",
      operationId: "getWebhookDelivery",
      summary: "Show a delivery with what is sent",
      rules: [
        [
          "Webhooks.10",
          "`payload` is the body of its attempts, without what was erased of a contact since. It is the same in each attempt " +
            "until then.",
        ],
      ],
      params: ofDelivery,
      responses: { 200: { description: "The delivery", schema: wholeDeliverySchema }, ...failures },
      dialect,
      handle: async ({ params: { id, deliveryId }, caller: { businessId } }) => {
        const { delivery, payload } = await deliveries.show(businessId, id, deliveryId);
        return { ...toWire(businessId, delivery), payload };
      },
    }),
    defineRoute({
      ...administration,
      method: "post",
      path: "/admin/webhooks/:id/deliveries/:deliveryId/redeliver",
      operationId: "redeliverWebhook",
      summary: "Deliver an event once more",
      rules: [
        [
          "Webhooks.8",
          "With the same `webhook-id`, whatever came of it before; it is tried again as a new one would be. It stands in the audit.",
        ],
      ],
      params: ofDelivery,
      responses: { 202: { description: "The delivery", schema: deliverySchema }, 409: disabled, ...failures },
      dialect: deliveringDialect,
      handle: async ({ params: { id, deliveryId }, caller, ip }) => {
        const { businessId } = caller;
        const delivery = await deliveries.redeliver(businessId, id, deliveryId, doneBy(caller, ip));
        return new Reply(202, toWire(businessId, delivery));
      },
    }),
    defineRoute({
      ...administration,
      method: "post",
      path: "/admin/webhooks/:id/replay",
      operationId: "replayWebhook",
      summary: "Deliver what happened since a moment",
      rules: [
        [
          "Webhooks.9",
          `All events since then that the webhook hears of today, in their order, up to ${replayHours} hours back: those that ` +
            "were delivered, with the same `webhook-id`, and those that it did not hear of then. `since` without a zone is in the business's. It stands in the audit.",
        ],
      ],
      params,
      body: objectWith({ since: { ...timestamp, example: "2026-11-20T12:00:00Z" } }),
      responses: {
        202: { description: "The events are delivered in the background", schema: objectWith({ since: timestamp }) },
        409: disabled,
        ...failures,
      },
      dialect: deliveringDialect,
      handle: async ({ params, body, caller, ip }) => {
        const since = await deliveries.replay(caller.businessId, params.id, body.since, doneBy(caller, ip));
        return new Reply(202, { since: since.toISOString() });
      },
    }),
  ];
}

const toWire = (businessId: number, delivery: Delivery) => ({
  id: delivery.id,
  webhook_id: webhookIdOf(businessId, delivery.number),
  type: delivery.type,
  timestamp: delivery.at.toISOString(),
  state: delivery.state,
  attempts: delivery.attempts,
  last_attempt_at: delivery.attemptedAt?.toISOString() ?? null,
  next_attempt_at: delivery.dueAt?.toISOString() ?? null,
  status: delivery.status,
  answer: delivery.answer,
  error: delivery.error,
});
