import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import {
  arrayOf,
  boolean,
  integer,
  named,
  nullableInteger,
  nullableText,
  numericIdOf,
  objectWith,
  text,
  timestamp,
} from "../../../infra/http/routing/schema.ts";
import { wireFields } from "../../../infra/http/routing/wire-fields.ts";
import type { BusinessNotFound } from "../../../kernel/errors.ts";
import type { TicketStep, TicketSteps } from "../../application/tickets/ports.ts";

const { properties, toWire } = wireFields<TicketStep>({
  id: ["id", integer],
  nombre: ["name", text],
  identificador: ["identifier", text],
  tipo: ["type", { const: "ticket" }],
  contenido: ["content", text],
  variable: ["variable", text],
  media: ["media", nullableText],
  media_tipo: ["mediaType", nullableText],
  media_url: ["mediaUrl", nullableText],
  paso_id: ["parentStepId", nullableInteger],
  descripcion: ["description", nullableText],
  botones: ["buttons", nullableText],
  titulo_opciones: ["optionsTitle", nullableText],
  opciones: ["options", nullableText],
  departamento: ["departmentId", nullableInteger],
  inicio: ["initial", boolean],
  catalogo_id: ["catalogId", nullableInteger],
  empresa_id: ["businessId", integer],
  agente: ["agent", nullableText],
  paso_automatico: ["nextStepId", nullableInteger],
  loop: ["loop", boolean],
  ai_prompt_id: ["aiPromptId", nullableInteger],
  estructura_id: ["structureId", nullableInteger],
  tags: ["tags", nullableText],
  maps_search: ["mapsSearch", nullableText],
  maps_radius: ["mapsRadius", nullableInteger],
  helper_data: ["helperData", { type: ["object", "null"] }],
  iniciador: ["initiator", nullableText],
  catalogs: ["catalogs", nullableText],
  check_sucursal: ["checkBranch", { type: ["boolean", "null"] }],
  flow_id: ["flowId", nullableText],
  created_at: ["createdAt", timestamp],
  updated_at: ["updatedAt", timestamp],
});

const step = named("TicketStep", {
  type: "object",
  required: ["id", "nombre", "identificador", "tipo", "contenido", "variable", "inicio", "empresa_id", "loop"],
  properties,
} as const);

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
    rules: {
      "§6.1": "Only steps of type ticket, sorted by id; at most 5,000.",
      "§6.2": "A step's id is the `step` of a bulk campaign and the `paso_id` when a ticket is created.",
      "§6.3": "A failure is answered with a plain JSON string; another business's id is answered as missing.",
    },
    auth: "key-or-token",
    params,
    ownBusiness: "params.empresa_id",
    responses: {
      200: {
        description: "The steps",
        schema: objectWith({ status: { const: "success" }, pasos: arrayOf(step) }),
      },
      400: { description: "The id in the path is not an id", schema: text },
      500: { description: "No such business, or an unexpected failure", schema: text },
    },
    dialect,
    handle: async ({ caller }) => {
      return { status: "success", pasos: (await steps.list(caller.businessId)).map(toWire) };
    },
  });
