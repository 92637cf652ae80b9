import { heldTo, userIn } from "../../../../infra/http/routing/caller.ts";
import type { Dialect, InvalidInput } from "../../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../../infra/http/routing/route.ts";
import { idOf, objectWith, type Schema, text } from "../../../../infra/http/routing/schema.ts";
import { instantOf } from "../../../../kernel/instants.ts";
import { phoneDigits } from "../../../../kernel/text.ts";
import type { SendToChat, SendToChatFailure } from "../../../application/sends/send-to-chat.ts";
import { messageIdHeader, messageIdHeaders, parameters, uncertain, unreachable } from "./template-send.ts";

const body = {
  type: "object",
  required: ["meta_id", "contacto_id", "chat_id", "empresa_id", "plantilla_id"],
  properties: {
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
    parameters,
    user_id: idOf("user"),
    user_name: { type: "string", maxLength: 200 },
    // Categories are the client's own: there is no table of them to look into.
    categoria_id: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    fecha: { type: "string", maxLength: 40 },
  },
} as const satisfies Schema;

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
    rules: [
      ["§3.1", "It is checked in this order: fields, business, template, approval, monthly limit; then it is sent."],
      ["§3.2", "Approval is asked of the platform with each send; everything but APPROVED is refused."],
      [
        "§3.3",
        "The business's monthly limit holds exactly, however many send at once. What the platform refuses does not " +
          "count. The month is the calendar's in the business's time zone.",
      ],
      [
        "§3.4",
        "It goes out on the chat's channel, a template of ProviderB on that one. A channel that knows no templates gets " +
          "the rendered text, and only with as many parameters as the template has.",
      ],
      ["§3.5", "Once it is sent, a conversation in `pendiente` is in `proceso`."],
      ["§3.6", "A chat, contact or user that is not the business's makes it a refused send."],
      ["§3.7", "A message is sent at most once. Where the answer is lost, its delivery status settles it."],
      [
        "§3.9",
        "A session's own user sends it, whatever `user_id` and `user_name` say. A chat that an agent may not see is one " +
          "that is not the business's.",
      ],
      ["§3.8", "With the `user_id` of an agent whom `agentes_permitidos` does not name, the template does not exist."],
    ],
    auth: "key-or-token",
    lane: "platform",
    body,
    ownBusiness: "body.empresa_id",
    // Whether a text is a date depends on no zone.
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
      500: { description: "Unexpected failure, or an outcome that nobody knows yet", schema: failure },
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
