import { heldTo } from "../../../infra/http/routing/caller.ts";
import { type Dialect, failed, type InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { failure, numericIdOf, objectWith, type Schema } from "../../../infra/http/routing/schema.ts";
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

const dialect: Dialect<InvalidInput | UnknownChat> = {
  invalid_input: (error) => [400, failed(error.message)],
  unknown_chat: () => [404, failed("Chat no encontrado")],
  unexpected: () => [500, failed("Error: fallo inesperado")],
};

/** The temperatures of which the shared report has the means. */
export const temperatureRoute = (temperatures: Temperatures): Route =>
  defineRoute({
    method: "put",
    path: "/chats/:id/temperatura",
    operationId: "setTemperature",
    tag: "Reports",
    summary: "Say how warm a chat's conversation is",
    rules: [
      ["Temperatura.1", "It is said of the chat's open conversation, else of its latest. What is not given stays."],
      ["Temperatura.2", "A chat that an agent may not see is one that does not exist."],
    ],
    auth: "key-or-session",
    scope: "send",
    params: objectWith({ id: numericIdOf("chat") }),
    body,
    responses: {
      200: { description: "It is kept", schema: objectWith({ success: { const: true } }) },
      400: { description: "A field is wrong", schema: failure },
      404: { description: "No such chat, or nobody ever wrote in it", schema: failure },
      500: { description: "Unexpected failure", schema: failure },
    },
    dialect,
    handle: async ({ params, body, caller }) => {
      const { temperatura_ia: ai, temperatura_agente: agent } = body;
      const isKept = await temperatures.take(caller.businessId, params.id, heldTo(caller), {
        ...(ai !== undefined && { ai }),
        ...(agent !== undefined && { agent }),
      });
      if (!isKept) throw new UnknownChat(`chat ${params.id}`);
      return { success: true };
    },
  });
