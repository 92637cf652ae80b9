import { administration } from "../../../infra/http/routing/administration.ts";
import { doneBy } from "../../../infra/http/routing/caller.ts";
import { limitOf, pageAnswer, pagedQuery, positionIn } from "../../../infra/http/routing/cursors.ts";
import { coded, codedDialect, type Dialect } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import {
  codedFailure,
  integer,
  named,
  nullableInteger,
  nullableText,
  nullableTimestamp,
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

/** The failures of requests that need an enabled endpoint. */
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

const deliveryFields = {
  id: integer,
  webhook_id: { ...text, description: "The header `webhook-id` of its attempts", example: "evt_1_4711" },
  type: text,
  timestamp: { ...timestamp, description: "When the event happened" },
  state: { type: "string", enum: deliveryStates },
  attempts: integer,
  last_attempt_at: nullableTimestamp,
  next_attempt_at: { ...nullableTimestamp, description: "Null unless the delivery waits" },
  status: { ...nullableInteger, description: "The status of the last answer; null if there was none" },
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

export function webhookRoutes(deliveries: ManageDeliveries): Route[] {
  return [
    defineRoute({
      ...administration,
      method: "post",
      path: "/admin/webhooks/:id/rotate",
      operationId: "rotateWebhookSecret",
      summary: "Give a webhook another secret",
      rules: {
        "Webhooks.1":
          "Only this answer has the new secret. The previous one signs as well, as the second signature of " +
          `\`webhook-signature\`, until the next rotation or for ${previousSecretHours} hours.`,
        "Webhooks.2": "The audit has an entry without the secrets.",
      },
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
      handle: async ({ params, caller, ip }) => {
        const { secret, previousUntil } = await deliveries.rotate(caller.businessId, params.id, doneBy(caller, ip));
        return { secret, previous_valid_until: previousUntil.toISOString() };
      },
    }),
    defineRoute({
      ...administration,
      method: "post",
      path: "/admin/webhooks/:id/test",
      operationId: "testWebhook",
      summary: "Send a test event to a webhook",
      rules: {
        "Webhooks.3": "Delivers an event of type `webhook.test` like any other, even if the webhook does not list it.",
        "Webhooks.4": "The delivery that is answered shows the outcome a moment later. The audit has an entry.",
      },
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
      rules: {
        "Webhooks.5": "The latest first. `next` is the cursor of the next page, or null.",
        "Webhooks.6": `Deliveries are kept for ${keptDays} days. The erasure of a contact also erases its data there.`,
        "Webhooks.7":
          "`failed` are those that were given up: after ten attempts, because the webhook was disabled, or at once because its " +
          "address is in a private network or not usable.",
      },
      params,
      query: pagedQuery(usualPage, { state: { type: "string", enum: deliveryStates } }),
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
        const found = await deliveries.list(businessId, params.id, { state, before, limit });
        return pageAnswer(found, limit, (each) => toWire(businessId, each));
      },
    }),
    defineRoute({
      ...administration,
      method: "get",
      path: "/admin/webhooks/:id/deliveries/:deliveryId",
      operationId: "getWebhookDelivery",
      summary: "Show a delivery with its payload",
      rules: {
        "Webhooks.10":
          "`payload` is the body of the attempts. It is the same in each attempt, unless data of a contact in it was erased " +
          "meanwhile.",
      },
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
      rules: {
        "Webhooks.8":
          "It has the same `webhook-id`, whatever its earlier outcome was, and is tried again like a new one. The audit has an " +
          "entry.",
      },
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
      summary: "Deliver the events since a moment",
      rules: {
        "Webhooks.9":
          `All events since then that the webhook listens to now, in their order, up to ${replayHours} hours back: those that ` +
          "were delivered, with the same `webhook-id`, and those that it did not listen to at that time. `since` without a " +
          "zone is in the business's. The audit has an entry.",
      },
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
