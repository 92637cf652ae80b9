import { PostgresInboxReads } from "../../src/inbox/adapters/postgres/reading/inbox-reads.ts";
import { listChatsCall } from "../../src/inbox/adapters/postgres/reading/list-chats-sql.ts";
import { chatToWire, messageToWire } from "../../src/inbox/adapters/wire/inbox-wire.ts";
import type { ChatView, MessageView } from "../../src/inbox/application/events.ts";
import type { ChatFilter, PageAsked } from "../../src/inbox/application/reading/ports.ts";
import { cursorOf } from "../../src/infra/http/routing/cursors.ts";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import { request } from "../support/http.ts";
import { type BareHandler, statementsOf } from "./bare.ts";
import type { Bench } from "./bench.ts";
import { belowAim, type ContestResult, contest, contestTable } from "./contest.ts";
import { inboxBusinesses, loadInboxes, type Sizes } from "./inbox-data.ts";
import type { Shot } from "./load.ts";

const aim = 0.7;
const businessId = 1;
const sizes: Sizes = { [businessId]: 20_000 };
const rows = 15;
const chatId = 10_000;

const paths = {
  "page of chats": `/chats?limit=${rows}`,
  counts: "/chats/counts",
  "page of a thread": `/chats/${chatId}/messages?limit=${rows}`,
};

/** The most frequent requests of an agent's page, compared with bare handlers that run the same statements. */
const bench: Bench = {
  about: "a page of chats, counts and a thread against their bare statements",
  run: async (arena) => {
    const stage = await arena.stage({ businesses: inboxBusinesses(sizes) });
    await loadInboxes(stage.databaseUrl, sizes);
    const { service, bare, stop } = await stage.contestants("inbox-reads");
    const headers = { "x-api-key": stage.appKey(businessId) };
    const results: Record<string, ContestResult> = {};
    const failures: string[] = [];
    for (const [name, path] of Object.entries(paths)) {
      arena.say(name);
      const [first, ofBare] = await Promise.all([service, bare].map(({ url }) => request(url + path, { headers })));
      if (first?.text !== ofBare?.text) failures.push(`${name}: ${first?.text} and ${ofBare?.text}`);
      const shot: Shot = { method: "GET", path, headers, body: "" };
      const isRight = (status: number, text: string) => status === 200 && text === first?.text;
      results[name] = await contest({ name, service, bare, next: () => shot, isRight });
    }
    await stop();
    const entries = Object.entries(results);
    return {
      tables: [contestTable(`An inbox of ${sizes[businessId]} chats, 16 connections`, results)],
      figures: results,
      failures: [...failures, ...entries.flatMap(([, result]) => result.failures)],
      belowAim: entries.flatMap(([name, result]) => belowAim(name, result, aim)),
    };
  },
};
export default bench;

const viewer = { businessId, agentId: null, userId: null };
const filter: ChatFilter = {
  states: null,
  agent: null,
  departmentId: null,
  tagId: null,
  adId: null,
  unread: null,
  provider: null,
  text: null,
};
const page: PageAsked<never> = { after: null, limit: rows };

export const bare: BareHandler = async ({ query }) => {
  const chats = listChatsCall(viewer, filter, page);
  const [counts] = await statementsOf((queries) => new PostgresInboxReads(oneCell(queries)).counts(viewer));
  const [thread] = await statementsOf((queries) =>
    new PostgresInboxReads(oneCell(queries)).messages(viewer, chatId, page),
  );
  if (!counts || !thread) throw new Error("the adapter runs other statements than expected");
  return async (_body, path) => {
    if (path === paths.counts) {
      const [row] = await query<Record<string, number>>(counts, [businessId, null, null]);
      const { mine, unassigned, unread, bot, pending, in_progress } = row ?? {};
      return JSON.stringify({ mine, unassigned, unread, by_estado: { bot, pendiente: pending, proceso: in_progress } });
    }
    if (path === paths["page of chats"]) {
      const found = await query<{ chat: ChatView; at: number }>(chats.statement, chats.values);
      const shown = found.slice(0, rows);
      const { chat, at } = shown[rows - 1] as (typeof shown)[number];
      return JSON.stringify({ data: shown.map((row) => chatToWire(row.chat)), next: cursorOf(at, chat.chatId) });
    }
    const found = await query<{ message: MessageView }>(thread, [businessId, null, chatId, rows + 1]);
    return JSON.stringify({ data: found.map(({ message }) => messageToWire(message)), next: null });
  };
};
