import { heldTo, userIn } from "../../../../infra/http/routing/caller.ts";
import { type Dialect, failed, type InvalidInput } from "../../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../../infra/http/routing/route.ts";
import { failure, numericIdOf, objectWith, phoneNumber, type Schema } from "../../../../infra/http/routing/schema.ts";
import { phoneDigits } from "../../../../kernel/text.ts";
import type { SendTemplate, SendTemplateFailure } from "../../../application/sends/send-template.ts";
import { messageIdHeader, messageIdHeaders, messageIdIn, parameters, uncertain, unreachable } from "./template-send.ts";

const rejected = "Error al enviar la plantilla";

const body = {
  type: "object",
  required: ["empresa_id", "phone_number", "plantilla_id"],
  properties: {
    empresa_id: { ...numericIdOf("business"), "x-error": "empresa_id es requerido y debe ser un número" },
    // No number is longer: the platform would refuse it.
    phone_number: { ...phoneNumber, "x-error": { ...phoneNumber["x-error"], maxLength: rejected } },
    plantilla_id: { ...numericIdOf("template"), "x-error": "plantilla_id es requerido y debe ser un número" },
    parameters,
    name: { type: "string", maxLength: 200 },
    media_url: {
      type: "string",
      pattern: "^https://",
      "x-error": { type: "media_url debe ser un texto", pattern: "media_url debe ser una URL https" },
    },
  },
} as const satisfies Schema;

const dialect: Dialect<InvalidInput | SendTemplateFailure> = {
  invalid_input: (error) => [400, failed(error.message)],
  business_not_found: () => [404, failed("Empresa no encontrada")],
  template_not_found: () => [404, failed("Plantilla no encontrada")],
  chat_of_another: () => [409, failed("El chat lo tiene otro agente")],
  no_media_header: () => [400, failed("media_url no aplica: la plantilla no tiene encabezado multimedia")],
  media_not_accessible: ({ status }) => [400, failed(`media_url no es accesible: ${status ?? "sin respuesta"}`)],
  send_refused: () => [400, failed(rejected)],
  no_sender: () => [500, failed("Error: la empresa no tiene un número de envío")],
  platform_unreachable: () => [500, failed(unreachable)],
  send_uncertain: () => [500, failed(uncertain)],
  unexpected: () => [500, failed("Error: fallo inesperado")],
};

/** §2 Send a template by internal id (business send). */
export const sendTemplateRoute = (sendTemplate: SendTemplate): Route =>
  defineRoute({
    method: "post",
    path: "/chats/enviar/plantilla/business",
    operationId: "sendTemplate",
    tag: "Messaging",
    summary: "Send a template to a phone number",
    rules: [
      ["§2.1", "Every field is checked first, then that business and template exist and belong together."],
      ["§2.2", "Of the phone number only the digits count; a contact is made when the business has none with it."],
      ["§2.3", "A conversation is made when the contact has none open: in state `bot`, on the cloud business API."],
      ["§2.4", "The message is kept in the conversation with its placeholders replaced, in the business's name."],
      ["§2.5", "`name` names a new contact only; without it the phone number does."],
      [
        "§2.6",
        "`media_url` replaces the header media for this send. It must begin with https://, the template must have a " +
          "media header, and a HEAD request to it must be answered with 200. Addresses within our network are not asked.",
      ],
      [
        "§2.7",
        "Placeholders with names are filled in the order of the template's example. The number of parameters is the " +
          "platform's to check: a wrong one is a refused message.",
      ],
      [
        "§2.8",
        "A message is sent at most once. Where the platform's answer is lost, the answer is a 500 and the message is " +
          "settled by its delivery status; sending again is the caller's decision.",
      ],
      [
        "§2.9",
        "A session's own user sends it. For an agent whom `agentes_permitidos` does not name, the template does not " +
          "exist. Into a chat that another user has, a user who is no administrator sends nothing: 409.",
      ],
    ],
    auth: "key-or-token",
    scope: "send",
    lane: "platform",
    idempotent: true,
    about: ({ body }, { headers }) => {
      const messageId = messageIdIn(headers);
      return messageId === undefined ? { phone: phoneDigits(body.phone_number) ?? "" } : { messageId };
    },
    body,
    ownBusiness: "body.empresa_id",
    responses: {
      200: {
        description: "The platform accepted the message",
        schema: objectWith({ success: { const: true } }),
        headers: messageIdHeader,
      },
      400: { description: "A field is wrong, or the platform refused the message", schema: failure },
      404: { description: "No such business or template", schema: failure },
      409: { description: "Another agent has the chat", schema: failure },
      500: { description: "Unexpected failure, or an outcome that nobody knows yet", schema: failure },
    },
    dialect,
    handle: async ({ body, caller }) => {
      const platformMessageId = await sendTemplate.execute({
        businessId: caller.businessId,
        userId: userIn(caller),
        heldTo: heldTo(caller),
        phone: phoneDigits(body.phone_number) ?? "",
        templateId: body.plantilla_id,
        parameters: body.parameters,
        ...(body.name?.trim() ? { contactName: body.name.trim() } : {}),
        ...(body.media_url === undefined ? {} : { mediaUrl: body.media_url }),
      });
      return new Reply(200, { success: true }, messageIdHeaders(platformMessageId));
    },
  });
