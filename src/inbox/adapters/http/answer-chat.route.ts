import { coded, type Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, type Infer, idOf, optionalFields } from "../../../infra/http/routing/schema.ts";
import { plainUrl } from "../../../infra/http/routing/web-urls.ts";
import type { Answer, AnswerChat, AnswerFailure } from "../../application/acting/answer-chat.ts";
import { messageToWire } from "../wire/inbox-wire.ts";
import { longestText } from "./channel-limits.ts";
import { changing, chatTaken, failures, meeting, viewerOf } from "./inbox-dialect.ts";
import { messageSchema } from "./inbox-schemas.ts";
import { chatParams, seeing } from "./read-inbox.routes.ts";

const longestUrl = 2_048;
const mostParameters = 100;
const longestParameter = 1_024;

const message = optionalFields({
  texto: { type: "string", minLength: 1, maxLength: longestText, pattern: "\\S" },
  media_url: { type: "string", minLength: 1, maxLength: longestUrl, description: "An https address of a file" },
  plantilla_id: idOf("template"),
  parameters: {
    type: "array",
    maxItems: mostParameters,
    items: { type: "string", maxLength: longestParameter },
  },
  respuesta_rapida_id: idOf("quick-reply"),
  nota: { type: "string", minLength: 1, maxLength: longestText, pattern: "\\S" },
  responde_a: { ...idOf("message"), description: "A message of the same chat" },
});

const answerDialect: Dialect<InvalidInput | AnswerFailure> = {
  ...meeting("chat_not_found", "message_not_found", "chat_taken", "contact_erased"),
  window_closed: ({ hasTemplates }) => [
    409,
    coded(
      "window_closed",
      hasTemplates
        ? "Pasaron más de 24 horas desde el último mensaje del cliente: solo se puede enviar una plantilla (plantilla_id)"
        : "Pasaron más de 24 horas desde el último mensaje del cliente: en este canal solo se le puede escribir cuando vuelva a escribir",
    ),
  ],
  quick_reply_not_found: () => [404, coded("quick_reply_not_found", "La respuesta rápida no existe")],
  quick_reply_empty: () => [
    409,
    coded("quick_reply_empty", "La respuesta rápida queda vacía: del contacto no se sabe lo que nombra"),
  ],
  text_too_long: ({ limit: { length, unit }, isTyped }) => [
    400,
    coded(
      "text_too_long",
      `${isTyped ? "texto" : "El texto del mensaje"} es demasiado largo para este canal, que admite ${length} ` +
        `${unit === "bytes" ? "bytes" : "caracteres"}, enlaces incluidos`,
    ),
  ],
  business_not_found: () => [404, coded("chat_not_found", "El chat no existe")],
  template_not_found: () => [404, coded("template_not_found", "La plantilla no existe")],
  not_approved: () => [409, coded("template_not_approved", "La plantilla aún no ha sido aprobada")],
  limit_reached: () => [409, coded("limit_reached", "Se alcanzó el límite mensual de plantillas")],
  no_media_header: () => [400, coded("no_media_header", "La plantilla no lleva media_url")],
  media_not_accessible: () => [400, coded("media_not_accessible", "media_url no es accesible")],
  send_refused: () => [400, coded("send_refused", "La plantilla no se puede enviar a este chat")],
  platform_unavailable: () => [502, coded("platform_unavailable", "La plataforma no respondió")],
};

