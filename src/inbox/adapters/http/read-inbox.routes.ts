import {
  cursorField,
  limitField,
  limitOf,
  pageAnswer,
  pagedQuery,
  positionIn,
} from "../../../infra/http/routing/cursors.ts";
import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { type Infer, integer, numericIdOf, objectWith, optionalFields } from "../../../infra/http/routing/schema.ts";
import { chatChannels } from "../../../kernel/channels.ts";
import type { ChatFilter, InboxReads, OrdersOfChat } from "../../application/reading/ports.ts";
import { chatStates } from "../../domain/conversation.ts";
import { agentToWire, chatDetailsToWire, chatStateToWire, chatToWire, messageToWire } from "../wire/inbox-wire.ts";
import { common, failures, meeting, noChat, viewerOf } from "./inbox-dialect.ts";
import { agentSchema, chatDetailsSchema, chatSchema, chatState, messageSchema, pageOf } from "./inbox-schemas.ts";

const usualPage = 50;
const mostOrders = 5;
/** In characters. To find a longer name, a part of the name is enough. */
const longestSearch = 100;

export const readInboxRoutes = (inbox: InboxReads, orders: OrdersOfChat): Route[] => [
  chatsRoute(inbox),
  countsRoute(inbox),
  chatRoute(inbox, orders),
  messagesRoute(inbox),
  agentsRoute(inbox),
];

export const seeing = (number: string): Readonly<Record<string, string>> => ({
  [number]:
    "App Keys and administrators see every chat. Agents see chats by the feature flag `agents_see`. `own`: those assigned to " +
    "them. `department` (the default): also chats without an agent that wait for one of their departments or for none. " +
    "`all`: every chat. Everything else is answered as if it did not exist.",
});

const chatQuery = pagedQuery(usualPage, {
  estado: {
    type: "array",
    items: chatState,
    maxItems: chatStates.length,
    description: "Chats in any of these states; repeatable",
  },
  soporte: {
    type: "string",
    pattern: "^(me|none|[1-9][0-9]{0,15})$",
    description: "Chats of this agent: `me`, `none` or a user id",
  },
  departamento: { ...numericIdOf("department"), description: "Chats that wait, or last waited, for this department" },
  tag: { ...numericIdOf("tag"), description: "Chats with this tag" },
  anuncio: { type: "string", minLength: 1, maxLength: 512, description: "Chats whose customer last came from this ad" },
  no_leidos: { type: "boolean", description: "`true`: chats with unread messages; `false`: those without" },
  provider: { type: "string", enum: chatChannels },
  q: { type: "string", minLength: 1, maxLength: longestSearch, description: "Part of the contact's name or number" },
});

const chatsRoute = (inbox: Pick<InboxReads, "chats">): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/chats",
    operationId: "listChats",
    summary: "List chats, the newest message first",
    rules: {
      ...seeing("Inbox.1"),
      "Inbox.2":
        "Newest `ultimo_mensaje` first. `next` is the cursor of the next page, or null. No chat appears twice in a series of " +
        "pages; one that moves to the top meanwhile emits `inbox:reorder`. All given filters must match.",
      "Inbox.3":
        "Chats that were never in the inbox, for example if only a campaign wrote to them, are not listed here, but in " +
        "their contacts.",
      "Inbox.4": "`soporte=me` finds nothing for an App Key.",
    },
    query: chatQuery,
    responses: {
      200: { description: "A page of chats", schema: pageOf(chatSchema) },
      ...failures,
    },
    dialect: meeting(),
    lane: ({ q }) => (q === undefined ? undefined : "longReads"),
    cost: 2,
    handle: async (call) => {
      const { query, caller } = call;
      const viewer = viewerOf(caller);
      const after = query.cursor === undefined ? null : chatPosition(query.cursor);
      if (query.soporte === "me" && viewer.userId === null) return { data: [], next: null };
      const signal = query.q === undefined ? undefined : call.signal;
      const filter = filterOf(query, viewer.userId);
      const limit = limitOf(query.limit ?? usualPage);
      const found = await inbox.chats(viewer, filter, { after, limit, signal });
      return pageAnswer(
        found,
        limit,
        ({ chat }) => chatToWire(chat),
        ({ at, id }) => [at, id],
      );
    },
  });

function chatPosition(cursor: string) {
  const [at = 0, id = 0] = positionIn(cursor, 2);
  return { at, id };
}

function filterOf(query: Infer<typeof chatQuery>, userId: number | null): ChatFilter {
  return {
    states: query.estado ? chatStates.filter((state) => query.estado?.includes(chatStateToWire[state])) : null,
    agent: agentIn(query.soporte, userId),
    departmentId: query.departamento ?? null,
    tagId: query.tag ?? null,
    adId: query.anuncio ?? null,
    unread: query.no_leidos ?? null,
    provider: query.provider ?? null,
    text: query.q ?? null,
  };
}

