import { heldTo } from "../../../infra/http/routing/caller.ts";
import { type Dialect, failed, type InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import {
  codedFailure,
  failure,
  named,
  numericIdOf,
  objectWith,
  type Schema,
} from "../../../infra/http/routing/schema.ts";
import type { Temperatures } from "../../application/ports.ts";
import { UnknownChat } from "../../domain/failures.ts";

const temperature = (name: string) =>
  ({
    type: ["number", "null"],
    minimum: 0,
    maximum: 100,
    "x-error": {
      type: `${name} debe ser un número`,
      minimum: `${name} debe estar entre 0 y 100`,
      maximum: `${name} debe estar entre 0 y 100`,
    },
  }) as const;

const body = {
  type: "object",
  properties: { temperatura_ia: temperature("temperatura_ia"), temperatura_agente: temperature("temperatura_agente") },
} as const satisfies Schema;

/** `success` is for older clients. The failures of newer operations on chats have a `code`, too, but no `success`. */
const failureWithCode = named("FailureWithCode", objectWith({ ...failure.properties, ...codedFailure.properties }));
const failedWith = (code: string, error: string) => ({ ...failed(error), code });

const dialect: Dialect<InvalidInput | UnknownChat> = {
  invalid_input: (error) => [400, failedWith("invalid_input", error.message)],
  unknown_chat: () => [404, failedWith("chat_not_found", "Chat no encontrado")],
  unexpected: () => [500, failedWith("unexpected", "Error: fallo inesperado")],
};

/** The shared report shows the means of these temperatures. */
export const temperatureRoute = (temperatures: Temperatures): Route =>
  defineRoute({
    method: "put",
    path: "/chats/:id/temperatura",
    operationId: "setTemperature",
    tag: "Reports",
    summary: "Set the temperatures of a chat's conversation",
    rules: {
      "Temperatura.1":
        "They are set for the chat's open conversation, else for its latest. An omitted temperature stays.",
      "Temperatura.2": "A chat that an agent may not see is a 404.",
    },
    auth: "key-or-session",
    scope: "send",
    params: objectWith({ id: numericIdOf("chat") }),
    body,
    responses: {
      200: { description: "The temperatures are stored", schema: objectWith({ success: { const: true } }) },
      400: { description: "A field is wrong", schema: failureWithCode },
      404: { description: "No such chat, or it has no conversation", schema: failureWithCode },
      500: { description: "Unexpected failure", schema: failureWithCode },
    },
    dialect,
    handle: async ({ params, body, caller }) => {
      const given = { ai: body.temperatura_ia, agent: body.temperatura_agente };
      const isStored = await temperatures.set(caller.businessId, params.id, heldTo(caller), given);
      if (!isStored) throw new UnknownChat(`chat ${params.id}`);
      return { success: true };
    },
  });
