import { heldTo, userIn } from "../../../../infra/http/routing/caller.ts";
import type { Dialect, InvalidInput } from "../../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../../infra/http/routing/route.ts";
import { idOf, objectWith, text, withOptional } from "../../../../infra/http/routing/schema.ts";
import { instantOf } from "../../../../kernel/instants.ts";
import { phoneDigits } from "../../../../kernel/text.ts";
import type { SendToChat, SendToChatFailure } from "../../../application/sends/send-to-chat.ts";
import { messageIdHeader, messageIdHeaders, parameters, uncertain, unreachable } from "./template-send.ts";

const body = withOptional(
  objectWith({
    meta_id: {
      type: "string",
      pattern: "[0-9]",
      maxLength: 64,
      example: "59170000001",
      "x-error": { pattern: "meta_id es requerido" },
    },
    contacto_id: idOf("contact"),
    chat_id: idOf("chat"),
    empresa_id: idOf("business"),
    plantilla_id: idOf("template"),
  }),
  {
    parameters,
    user_id: idOf("user"),
    user_name: { type: "string", maxLength: 200 },
    // Clients define their own categories, so there is no table to check the id against.
    categoria_id: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    fecha: { type: "string", maxLength: 40 },
  },
);

const pending = "La plantilla aún no ha sido aprobada por meta. Espera unos segundos y vuelve a intentarlo.";

const failed = (error: string) => ({ status: "error", error });

const dialect: Dialect<InvalidInput | SendToChatFailure> = {
  invalid_input: (error) => [400, failed(error.message)],
  business_not_found: () => [403, { estatus: "error", error: "La empresa no existe" }],
  template_not_found: () => [403, { estatus: "error", error: "La plantilla no existe" }],
  not_approved: () => [400, { success: false, error: pending }],
  limit_reached: () => [400, failed("Limite de templates alcanzado")],
  send_refused: () => [400, failed("Error al enviar la plantilla")],
  platform_unreachable: () => [500, failed(unreachable)],
  send_uncertain: () => [500, failed(uncertain)],
  platform_unavailable: () => [500, failed(unreachable)],
  unexpected: () => [500, failed("Error: fallo inesperado")],
};

const failure = objectWith({ error: text });

/** §3 Send a template to a known chat (architecture send). */
export const sendToChatRoute = (sendToChat: SendToChat): Route =>
  defineRoute({
    method: "post",
    path: "/chats/enviar/mensaje/plantilla/arquitectura",
    operationId: "sendTemplateToChat",
    tag: "Messaging",
    summary: "Send an approved template to a chat, in an agent's name",
    rules: {
      "§3.1":
        "The order of the checks is: fields, business, template, approval, monthly limit. Then the message is sent.",
      "§3.2": "The platform is asked for the approval state at each send; every state except APPROVED is refused.",
      "§3.3":
        "The business's monthly limit is exact, even for parallel requests. Messages that the platform refuses do not count. " +
        "The month is the calendar month in the business's time zone.",
      "§3.4":
        "The message is sent by the chat's channel; a template of ProviderB by ProviderB, if the contact has a number. A " +
        "channel without templates gets the rendered text, which needs as many parameters as the template has.",
      "§3.5": "After the send, a conversation in `pendiente` becomes `proceso`.",
      "§3.6": "If the chat, contact or user is not the business's, the send is refused.",
      "§3.7":
        "A message is sent at most once. If the platform's answer is lost, the message gets its state from its delivery status.",
      "§3.9":
        "With a session, its user sends the message, and `user_id` and `user_name` are ignored. A chat that an agent may not " +
        "see counts as missing.",
      "§3.8": "If `user_id` is an agent who is not in `agentes_permitidos`, the template does not exist.",
    },
    auth: "key-or-token",
    scope: "send",
    lane: "platform",
    body,
    ownBusiness: "body.empresa_id",
    // A text that is a date in one time zone is a date in every zone, so any zone will do here.
    complaint: ({ body: { fecha } }) =>
      fecha === undefined || instantOf(fecha, "UTC") ? undefined : "fecha debe ser una fecha ISO 8601",
    idempotent: true,
    about: ({ body }) => ({ chatId: body.chat_id }),
    responses: {
      200: {
        description: "The platform accepted the message",
        headers: messageIdHeader,
        schema: objectWith({ status: { const: "success" } }),
      },
      400: { description: "A field is wrong, not approved, over the limit, or refused", schema: failure },
      403: { description: "No such business or template", schema: failure },
      500: { description: "Unexpected failure, or the outcome is not known yet", schema: failure },
    },
    dialect,
    handle: async ({ body, caller }) => {
      const ownId = userIn(caller);
      const id = await sendToChat.execute({
        businessId: caller.businessId,
        to: phoneDigits(body.meta_id) ?? "",
        contactId: body.contacto_id,
        chatId: body.chat_id,
        templateId: body.plantilla_id,
        parameters: body.parameters,
        userId: ownId ?? body.user_id ?? null,
        userName: ownId === null ? body.user_name?.trim() || null : null,
        seenBy: heldTo(caller),
        categoryId: body.categoria_id ?? null,
        date: body.fecha ?? null,
      });
      return new Reply(200, { status: "success" }, messageIdHeaders(id));
    },
  });