export const answerChatRoute = (answers: Pick<AnswerChat, "execute">): Route =>
  defineRoute({
    ...changing,
    method: "post",
    path: "/chats/:id/messages",
    operationId: "answerChat",
    summary: "Write into a chat: a text, a file, a template, a quick reply or an internal note",
    rules: {
      ...seeing("Inbox.20"),
      "Inbox.21":
        "Exactly one kind: `texto`, `media_url` (`texto` is optional), `plantilla_id` (with `parameters`, and `media_url` " +
        "for its header), `respuesta_rapida_id` or `nota`. `responde_a` makes it a reply to a message of the same chat. " +
        "`media_url` with `texto` is a file with a caption; on page and photo channels, which have no captions, and for " +
        "voice and audio on every channel, the customer gets one text with a link to the file below it.",
      "Inbox.22":
        "The answer is 201 with the message in its present state: `sent`, `failed` with the reason, or `unknown`, which a " +
        "delivery status will settle. It is sent at most once. Later states arrive as `message:status`. A failed message " +
        "stays in the chat and in its row (`chat:changed`), but does not move the chat to the top.",
      "Inbox.23":
        "An agent who answers in a chat that has no agent or is not in progress takes it, even if the send fails: " +
        "conversation and open tickets are in `proceso`. A closed chat gets a new conversation. If another agent has the " +
        "chat, agents get 409 `chat_taken`; administrators and App Keys may write, and the chat keeps its agent.",
      "Inbox.24":
        "Texts and files are sent only within the channel's service window, 24 hours after the customer's last message; " +
        "later they get 409 `window_closed`, and only a template can be sent. Pages and photo accounts have no templates: " +
        "there a template also gets 409 until the customer writes again.",
      "Inbox.25":
        "The rules of sending a template to a chat apply: approval (§3.2), the monthly limit (§3.3), the agents who may " +
        "use it (§3.8).",
      "Inbox.54":
        "A quick reply's `{{contacto.nombre}}`, `{{contacto.numero}}`, `{{contacto.<campo>}}`, `{{agente.nombre}}` (the " +
        "user who answers) and `{{negocio.nombre}}` are filled in; unknown values are empty. If the whole text is empty " +
        "then, the answer is 409 `quick_reply_empty`.",
      "Inbox.55":
        "Channels accept texts of different lengths: 4096 characters on the cloud channel, 1600 at provider-b, 2000 on " +
        "pages, and 1000 bytes of UTF-8 on photo accounts. A longer text is 400 `text_too_long`, and nothing is stored. " +
        "The link of a file that is sent below its text counts.",
      "Inbox.26": "A note is stored and shown to agents. It is never sent, and does not take the chat.",
      "Inbox.53": "The chat of an erased contact accepts no messages and no notes: 409 `contact_erased`.",
      "Inbox.27": "The author is the user of the session, or the business for an App Key.",
    },
    params: chatParams,
    body: message,
    idempotent: true,
    about: ({ params }) => ({ chatId: params.id }),
    lane: "platform",
    responses: {
      201: { description: "The message", schema: messageSchema },
      404: { description: "No such chat, message, template or quick reply", schema: codedFailure },
      409: {
        description:
          "Another agent has the chat, its service window is over, its contact was erased, or the template may not be sent",
        schema: { anyOf: [chatTaken, codedFailure] },
      },
      502: { description: "The platform did not say whether the template is approved", schema: codedFailure },
      ...failures,
      400: { description: "A field is missing or wrong, or the file or template cannot be sent", schema: codedFailure },
    },
    dialect: answerDialect,
    handle: async ({ params, body, caller }) => {
      const sent = await answers.execute(viewerOf(caller), {
        chatId: params.id,
        answer: answerIn(body),
        replyToId: body.responde_a ?? null,
      });
      return new Reply(201, messageToWire(sent));
    },
  });

function answerIn(body: Infer<typeof message>): Answer {
  const { texto, plantilla_id: templateId, respuesta_rapida_id: quickReplyId, nota } = body;
  const url = body.media_url && plainUrl(body.media_url);
  const alone = [templateId, quickReplyId, nota].filter((each) => each !== undefined);
  const isMixed = alone.length > 1 || (alone.length === 1 && texto !== undefined);
  if (isMixed) throw new InvalidInput("texto, plantilla_id, respuesta_rapida_id y nota no van juntos");
  if (url !== undefined && (quickReplyId !== undefined || nota !== undefined)) {
    throw new InvalidInput("media_url no va junto con respuesta_rapida_id ni con nota");
  }
  if (nota !== undefined) return { kind: "note", text: nota };
  if (quickReplyId !== undefined) return { kind: "quick-reply", quickReplyId };
  if (templateId !== undefined) {
    const { parameters = [] } = body;
    return { kind: "template", templateId, parameters, ...(url === undefined ? {} : { mediaUrl: url }) };
  }
  if (url !== undefined) return { kind: "media", url, text: texto ?? "" };
  if (texto !== undefined) return { kind: "text", text: texto };
  throw new InvalidInput("texto, media_url, plantilla_id, respuesta_rapida_id o nota es requerido");
}
