import { heldTo } from "../../../infra/http/routing/caller.ts";
import { type Dialect, failed, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import {
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
import type { RegistrationFailure, Registrations } from "../../application/registrations.ts";
import { sourceOf, typeOf } from "./report-wire.ts";

const agent = { ...idOf("user"), type: ["integer", "null"], "x-error": "agente_id debe ser un número" } as const;
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
const currency = {
  type: "string",
  pattern: "^[A-Za-z]{3}$",
  description: "ISO 4217; the business's own unless given",
  "x-error": "moneda debe ser un código de tres letras",
} as const;
const source = {
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
} as const;
const closed = { type: "boolean", "x-error": "cerrada debe ser un booleano" } as const;
const date = {
  type: "string",
  description: "ISO 8601, in the business's time zone unless it names one; now unless given",
  "x-error": "fecha debe ser un texto",
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
    agente_id: agent,
    monto: amount,
    moneda: currency,
    origen: source,
    cerrada: closed,
    fecha: date,
  },
} as const satisfies Schema);

const correctionBody = named("RegistrationCorrection", {
  type: "object",
  properties: {
    agente_id: agent,
    monto: { ...amount, "x-error": { ...amount["x-error"], type: "monto debe ser un número" } },
    moneda: currency,
    origen: source,
    cerrada: closed,
    fecha: date,
  },
} as const satisfies Schema);

const params = objectWith({
  id: { ...numericIdOf("registration"), "x-error": "id debe ser un número" },
}) satisfies Schema;

const dialect: Dialect<InvalidInput | BusinessNotFound | RegistrationFailure> = {
  invalid_input: (error) => [400, failed(error.message)],
  business_not_found: () => [404, failed("Empresa no encontrada")],
  unknown_chat: () => [404, failed("Chat no encontrado")],
  unknown_agent: () => [404, failed("Agente no encontrado")],
  unknown_registration: () => [404, failed("Registro no encontrado")],
  no_rate: ({ currency }) => [400, failed(`No hay tipo de cambio para ${currency}`)],
  bad_date: () => [400, failed("fecha no es válida")],
  amount_too_large: () => [400, failed("monto es demasiado grande")],
  unexpected: () => [500, failed("Error: fallo inesperado")],
};

const common = {
  tag: "Reports",
  auth: "key-or-session",
  scope: "orders",
  dialect,
  responses: {
    200: { description: "It is kept", schema: objectWith({ success: { const: true }, id: integer }) },
    400: { description: "A field is missing or wrong, or no rate is known for the currency", schema: failure },
    404: { description: "No such business, record, chat or agent", schema: failure },
    500: { description: "Unexpected failure", schema: failure },
  },
} as const;

/** What the buttons for sales and quotations keep: the records that the shared report counts. */
export const registrationRoutes = (registrations: Registrations): Route[] => [
  defineRoute({
    ...common,
    method: "post",
    path: "/registros",
    operationId: "addRegistration",
    summary: "Register a sale or a quotation of a chat",
    rules: [
      [
        "Registros.1",
        "The amount is also kept in the business's base currency (feature flag `currency`, default BOB), at the rate of " +
          "the record's day in `currency_conversion`: `{ USD: 6.96 }`, or dated `[{ from: '2026-01-01', USD: 6.96 }]`, " +
          "in base currency for one unit. Without a rate it is a 400.",
      ],
      [
        "Registros.2",
        "The record keeps the ad that the chat came from at this moment; a later click does not move it.",
      ],
      ["Registros.3", "A sale is closed and a quotation open unless `cerrada` says so."],
      ["Registros.4", "A record may come late: `fecha` reaches back to 2000. Reports have it at once."],
      [
        "Registros.5",
        "An agent's session adds records of that agent, whatever `agente_id` says. Administrators and App Keys add " +
          "anybody's, or nobody's; users of other roles are held to what agents are.",
      ],
    ],
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
    rules: [
      ["Registros.6", "Only the fields that are given change; type, chat and ad stay."],
      [
        "Registros.7",
        "A new day or currency takes the rate of that day; otherwise the first rate stays, as long as the business " +
          "counts in the same currency.",
      ],
      [
        "Registros.8",
        "To an agent's session another's record is one that does not exist, and its own stay its own: `agente_id` is " +
          "ignored.",
      ],
    ],
    params,
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
    rules: [["Registros.9", "To an agent's session another's record is one that does not exist."]],
    params,
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

/** A number that is written with at most two decimals. */
function amountOf(value: number): Money {
  const written = String(value);
  if (!/^\d+(\.\d{1,2})?$/.test(written)) throw new InvalidInput("monto debe tener como máximo dos decimales");
  return moneyOf(written);
}
