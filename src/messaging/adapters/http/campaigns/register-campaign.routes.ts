import { type Dialect, failed, type InvalidInput } from "../../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../../infra/http/routing/route.ts";
import {
  arrayOf,
  boolean,
  failure,
  integer,
  named,
  nullableInteger,
  nullableText,
  objectWith,
  text,
  withOptional,
} from "../../../../infra/http/routing/schema.ts";
import {
  type CampaignPreview,
  type PreviewCampaign,
  previewProblems,
} from "../../../application/campaigns/preview-campaign.ts";
import type { RegisterCampaign, RegisterCampaignFailure } from "../../../application/campaigns/register-campaign.ts";
import { namedIds, type UnknownIds } from "../../../domain/campaign.ts";
import { approvalStates } from "../../../domain/platform.ts";
import {
  campaignBody,
  campaignBodyLimit,
  campaignStreams,
  page,
  toCommand,
  validationErrorOf,
} from "./campaign-input.ts";

const fieldsOfIds = { contacts: "contacts_id", step: "step", user: "user_id", tags: "tags" } as const;

function namesMissing({ missing }: UnknownIds): string {
  const lines = Object.entries(fieldsOfIds).flatMap(([kind, field]) => {
    const ids = missing[kind as keyof typeof fieldsOfIds];
    return ids.length > 0 ? [`${field} no encontrado: ${ids.join(", ")}${ids.length < namedIds ? "" : ", ..."}`] : [];
  });
  return lines.join("; ");
}

const dialect: Dialect<InvalidInput | RegisterCampaignFailure> = {
  invalid_input: (error) => [400, failed(error.message)],
  business_not_found: () => [404, failed("Empresa no encontrada")],
  template_not_found: () => [404, failed("Plantilla no encontrada")],
  unknown_ids: (error) => [400, failed(namesMissing(error))],
  unknown_placeholder: ({ placeholder }) => [
    400,
    failed(`paramMapping no aplica: la plantilla no tiene el parámetro {{${placeholder}}}`),
  ],
  no_sender: () => [500, failed("Error: la empresa no tiene un número de envío")],
  platform_unavailable: () => [500, failed("Error: la plataforma de mensajes no está disponible")],
  unexpected: () => [500, failed("Error: fallo inesperado")],
};

const failures = {
  400: { description: "A field is wrong, or refers to a record that the business does not have", schema: failure },
  404: { description: "No such business or template", schema: failure },
  500: { description: "Unexpected failure", schema: failure },
} as const;

/** Both routes that take a whole campaign have these parts. */
const common = {
  tag: "Campaigns",
  scope: "send",
  forAdministrators: true,
  body: campaignBody,
  streams: campaignStreams,
  complaint: validationErrorOf,
  ownBusiness: "body.empresa_id",
  bodyLimit: campaignBodyLimit,
  lane: "campaigns",
  cost: 20,
  dialect,
} as const;

/** §4 Bulk campaign by template. */
export const registerCampaignRoute = (registerCampaign: RegisterCampaign): Route =>
  defineRoute({
    ...common,
    method: "post",
    path: "/chats/enviar/masivo/plantilla",
    operationId: "registerCampaign",
    summary: "Send a template to many contacts",
    rules: {
      "§4.1":
        "All or nothing: if the business does not have one of the ids, nothing is registered, and the error lists the ids.",
      "§4.2": "`contacts[i]` describes `contacts_id[i]`. A contact that is named twice gets one message.",
      "§4.3":
        "`paramMapping` maps placeholders to fields of the contact. A field that the request does not have is taken from the " +
        "custom fields (`campos`) of the stored contact. A field that is missing there too, null, an object or an array " +
        "becomes 'unknown'; numbers and booleans become text. Only the contact's own fields are read, and only " +
        "placeholders of the template can be filled. Without `paramMapping` the template is sent without parameters. " +
        "Named placeholders are numbered in the order of the template's example.",
      "§4.4": "The answer means that the campaign is registered, with a copy of its template; sending begins then.",
      "§4.5": "Messages are sent at the number's rate, each once, and are stored in the chats of their contacts.",
      "§4.6":
        "`schedule_at` (ISO 8601) delays the start; `send_window` limits sending to the time between two local times.",
      "§4.7": "The header `X-Campaign-Id` has the id of the campaign.",
      "§4.8": "A contact may have up to 64 kB, and so may every field of the body except `contacts_id` and `contacts`.",
    },
    auth: "key-or-token",
    idempotent: true,
    responses: {
      200: {
        description: "Registered",
        schema: objectWith({ success: { const: true } }),
        headers: { "X-Campaign-Id": "The id of the campaign" },
      },
      ...failures,
    },
    handle: async ({ body, caller }) => {
      const id = await registerCampaign.execute(toCommand(body, caller));
      return new Reply(200, { success: true }, { "X-Campaign-Id": String(id) });
    },
  });

