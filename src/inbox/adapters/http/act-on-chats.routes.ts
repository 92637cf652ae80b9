import { coded, type Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, idOf, integer, numericIdOf, objectWith, text } from "../../../infra/http/routing/schema.ts";
import { administratorRole } from "../../../kernel/ids.ts";
import type { ActOnChats, Transfer } from "../../application/acting/act-on-chats.ts";
import type { Answer, AnswerChat, AnswerFailure } from "../../application/acting/answer-chat.ts";
import type { Availability, OwnView } from "../../application/acting/availability.ts";
import type { ChatView } from "../../application/events.ts";
import { Forbidden } from "../../domain/acting.ts";
import { type TicketEnd, ticketEnds } from "../../domain/ticket.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { chatToWire, messageToWire, namedToWire, ticketStates } from "../wire/inbox-wire.ts";
import { common, failures, meeting, noChat, viewerOf } from "./inbox-dialect.ts";
import { chatSchema, messageSchema, namedSchema } from "./inbox-schemas.ts";
import { chatParams, seeing } from "./read-inbox.routes.ts";

/** Characters of a text: what every channel takes. */
const longestText = 4_096;
const longestUrl = 2_048;
const mostParameters = 100;
const longestParameter = 1_024;
const longestReason = 1_000;

const chatTaken = objectWith({ error: text, code: { const: "chat_taken" }, soporte: namedSchema });
const taken = { description: "Another agent has the chat", schema: chatTaken };
const forbidden = { description: "The caller may not do that", schema: codedFailure };

const changedChat = { description: "The chat", schema: chatSchema };

/** What people do with a chat. */
export const actOnChatsRoutes = (acts: ActOnChats, answers: AnswerChat, availability: Availability): Route[] => [
  answerRoute(answers),
  readRoute(acts),
  takeRoute(acts),
  assignRoute(acts),
  closeRoute(acts),
  botRoute(acts),
  tagRoute(acts, "put"),
  tagRoute(acts, "delete"),
  ownRoute(availability),
  availableRoute(availability),
];

const message = {
  type: "object",
  properties: {
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
  },
} as const;

const answerDialect: Dialect<InvalidInput | AnswerFailure> = {
  ...meeting("chat_not_found", "message_not_found", "chat_taken"),
  window_closed: () => [
    409,
    coded(
      "window_closed",
      "Pasaron más de 24 horas desde el último mensaje del cliente: solo se puede enviar una plantilla (plantilla_id)",
    ),
  ],
  contact_erased: () => [409, coded("contact_erased", "Los datos del contacto fueron borrados")],
  quick_reply_not_found: () => [404, coded("quick_reply_not_found", "La respuesta rápida no existe")],
  business_not_found: () => [404, coded("chat_not_found", "El chat no existe")],
  template_not_found: () => [404, coded("template_not_found", "La plantilla no existe")],
  not_approved: () => [409, coded("template_not_approved", "La plantilla aún no ha sido aprobada")],
  limit_reached: () => [409, coded("limit_reached", "Se alcanzó el límite mensual de plantillas")],
  no_media_header: () => [400, coded("no_media_header", "La plantilla no lleva media_url")],
  media_not_accessible: () => [400, coded("media_not_accessible", "media_url no es accesible")],
  send_refused: () => [400, coded("send_refused", "La plantilla no se puede enviar a este chat")],
  platform_unavailable: () => [502, coded("platform_unavailable", "La plataforma no respondió")],
};

