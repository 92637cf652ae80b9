import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import {
  integer,
  named,
  nullableInteger,
  nullableText,
  numericIdOf,
  objectWith,
  plainString,
  type Schema,
  text,
  timestamp,
} from "../../../infra/http/routing/schema.ts";
import type { BusinessNotFound } from "../../../kernel/errors.ts";
import type { TicketStep, TicketSteps } from "../../application/tickets/ports.ts";

const boolean = { type: "boolean" } as const;

const step = named("TicketStep", {
  type: "object",
  required: ["id", "nombre", "identificador", "tipo", "contenido", "variable", "inicio", "empresa_id", "loop"],
  properties: {
    id: integer,
    nombre: text,
    identificador: text,
    tipo: { const: "ticket" },
    contenido: text,
    variable: text,
    media: nullableText,
    media_tipo: nullableText,
    media_url: nullableText,
    paso_id: nullableInteger,
    descripcion: nullableText,
    botones: nullableText,
    titulo_opciones: nullableText,
    opciones: nullableText,
    departamento: nullableInteger,
    inicio: boolean,
    catalogo_id: nullableInteger,
    empresa_id: integer,
    agente: nullableText,
    paso_automatico: nullableInteger,
    loop: boolean,
    ai_prompt_id: nullableInteger,
    estructura_id: nullableInteger,
    tags: nullableText,
    maps_search: nullableText,
    maps_radius: nullableInteger,
    helper_data: { type: ["object", "null"] },
    iniciador: nullableText,
    catalogs: nullableText,
    check_sucursal: { type: ["boolean", "null"] },
    flow_id: nullableText,
    created_at: timestamp,
    updated_at: timestamp,
  },
} as const satisfies Schema);

const params = objectWith({ empresa_id: numericIdOf("business") });

const dialect: Dialect<InvalidInput | BusinessNotFound> = {
  invalid_input: (error) => [400, `Error: ${error.message}`],
  business_not_found: () => [500, "Error: La empresa no existe"],
  unexpected: () => [500, "Error: no se pudieron obtener los pasos"],
};

/** §6 List ticket steps. */
export const ticketStepsRoute = (steps: TicketSteps): Route =>
  defineRoute({
    method: "get",
    path: "/chats/obtener/pasos/tickets/:empresa_id",
    operationId: "listTicketSteps",
    tag: "Inbox",
    summary: "List the ticket-type script steps of a business",
    rules: [
      ["§6.1", "Only steps of type ticket, sorted by id; at most 5,000."],
      ["§6.2", "A step's id is the `step` of a bulk campaign and the `paso_id` when a ticket is created."],
      ["§6.3", "A failure is answered with a plain JSON string; another business's id is answered as missing."],
    ],
    auth: "key-or-token",
    params,
    ownBusiness: "params.empresa_id",
    responses: {
      200: {
        description: "The steps",
        schema: objectWith({ status: { const: "success" }, pasos: { type: "array", items: step } }),
      },
      400: { description: "The id in the path is not an id", schema: plainString },
      500: { description: "No such business, or an unexpected failure", schema: plainString },
    },
    dialect,
    handle: async ({ caller }) => {
      return { status: "success", pasos: (await steps.list(caller.businessId)).map(toWire) };
    },
  });

const toWire = (step: TicketStep) => ({
  id: step.id,
  nombre: step.name,
  identificador: step.identifier,
  tipo: step.type,
  contenido: step.content,
  variable: step.variable,
  media: step.media,
  media_tipo: step.mediaType,
  media_url: step.mediaUrl,
  paso_id: step.parentStepId,
  descripcion: step.description,
  botones: step.buttons,
  titulo_opciones: step.optionsTitle,
  opciones: step.options,
  departamento: step.departmentId,
  inicio: step.initial,
  catalogo_id: step.catalogId,
  empresa_id: step.businessId,
  agente: step.agent,
  paso_automatico: step.nextStepId,
  loop: step.loop,
  ai_prompt_id: step.aiPromptId,
  estructura_id: step.structureId,
  tags: step.tags,
  maps_search: step.mapsSearch,
  maps_radius: step.mapsRadius,
  helper_data: step.helperData,
  iniciador: step.initiator,
  catalogs: step.catalogs,
  check_sucursal: step.checkBranch,
  flow_id: step.flowId,
  created_at: step.createdAt.toISOString(),
  updated_at: step.updatedAt.toISOString(),
});