const check = objectWith({
  con_problemas: integer,
  problemas: objectWith(Object.fromEntries(previewProblems.map((problem) => [problem, integer]))),
  calidad: nullableText,
  limite_diario: nullableInteger,
});

const shown = objectWith({
  state: { enum: approvalStates },
  limite_restante: nullableInteger,
  total: integer,
  page: integer,
  hasNextPage: boolean,
  data: arrayOf(
    objectWith({ contacto_id: integer, numero: text, texto: text, problemas: arrayOf({ enum: previewProblems }) }),
  ),
});
const preview = named("CampaignPreview", withOptional(shown, { revision: check }));

const previewPage = 100;

export const previewCampaignRoute = (previewCampaign: PreviewCampaign): Route =>
  defineRoute({
    ...common,
    method: "post",
    path: "/campaigns/preview",
    operationId: "previewCampaign",
    summary: "Preview a campaign's messages, recipients and refusals; nothing is sent",
    rules: {
      "Campaigns.1": "Takes the body of the registration, and fails if the registration would fail.",
      "Campaigns.2": `Shows the rendered text for each contact, ${previewPage} per page, with the problems that would prevent it.`,
      "Campaigns.4":
        "`limite_restante` is the rest of the monthly limit for sends to known chats. Campaigns do not count against it.",
      "Campaigns.13":
        "With `check=true` every contact is checked, and `data` has only contacts with a problem. `revision` then has their " +
        "number (`con_problemas`), the number of each problem, and the platform's present data of the number: its " +
        "`calidad`, and how many people it may write to first within 24 hours (`limite_diario`). Both are null if the " +
        "platform does not tell; `limite_diario` is also null without a limit.",
    },
    auth: "key-or-session",
    query: { type: "object", properties: { page, check: { type: "boolean", default: false } } } as const,
    responses: { 200: { description: "The messages that would be sent", schema: preview }, ...failures },
    handle: async ({ query, body, caller }) => {
      const command = toCommand(body, caller);
      if (!query.check) {
        const shown = await previewCampaign.execute(command, query.page, previewPage);
        return previewToWire(shown, query.page, shown.total);
      }
      const shown = await previewCampaign.check(command, query.page, previewPage);
      const { affected, problems, capacity } = shown.check;
      const revision = {
        con_problemas: affected,
        problemas: problems,
        calidad: capacity.quality,
        limite_diario: capacity.dailyLimit,
      };
      return { ...previewToWire(shown, query.page, affected), revision };
    },
  });

const previewToWire = (shown: CampaignPreview, page: number, listed: number) => ({
  state: shown.approvalState,
  limite_restante: shown.remaining,
  total: shown.total,
  page,
  hasNextPage: page * previewPage < listed,
  data: shown.recipients.map(({ contactId, phone, text, problems }) => ({
    contacto_id: contactId,
    numero: phone,
    texto: text,
    problemas: problems,
  })),
});