const answerRoute = (answers: Pick<AnswerChat, "execute">): Route =>
  defineRoute({
    ...common,
    method: "post",
    path: "/chats/:id/messages",
    operationId: "answerChat",
    summary: "Write into a chat: a text, a file, a template, a quick reply or an internal note",
    rules: [
      seeing("Inbox.20"),
      [
        "Inbox.21",
        "One of `texto`, `media_url` (with or without `texto`), `plantilla_id` (with `parameters`, and `media_url` for its " +
          "header), `respuesta_rapida_id` or `nota`. `responde_a` makes it an answer to a message of the same chat.",
      ],
      [
        "Inbox.22",
        "The answer is 201 with the message, whatever became of it: `sent`, `failed` with the reason, or `unknown`, which " +
          "its delivery status settles. It is sent at most once. Later news are told by `message:status`.",
      ],
      [
        "Inbox.23",
        "An agent who answers in a chat that no agent has in hand takes it with that: its conversation and its open " +
          "tickets are in `proceso`. In a closed chat a conversation is opened. A chat that another agent has is a 409 " +
          "`chat_taken` for agents; administrators and App Keys may write into it, and it stays whose it is.",
      ],
      [
        "Inbox.24",
        "A text or a file reaches the customer only within the service window of the channel, 24 hours after their last " +
          "message; later it is a 409 `window_closed`, and a template is the way out.",
      ],
      [
        "Inbox.25",
        "A template obeys the rules of sending one to a chat: approval (§3.2), the monthly limit (§3.3), the agents that " +
          "it is allowed to (§3.8).",
      ],
      ["Inbox.26", "A note is kept and told to agents. It is never sent, and takes nothing over."],
      ["Inbox.27", "The author is the user of the session, or the business for an App Key."],
    ],
    params: chatParams,
    body: message,
    idempotent: true,
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

interface AnswerBody {
  readonly texto?: string;
  readonly media_url?: string;
  readonly plantilla_id?: number;
  readonly parameters?: readonly string[];
  readonly respuesta_rapida_id?: number;
  readonly nota?: string;
}

function answerIn(body: AnswerBody): Answer {
  const { texto, media_url: url, plantilla_id: templateId, respuesta_rapida_id: quickReplyId, nota } = body;
  const alone = [templateId, quickReplyId, nota].filter((each) => each !== undefined);
  const isMixed =
    alone.length > 1 ||
    (alone.length === 1 && texto !== undefined) ||
    (url !== undefined && (quickReplyId !== undefined || nota !== undefined));
  if (isMixed) throw new InvalidInput("texto, plantilla_id, respuesta_rapida_id y nota no van juntos");
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

const acting = { ...common, params: chatParams } as const;

const chatAnswers = { 200: changedChat, 404: noChat, ...failures } as const;

const readRoute = (acts: Pick<ActOnChats, "read">): Route =>
  defineRoute({
    ...acting,
    method: "post",
    path: "/chats/:id/read",
    operationId: "readChat",
    summary: "Mark a chat as read up to a message, for the whole business",
    rules: [
      seeing("Inbox.30"),
      [
        "Inbox.31",
        "`no_leidos` counts the customer's messages after it. The mark never moves back. A message of another chat is " +
          "one that does not exist.",
      ],
      [
        "Inbox.32",
        "The platform is told once of the last of the customer's messages that were read with this, where it can.",
      ],
    ],
    body: objectWith({ hasta: idOf("message") }),
    responses: chatAnswers,
    dialect: meeting("chat_not_found", "message_not_found"),
    handle: ({ params, body, caller }) => wire(acts.read(viewerOf(caller), params.id, body.hasta)),
  });

const takeRoute = (acts: Pick<ActOnChats, "take">): Route =>
  defineRoute({
    ...acting,
    method: "post",
    path: "/chats/:id/take",
    operationId: "takeChat",
    summary: "Take a chat that no agent has",
    rules: [
      seeing("Inbox.33"),
      [
        "Inbox.34",
        "It is the caller's then, its conversation and open tickets are in `proceso`, and the bot leaves it. Of many who " +
          "do so at once exactly one gets it: the others get a 409 `chat_taken` that names who has it. One's own chat is a 200.",
      ],
      ["Inbox.35", "An App Key is nobody who could attend a chat: 403."],
    ],
    responses: { ...chatAnswers, 403: forbidden, 409: taken },
    dialect: meeting("chat_not_found", "chat_taken", "forbidden"),
    handle: ({ params, caller }) => wire(acts.take(viewerOf(caller), params.id)),
  });

const assignRoute = (acts: Pick<ActOnChats, "transfer">): Route =>
  defineRoute({
    ...acting,
    method: "post",
    path: "/chats/:id/assign",
    operationId: "assignChat",
    summary: "Hand a chat to an agent, to a department or back to those that wait",
    rules: [
      seeing("Inbox.36"),
      [
        "Inbox.37",
        "For administrators, App Keys and the agent who has the chat; for others 403. Its open tickets go along.",
      ],
      [
        "Inbox.38",
        "To an agent (`soporte_id`): conversation and open tickets are in `proceso`. To a department (`departamento_id`): " +
          "to its available agent with the fewest open tickets, of several the one assigned longest ago (§5.3); with " +
          "nobody available the chat is `pendiente`, with nobody, and gets an agent when one is available. To nobody " +
          "(`soporte_id: null`): `pendiente`.",
      ],
    ],
    body: {
      type: "object",
      properties: {
        soporte_id: { ...idOf("user"), type: ["integer", "null"] },
        departamento_id: idOf("department"),
      },
    } as const,
    responses: { ...chatAnswers, 403: forbidden },
    dialect: meeting("chat_not_found", "forbidden", "agent_not_found", "department_not_found"),
    handle: ({ params, body, caller }) => wire(acts.transfer(viewerOf(caller), params.id, transferIn(body))),
  });

function transferIn(body: { readonly soporte_id?: number | null; readonly departamento_id?: number }): Transfer {
  const { soporte_id: agentId, departamento_id: departmentId } = body;
  if (agentId !== undefined && departmentId !== undefined) {
    throw new InvalidInput("soporte_id y departamento_id no van juntos");
  }
  if (departmentId !== undefined) return { departmentId };
  if (agentId !== undefined) return { agentId };
  throw new InvalidInput("soporte_id o departamento_id es requerido");
}

const ends = Object.fromEntries(ticketEnds.map((end) => [ticketStates[end], end])) as Readonly<
  Record<string, TicketEnd>
>;

const closeRoute = (acts: Pick<ActOnChats, "close">): Route =>
  defineRoute({
    ...acting,
    method: "post",
    path: "/chats/:id/close",
    operationId: "closeChat",
    summary: "Close a chat's conversation and its open tickets",
    rules: [
      seeing("Inbox.39"),
      [
        "Inbox.40",
        "The tickets end as `ticket` says. The chat stays with its agent until the customer writes again: that begins a " +
          "new conversation in state `bot`. A chat that is closed already stays as it is.",
      ],
    ],
    body: {
      type: "object",
      required: ["ticket"],
      properties: {
        ticket: { type: "string", enum: Object.keys(ends) },
        motivo: { type: "string", minLength: 1, maxLength: longestReason },
      },
    } as const,
    responses: chatAnswers,
    dialect: meeting("chat_not_found"),
    handle: ({ params, body, caller }) =>
      wire(acts.close(viewerOf(caller), params.id, ends[body.ticket] ?? "completed", body.motivo ?? null)),
  });

const botRoute = (acts: Pick<ActOnChats, "setBot">): Route =>
  defineRoute({
    ...acting,
    method: "post",
    path: "/chats/:id/bot",
    operationId: "setBot",
    summary: "Say whether the bot attends a chat",
    rules: [seeing("Inbox.41"), ["Inbox.42", "The state of the conversation stays as it is."]],
    body: objectWith({ disponible: { type: "boolean" } }),
    responses: chatAnswers,
    dialect: meeting("chat_not_found"),
    handle: ({ params, body, caller }) => wire(acts.setBot(viewerOf(caller), params.id, body.disponible)),
  });

const tagRoute = (acts: Pick<ActOnChats, "tag">, method: "put" | "delete"): Route => {
  const isOn = method === "put";
  return defineRoute({
    ...acting,
    method,
    path: "/chats/:id/tags/:tag_id",
    operationId: isOn ? "tagChat" : "untagChat",
    summary: isOn ? "Put a tag on a chat" : "Take a tag off a chat",
    rules: [
      seeing(isOn ? "Inbox.43" : "Inbox.45"),
      isOn
        ? ["Inbox.44", "A tag that is put on for the first time counts in the funnel, as the tags of a step do."]
        : ["Inbox.46", "A tag that the chat does not have is no error."],
    ],
    params: objectWith({ id: numericIdOf("chat"), tag_id: numericIdOf("tag") }),
    responses: { ...chatAnswers, 404: { description: "No such chat or tag", schema: codedFailure } },
    dialect: meeting("chat_not_found", "tag_not_found"),
    handle: ({ params, caller }) => wire(acts.tag(viewerOf(caller), params.id, params.tag_id, isOn)),
  });
};

const own = objectWith({
  id: integer,
  nombre: text,
  role_id: integer,
  administrador: { type: "boolean" },
  disponible: { type: "boolean" },
  empresa: namedSchema,
  flags: { type: "object" },
  departamentos: { type: "array", items: namedSchema },
});

const ownToWire = ({ id, name, roleId, available, business, flags, departments }: OwnView) => ({
  id,
  nombre: name,
  role_id: roleId,
  administrador: roleId === administratorRole,
  disponible: available,
  empresa: namedToWire(business),
  flags,
  departamentos: departments.map(namedToWire),
});

const ownAnswers = { 200: { description: "The user", schema: own }, 403: forbidden, ...failures } as const;

const ownRoute = (availability: Pick<Availability, "own">): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/me",
    operationId: "getOwn",
    summary: "Read what the business knows of the user who asks",
    rules: [["Inbox.47", "For users; an App Key is none: 403. `flags` are the business's feature flags."]],
    responses: ownAnswers,
    dialect: meeting("forbidden"),
    handle: async ({ caller }) => ownToWire(await availability.own(caller.businessId, userOf(viewerOf(caller)))),
  });

const availableRoute = (availability: Pick<Availability, "set">): Route =>
  defineRoute({
    ...common,
    method: "put",
    path: "/me/available",
    operationId: "setAvailable",
    summary: "Say whether one takes what is given out",
    rules: [
      [
        "Inbox.48",
        "Who goes away keeps their chats and tickets. Who comes back gets what waits for them, the oldest first, before the answer.",
      ],
      ["Inbox.49", "For users; an App Key is none: 403. Told by `agent:changed`."],
    ],
    body: objectWith({ disponible: { type: "boolean" } }),
    responses: ownAnswers,
    dialect: meeting("forbidden"),
    handle: async ({ body, caller }) =>
      ownToWire(await availability.set(caller.businessId, userOf(viewerOf(caller)), body.disponible)),
  });

function userOf({ userId }: Viewer): number {
  if (userId === null) throw new Forbidden("a key is no user");
  return userId;
}

const wire = async (chat: Promise<ChatView>) => chatToWire(await chat);
