import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, idOf, numericIdOf, objectWith, withOptional } from "../../../infra/http/routing/schema.ts";
import type { ActOnChats, Transfer } from "../../application/acting/act-on-chats.ts";
import type { ChatView } from "../../application/events.ts";
import { type TicketEnd, ticketEnds } from "../../domain/ticket.ts";
import { chatToWire, ticketStateToWire } from "../wire/inbox-wire.ts";
import { changing, chatTaken, failures, forbidden, meeting, noChat, viewerOf } from "./inbox-dialect.ts";
import { chatSchema } from "./inbox-schemas.ts";
import { chatParams, seeing } from "./read-inbox.routes.ts";

const longestReason = 1_000;

const taken = {
  description: "Another agent has the chat, or its contact was erased",
  schema: { anyOf: [chatTaken, codedFailure] },
};
const erased = { description: "The chat's contact was erased", schema: codedFailure };

const changedChat = { description: "The chat", schema: chatSchema };

export const actOnChatsRoutes = (acts: ActOnChats): Route[] => [
  readRoute(acts),
  takeRoute(acts),
  assignRoute(acts),
  closeRoute(acts),
  botRoute(acts),
  tagRoute(acts, "put"),
  tagRoute(acts, "delete"),
];

const acting = { ...changing, params: chatParams } as const;

const chatAnswers = { 200: changedChat, 404: noChat, ...failures } as const;

const readRoute = (acts: Pick<ActOnChats, "read">): Route =>
  defineRoute({
    ...acting,
    method: "post",
    path: "/chats/:id/read",
    operationId: "readChat",
    summary: "Mark a chat as read up to a message, for the whole business",
    rules: {
      ...seeing("Inbox.30"),
      "Inbox.31":
        "`no_leidos` counts the customer's messages after it. The mark never moves back. A message of another chat is " +
        "treated as missing.",
      "Inbox.32":
        "The platform gets a read receipt for the last customer message that became read, if the channel has receipts.",
    },
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
    rules: {
      ...seeing("Inbox.33"),
      "Inbox.34":
        "The chat becomes the caller's, its conversation and open tickets are in `proceso`, and the bot is off. If several " +
        "agents take it at once, one gets it; the others get 409 `chat_taken` with its agent. Taking one's own chat is a 200.",
      "Inbox.35": "Only for users: an App Key gets 403.",
      "Inbox.56": "The chat of an erased contact cannot be taken: 409 `contact_erased`.",
    },
    responses: { ...chatAnswers, 403: forbidden, 409: taken },
    dialect: meeting("chat_not_found", "chat_taken", "contact_erased", "forbidden"),
    handle: ({ params, caller }) => wire(acts.take(viewerOf(caller), params.id)),
  });

const assignRoute = (acts: Pick<ActOnChats, "transfer">): Route =>
  defineRoute({
    ...acting,
    method: "post",
    path: "/chats/:id/assign",
    operationId: "assignChat",
    summary: "Hand a chat to an agent, to a department or back to the waiting line",
    rules: {
      ...seeing("Inbox.36"),
      "Inbox.37":
        "Allowed for administrators, App Keys and the agent who has the chat; others get 403 `forbidden`. Open tickets move " +
        "with the chat: while it has no agent, they have none either. A ticket keeps its step's department when the chat " +
        "goes to another one.",
      "Inbox.38":
        "With an agent (`soporte_id`), conversation and open tickets are in `proceso`. With `soporte_id: null`, the chat is " +
        "`pendiente` and has no agent; a closed chat stays as it is.",
      "Inbox.50":
        "For a department (`departamento_id`) the rule of tickets applies (§5.3), and open chats without a ticket count like " +
        "tickets. The chat goes to the available agent with the smallest sum; on a tie, to the one whose last assignment " +
        "is the oldest. The present agent gets it only if no other agent of the department is available.",
      "Inbox.51":
        "If no agent is available, the chat is `pendiente`, has no agent, and waits in the department's line. The line is " +
        "assigned by the same rule as soon as an agent is available, the oldest chat first. Handing a waiting chat to the " +
        "same department again changes nothing: it keeps its place.",
      "Inbox.57":
        "The chat of an erased contact stays with its agent, who can close it; handing it over is 409 `contact_erased`. If " +
        "the agent leaves, it has no agent and waits in no line.",
    },
    body: {
      type: "object",
      properties: {
        soporte_id: { ...idOf("user"), type: ["integer", "null"] },
        departamento_id: idOf("department"),
      },
    } as const,
    responses: { ...chatAnswers, 403: forbidden, 409: erased },
    dialect: meeting("chat_not_found", "forbidden", "contact_erased", "agent_not_found", "department_not_found"),
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

const ends = Object.fromEntries(ticketEnds.map((end) => [ticketStateToWire[end], end])) as Readonly<
  Record<string, TicketEnd>
>;

const closeRoute = (acts: Pick<ActOnChats, "close">): Route =>
  defineRoute({
    ...acting,
    method: "post",
    path: "/chats/:id/close",
    operationId: "closeChat",
    summary: "Close a chat's conversation and its open tickets",
    rules: {
      ...seeing("Inbox.39"),
      "Inbox.52":
        "Allowed for administrators, App Keys and the agent who has the chat; a chat without an agent may be closed by every " +
        "agent who sees it. Others get 403 `forbidden`.",
      "Inbox.40":
        "The tickets end with the state in `ticket`; `motivo` is shown in the conversation. The chat stays with its agent " +
        "until the customer writes again, which begins a conversation in state `bot`. A closed chat stays as it is.",
    },
    body: withOptional(objectWith({ ticket: { type: "string", enum: Object.keys(ends) } }), {
      motivo: { type: "string", minLength: 1, maxLength: longestReason },
    }),
    responses: { ...chatAnswers, 403: forbidden },
    dialect: meeting("chat_not_found", "forbidden"),
    handle: ({ params, body, caller }) =>
      wire(acts.close(viewerOf(caller), params.id, ends[body.ticket] ?? "completed", body.motivo ?? null)),
  });

const botRoute = (acts: Pick<ActOnChats, "setBot">): Route =>
  defineRoute({
    ...acting,
    method: "post",
    path: "/chats/:id/bot",
    operationId: "setBot",
    summary: "Switch the bot on or off for a chat",
    rules: { ...seeing("Inbox.41"), "Inbox.42": "The state of the conversation does not change." },
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
    rules: {
      ...seeing(isOn ? "Inbox.43" : "Inbox.45"),
      ...(isOn
        ? { "Inbox.44": "A tag that the chat did not have is recorded in the funnel, like the tags of a step." }
        : { "Inbox.46": "Removing a tag that the chat does not have succeeds." }),
    },
    params: objectWith({ id: numericIdOf("chat"), tag_id: numericIdOf("tag") }),
    responses: { ...chatAnswers, 404: { description: "No such chat or tag", schema: codedFailure } },
    dialect: meeting("chat_not_found", "tag_not_found"),
    handle: ({ params, caller }) => wire(acts.tag(viewerOf(caller), params.id, params.tag_id, isOn)),
  });
};

const wire = async (chat: Promise<ChatView>) => chatToWire(await chat);