function agentIn(asked: string | undefined, userId: number | null): ChatFilter["agent"] {
  if (asked === undefined) return null;
  if (asked === "none") return "none";
  if (asked === "me") return userId;
  const id = Number(asked);
  if (!Number.isSafeInteger(id)) throw new InvalidInput("soporte no es válido");
  return id;
}

const countsRoute = (inbox: Pick<InboxReads, "counts">): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/chats/counts",
    operationId: "countChats",
    summary: "Count the open chats that the caller sees",
    rules: {
      ...seeing("Inbox.5"),
      "Inbox.6":
        "Closed chats are not counted. `mine`: the caller's own; `unassigned`: chats without an agent; `unread`: chats with " +
        "unread messages. The figures are maintained on every change, so reading them costs the same for any number of " +
        "chats.",
    },
    responses: {
      200: {
        description: "The counts",
        schema: objectWith({
          mine: integer,
          unassigned: integer,
          unread: integer,
          by_estado: objectWith({ bot: integer, pendiente: integer, proceso: integer }),
        }),
      },
      ...failures,
    },
    dialect: meeting(),
    handle: async ({ caller }) => {
      const { mine, unassigned, unread, byState } = await inbox.counts(viewerOf(caller));
      const { bot, pending: pendiente, in_progress: proceso } = byState;
      return { mine, unassigned, unread, by_estado: { bot, pendiente, proceso } };
    },
  });

export const chatParams = objectWith({ id: numericIdOf("chat") });

const chatRoute = (inbox: Pick<InboxReads, "chat">, orders: OrdersOfChat): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/chats/:id",
    operationId: "getChat",
    summary: "Read a chat with its contact, conversations, tickets and orders",
    rules: {
      ...seeing("Inbox.7"),
      "Inbox.8":
        "Includes the whole contact, the 10 latest conversations, the open tickets, the 5 latest closed ones, the 5 latest " +
        "orders with their totals, and the ad that the customer last came from, in the platform's fields.",
    },
    params: chatParams,
    responses: {
      200: { description: "The chat", schema: chatDetailsSchema },
      404: noChat,
      ...failures,
    },
    dialect: meeting("chat_not_found"),
    handle: async ({ params, caller }) => {
      const [chat, latest] = await Promise.all([
        inbox.chat(viewerOf(caller), params.id),
        orders.latest(caller.businessId, params.id, mostOrders),
      ]);
      return chatDetailsToWire(chat, latest);
    },
  });

const messagesRoute = (inbox: Pick<InboxReads, "messages" | "messagesAfter">): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/chats/:id/messages",
    operationId: "listMessages",
    summary: "List the messages of a chat, newest first, or those after one, oldest first",
    rules: {
      ...seeing("Inbox.9"),
      "Inbox.10":
        "Newest first, by id. With `after`, messages with greater ids, oldest first, for clients that were away longer than " +
        "events are kept; `next` is then the cursor of the following messages. `after` and `cursor` may be combined.",
      "Inbox.11":
        "A reaction is part of its message. Notes (`nota`) are visible to agents only and were never sent. A message that " +
        "is being sent is listed once its outcome is known, in the place of its id, so an earlier place can fill later. A " +
        "client that was away should use `after` with the last message that is older than two minutes, and skip the ones " +
        "that it has.",
    },
    params: chatParams,
    query: optionalFields({
      cursor: cursorField,
      after: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "The id of a message" },
      limit: limitField(usualPage),
    }),
    responses: {
      200: { description: "A page of messages", schema: pageOf(messageSchema) },
      404: noChat,
      ...failures,
    },
    dialect: meeting("chat_not_found"),
    handle: async ({ params, query, caller }) => {
      const viewer = viewerOf(caller);
      const [position = null] = query.cursor === undefined ? [] : positionIn(query.cursor, 1);
      const limit = limitOf(query.limit ?? usualPage);
      const found =
        query.after === undefined
          ? await inbox.messages(viewer, params.id, { limit, after: position })
          : await inbox.messagesAfter(viewer, params.id, { limit, after: position ?? query.after });
      return pageAnswer(found, limit, messageToWire);
    },
  });

const agentsRoute = (inbox: Pick<InboxReads, "agents">): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/agents",
    operationId: "listAgents",
    summary: "List the active agents of the business, by name",
    rules: { "Inbox.12": "Active users with the role agent, 1,000 at most. `disponible` is the user's own setting." },
    responses: {
      200: { description: "The agents", schema: objectWith({ data: { type: "array", items: agentSchema } }) },
      ...failures,
    },
    dialect: meeting(),
    handle: async ({ caller }) => ({ data: (await inbox.agents(caller.businessId)).map(agentToWire) }),
  });
