import { heldTo } from "../../../../infra/http/routing/caller.ts";
import type { Dialect, InvalidInput } from "../../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../../infra/http/routing/route.ts";
import {
  arrayOf,
  boolean,
  idOf,
  integer,
  named,
  nullableText,
  objectWith,
  text,
  timestamp,
} from "../../../../infra/http/routing/schema.ts";
import type { BusinessNotFound } from "../../../../kernel/errors.ts";
import type {
  ListedTemplate,
  ListTemplates,
  ListTemplatesFailure,
} from "../../../application/templates/list-templates.ts";
import { approvalStates } from "../../../domain/platform.ts";

const body = objectWith({ empresa_id: idOf("business"), usuario_id: idOf("user") });

const template = named("Template", {
  type: "object",
  required: ["id", "nombre", "id_plantilla", "descripcion", "tipo", "empresa_id", "visible", "created_by_ai", "state"],
  properties: {
    id: integer,
    nombre: text,
    id_plantilla: text,
    descripcion: text,
    template: { type: ["object", "null"] },
    botones: nullableText,
    codigo: nullableText,
    archivo_nombre: nullableText,
    type: nullableText,
    tipo: { enum: ["Cloud", "ProviderB"] },
    agentes_permitidos: nullableText,
    contacto_variables: { type: ["array", "null"], items: { type: "integer" } },
    articles: nullableText,
    empresa_id: integer,
    id_providerb: nullableText,
    version: nullableText,
    visible: { const: true },
    deleted_at: { type: "null" },
    created_by_ai: boolean,
    state: { enum: approvalStates },
    created_at: timestamp,
    updated_at: timestamp,
  },
} as const);

const dialect: Dialect<InvalidInput | BusinessNotFound | ListTemplatesFailure> = {
  invalid_input: (error) => [400, `Error: ${error.message}`],
  business_not_found: () => [500, "Error: La empresa no existe"],
  user_not_found: () => [500, "Error: El usuario no pertenece a la empresa"],
  platform_unavailable: () => [500, "Error: La plataforma de mensajes no está disponible"],
  unexpected: () => [500, "Error: no se pudieron obtener las plantillas"],
};

/** §1 List templates. */
export const listTemplatesRoute = (listTemplates: ListTemplates): Route =>
  defineRoute({
    method: "post",
    path: "/chats/obtener/mensaje/plantilla",
    operationId: "listTemplates",
    tag: "Messaging",
    summary: "List the templates that a user may send, with their approval state",
    rules: {
      "§1.1": "Templates that are not visible are omitted.",
      "§1.2": "Deleted templates are omitted.",
      "§1.3": "An agent (role 5) sees the templates that are not restricted and those that list the agent.",
      "§1.4": "Therefore `visible` is always true and `deleted_at` always null.",
      "§1.5":
        "The platform is asked for `state` at each request, by the registered name and the language that a send would use. " +
        "A template that the platform does not have is `no_status`. Review statuses that can still become an approval are " +
        "shown as PENDING, all others except APPROVED as REJECTED.",
      "§1.6":
        "A send needs as many parameters as the highest {{n}} in the BODY's text; if the text has none, as many as the BODY's " +
        "example lists; without a BODY, as many as the highest {{n}} in `descripcion`.",
      "§1.7": "The answer to a failure is a plain JSON string.",
    },
    auth: "key-or-token",
    scope: "read",
    lane: "platform",
    body,
    ownBusiness: "body.empresa_id",
    responses: {
      200: {
        description: "The templates, ordered by id; at most 6,000",
        schema: objectWith({ plantillas: arrayOf(template) }),
      },
      400: { description: "A field is missing or is not a number", schema: text },
      500: { description: "No such business or user, or the platform does not answer", schema: text },
    },
    dialect,
    handle: async ({ body, caller }) => {
      const listed = await listTemplates.execute(caller.businessId, heldTo(caller) ?? body.usuario_id);
      return { plantillas: listed.map(toWire) };
    },
  });

/**
 * Does not use `wireFields`, which would need a copy of each record with the constants `visible` and `deleted_at`. The
 * copies would cost a fifth of the throughput (measured).
 */
const toWire = ({ template, createdByAi, approvalState }: ListedTemplate) => ({
  id: template.id,
  nombre: template.name,
  id_plantilla: template.platformName,
  descripcion: template.body,
  template: template.structure,
  botones: template.buttons,
  codigo: template.code,
  archivo_nombre: template.fileName,
  type: template.headerType,
  tipo: template.provider,
  agentes_permitidos: template.allowedAgents,
  contacto_variables: template.contactVariables,
  articles: template.articles,
  empresa_id: template.businessId,
  id_providerb: template.providerBId,
  version: template.version,
  visible: true,
  deleted_at: null,
  created_by_ai: createdByAi,
  state: approvalState,
  created_at: template.createdAt.toISOString(),
  updated_at: template.updatedAt.toISOString(),
});
