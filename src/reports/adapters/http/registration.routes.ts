import { heldTo } from "../../../infra/http/routing/caller.ts";
import { coded, type Dialect, failed, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import {
  codedFailure,
  failure,
  idOf,
  integer,
  named,
  numericIdOf,
  objectWith,
  type Schema,
} from "../../../infra/http/routing/schema.ts";
import type { BusinessNotFound } from "../../../kernel/errors.ts";
import { type Money, moneyOf } from "../../../kernel/money.ts";
import type { Registrations } from "../../application/registrations.ts";
import type { RegistrationFailure } from "../../domain/failures.ts";
import { sourceOf, typeOf } from "./report-wire.ts";

const amount = {
  type: "number",
  minimum: 0,
  maximum: 9_999_999_999.99,
  example: 120.5,
  description: "In `moneda`, at most two decimals",
  "x-error": {
    required: "monto es requerido y debe ser un número",
    type: "monto es requerido y debe ser un número",
    minimum: "monto no puede ser negativo",
    maximum: "monto es demasiado grande",
  },
} as const;

/** The fields that a correction can change. */
const changeable = {
  agente_id: { ...idOf("user"), type: ["integer", "null"], "x-error": "agente_id debe ser un número" },
  monto: amount,
  moneda: {
    type: "string",
    pattern: "^[A-Za-z]{3}$",
    description: "ISO 4217; the business's own by default",
    "x-error": "moneda debe ser un código de tres letras",
  },
  origen: {
    type: "string",
    pattern: "\\S",
    maxLength: 50,
    example: "pdf",
    description: "`pdf`, `mensaje`, or any other word",
    "x-error": {
      required: "origen es requerido",
      type: "origen debe ser un texto",
      pattern: "origen es requerido",
      maxLength: "origen no puede tener más de 50 caracteres",
    },
  },
  cerrada: { type: "boolean", "x-error": "cerrada debe ser un booleano" },
  fecha: {
    type: "string",
    description: "ISO 8601, in the business's time zone if it names none; now by default",
    "x-error": "fecha debe ser un texto",
  },
} as const;

const newBody = named("NewRegistration", {
  type: "object",
  required: ["empresa_id", "tipo", "chat_id", "monto", "origen"],
  properties: {
    empresa_id: { ...idOf("business"), "x-error": "empresa_id es requerido y debe ser un número" },
    tipo: {
      enum: ["venta", "cotizacion"],
      "x-error": { required: "tipo es requerido", enum: "tipo debe ser venta o cotizacion" },
    },
    chat_id: { ...idOf("chat"), "x-error": "chat_id es requerido y debe ser un número" },
    ...changeable,
  },
} as const satisfies Schema);

const correctionBody = named("RegistrationCorrection", {
  type: "object",
  properties: {
    ...changeable,
    monto: { ...amount, "x-error": { ...amount["x-error"], type: "monto debe ser un número" } },
  },
} as const satisfies Schema);

const params = objectWith({ id: { ...numericIdOf("registration"), "x-error": "id debe ser un número" } });

const dialect: Dialect<InvalidInput | BusinessNotFound | RegistrationFailure> = {
  invalid_input: (error) => [400, failed(error.message)],
  business_not_found: () => [404, failed("Empresa no encontrada")],
  unknown_chat: () => [404, failed("Chat no encontrado")],
  unknown_agent: () => [404, failed("Agente no encontrado")],
  unknown_registration: () => [404, failed("Registro no encontrado")],
  foreign_registration: () => [403, coded("forbidden", "No tienes permiso para cambiar registros de otros")],
  no_rate: ({ currency }) => [400, failed(`No hay tipo de cambio para ${currency}`)],
  bad_date: () => [400, failed("fecha no es válida")],
  amount_too_large: () => [400, failed("monto es demasiado grande")],
  unexpected: () => [500, failed("Error: fallo inesperado")],
};

const forbidden = {
  description: "The record is not the agent's, or the key does not have the scope",
  schema: codedFailure,
};

const common = {
  tag: "Reports",
  auth: "key-or-session",
  scope: "orders",
  dialect,
  responses: {
    200: { description: "The record is stored", schema: objectWith({ success: { const: true }, id: integer }) },
    400: { description: "A field is missing or wrong, or no rate is known for the currency", schema: failure },
    404: { description: "No such business, record, chat or agent", schema: failure },
    500: { description: "Unexpected failure", schema: failure },
  },
} as const;

/** Routes for the records of sales and quotations, which the shared report counts. */
export const registrationRoutes = (registrations: Registrations): Route[] => [
  defineRoute({
    ...common,
    method: "post",
    path: "/registros",
    operationId: "addRegistration",
    summary: "Register a sale or a quotation of a chat",
    rules: {
      "Registros.1":
        "The amount is also stored in the business's base currency (feature flag `currency`, default BOB), at the rate of " +
        "the record's day in `currency_conversion`: `{ USD: 6.96 }`, or dated `[{ from: '2026-01-01', USD: 6.96 }]`, " +
        "in base currency for one unit. Without a rate the answer is 400.",
      "Registros.2":
        "The record keeps the ad that the chat has at this moment; a later click on another ad does not change it.",
      "Registros.3": "Without `cerrada` a sale is closed and a quotation open.",
      "Registros.4": "A record may be late: `fecha` may be as early as 2000. Reports include it at once.",
      "Registros.5":
        "An agent's session adds only records of that agent; `agente_id` is ignored. Administrators and App Keys may name any " +
        "agent, or none; users of other roles are limited like agents.",
    },
    idempotent: true,
    body: newBody,
    ownBusiness: "body.empresa_id",
    handle: async ({ body, caller }) => {
      const id = await registrations.add({
        businessId: caller.businessId,
        type: typeOf(body.tipo),
        chatId: body.chat_id,
        seenBy: heldTo(caller),
        agentId: heldTo(caller) ?? body.agente_id ?? null,
        ...changesOf(body),
        amount: amountOf(body.monto),
        source: sourceOf(body.origen),
      });
      return { success: true, id };
    },
  }),
  defineRoute({
    ...common,
    method: "put",
    path: "/registros/:id",
    operationId: "correctRegistration",
    summary: "Correct a sale or a quotation",
    rules: {
      "Registros.6": "Only the given fields change; type, chat and ad stay.",
      "Registros.7":
        "A new day or currency uses the rate of that day; otherwise the first rate stays, as long as the business has the " +
        "same base currency.",
      "Registros.8":
        "An agent changes only own records. Others are 403 `forbidden`, or 404 if the agent may not see the chat. `agente_id` " +
        "is ignored: the agent's records stay the agent's own.",
    },
    params,
    responses: { ...common.responses, 403: forbidden },
    body: correctionBody,
    handle: async ({ params, body, caller }) => {
      const ofAgent = heldTo(caller);
      await registrations.correct(
        caller.businessId,
        { id: params.id, ofAgent },
        {
          ...(body.agente_id !== undefined && ofAgent === null && { agentId: body.agente_id }),
          ...(body.monto !== undefined && { amount: amountOf(body.monto) }),
          ...(body.origen !== undefined && { source: sourceOf(body.origen) }),
          ...changesOf(body),
        },
      );
      return { success: true, id: params.id };
    },
  }),
  defineRoute({
    ...common,
    method: "delete",
    path: "/registros/:id",
    operationId: "removeRegistration",
    summary: "Delete a sale or a quotation that was registered by mistake",
    rules: {
      "Registros.9":
        "An agent deletes only own records. Others are 403 `forbidden`, or 404 if the agent may not see the chat.",
    },
    params,
    responses: { ...common.responses, 403: forbidden },
    handle: async ({ params, caller }) => {
      await registrations.remove(caller.businessId, { id: params.id, ofAgent: heldTo(caller) });
      return { success: true, id: params.id };
    },
  }),
];

const changesOf = (body: { moneda?: string; cerrada?: boolean; fecha?: string }) => ({
  ...(body.moneda !== undefined && { currency: body.moneda.toUpperCase() }),
  ...(body.cerrada !== undefined && { closed: body.cerrada }),
  ...(body.fecha !== undefined && { date: body.fecha }),
});

/** Accepts at most two decimals. */
function amountOf(value: number): Money {
  const written = String(value);
  if (!/^\d+(\.\d{1,2})?$/.test(written)) throw new InvalidInput("monto debe tener como máximo dos decimales");
  return moneyOf(written);
}
