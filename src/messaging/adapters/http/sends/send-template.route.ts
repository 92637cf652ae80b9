import { heldTo, userIn } from "../../../../infra/http/routing/caller.ts";
import { type Dialect, failed, type InvalidInput } from "../../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../../infra/http/routing/route.ts";
import { failure, numericIdOf, objectWith, phoneNumber, withOptional } from "../../../../infra/http/routing/schema.ts";
import { httpsUrl, plainUrl } from "../../../../infra/http/routing/web-urls.ts";
import { phoneDigits } from "../../../../kernel/text.ts";
import type { SendTemplate, SendTemplateFailure } from "../../../application/sends/send-template.ts";
import { messageIdHeader, messageIdHeaders, messageIdIn, parameters, uncertain, unreachable } from "./template-send.ts";

const rejected = "Error al enviar la plantilla";

const body = withOptional(
  objectWith({
    empresa_id: { ...numericIdOf("business"), "x-error": "empresa_id es requerido y debe ser un número" },
    // A text above the maximum length is no phone number. The error is the same as when the platform refuses a send.
    phone_number: { ...phoneNumber, "x-error": { ...phoneNumber["x-error"], maxLength: rejected } },
    plantilla_id: { ...numericIdOf("template"), "x-error": "plantilla_id es requerido y debe ser un número" },
  }),
  {
    parameters,
    name: { type: "string", maxLength: 200 },
    media_url: {
      type: "string",
      pattern: httpsUrl,
      "x-error": { type: "media_url debe ser un texto", pattern: "media_url debe ser una URL https" },
    },
  },
);

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
    rules: {
      "§2.1": "All fields are checked first, then that the business exists and has the template.",
      "§2.2": "Only the digits of the phone number count. If the business has no contact with it, one is created.",
      "§2.3": "If the contact has no open conversation, one is created in state `bot`, on the cloud business API.",
      "§2.4": "The message is stored in the conversation with its placeholders filled, in the business's name.",
      "§2.5": "`name` is used for a new contact only; without it the contact is named by the phone number.",
      "§2.6":
        "`media_url` replaces the header's media in this send. It must begin with https://, the template must have a media " +
        "header, and a HEAD request to the URL must be answered with 200. URLs inside our network are not requested.",
      "§2.7":
        "Named placeholders are filled in the order of the template's example. The platform checks the number of parameters " +
        "and refuses the message if it is wrong.",
      "§2.8":
        "A message is sent at most once. If the platform's answer is lost, the answer is a 500 and the message gets its state " +
        "from its delivery status; the caller decides whether to send again.",
      "§2.9":
        "With a session, its user sends the message. For an agent who is not in `agentes_permitidos`, the template does not " +
        "exist. A user who is not an administrator cannot send to a chat of another user: 409.",
    },
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
      500: { description: "Unexpected failure, or the outcome is not known yet", schema: failure },
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
        ...(body.media_url === undefined ? {} : { mediaUrl: plainUrl(body.media_url) }),
      });
      return new Reply(200, { success: true }, messageIdHeaders(platformMessageId));
    },
  });
