import { expect } from "chai";
import type { ThreadFixture } from "../../src/fixtures/businesses/business.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread, startWorld } from "../support/world.ts";
import { Inbox } from "./inbox-support.ts";

const sales = 101;
const support = 102;
/** A department without agents. */
const returns = 103;

const users = {
  admin: { id: 101, roleId: 1, departments: [] },
  ana: { id: 102, roleId: 5, departments: [sales] },
  bea: { id: 103, roleId: 5, departments: [] },
  carl: { id: 104, roleId: 5, departments: [sales, support] },
  // Role 7 has no rules of its own, so it counts as an agent's role.
  dora: { id: 105, roleId: 7, departments: [sales] },
  zoe: { id: 106, roleId: 5, departments: [sales] },
} as const;
type Viewer = Exclude<keyof typeof users, "zoe">;
const viewers = ["admin", "ana", "bea", "carl", "dora"] as const;

/** The agent of a chat, and the department that the chat waits for or last waited for. */
const kinds = [
  { agent: "ana", department: null },
  { agent: "ana", department: support },
  { agent: "dora", department: null },
  { agent: "zoe", department: null },
  { agent: "zoe", department: sales },
  { agent: null, department: null },
  { agent: null, department: sales },
  { agent: null, department: support },
  { agent: null, department: returns },
] as const;
const states = ["bot", "pending", "in_progress", "closed"] as const;

const byDepartment = [
  ["admin", "ana"],
  ["admin", "ana"],
  ["admin", "dora"],
  ["admin"],
  ["admin"],
  ["admin", "ana", "bea", "carl", "dora"],
  ["admin", "ana", "carl", "dora"],
  ["admin", "carl"],
  ["admin"],
] as const;

/** Who sees a chat of each kind, by the flag `agents_see`. The chat's state does not matter. */
const expected: Readonly<Record<string, { flag: unknown; seenBy: readonly (readonly Viewer[])[] }>> = {
  own: {
    flag: "own",
    seenBy: [
      ["admin", "ana"],
      ["admin", "ana"],
      ["admin", "dora"],
      ["admin"],
      ["admin"],
      ["admin"],
      ["admin"],
      ["admin"],
      ["admin"],
    ],
  },
  department: { flag: "department", seenBy: byDepartment },
  all: { flag: "all", seenBy: kinds.map(() => viewers) },
  "missing, which means `department`": { flag: undefined, seenBy: byDepartment },
  "invalid, which means `department`": { flag: ["own"], seenBy: byDepartment },
};

const chats = kinds.flatMap((kind, index) =>
  states.map((state, n) => ({ id: 101 + index * 4 + n, index, state, ...kind })),
);

/** Most fields that the tests filter by depend on `draw`, and not on the kind of the chat. */
const threads = chats.map(({ id, agent, department, state }): ThreadFixture => {
  const draw = (id * 7) % 11;
  const base = aThread(id);
  return aThread(id, {
    name: `Cliente ${id}`,
    channel: draw % 3 === 0 ? "qr" : "platform-apicloud",
    supportUserId: agent && users[agent].id,
    departmentId: department,
    unread: draw % 2,
    tagIds: draw % 4 < 2 ? [101] : [],
    adId: draw % 5 < 2 ? "ad-1" : null,
    state,
    messages: base.messages.map((message) => ({ ...message, at: new Date(message.at.getTime() + draw * 60_000) })),
  });
});

const filters = [
  ...["estado=bot", "estado=cerrado", "estado=proceso&estado=pendiente", "no_leidos=true", "no_leidos=false"],
  ...[
    "soporte=none",
    `soporte=${users.ana.id}`,
    `soporte=${users.zoe.id}`,
    "provider=qr",
    "provider=platform-apicloud",
  ],
  ...[`departamento=${sales}`, `departamento=${support}`, `departamento=${returns}`, "tag=101", "anuncio=ad-1"],
  ...["q=cliente", "q=59170000", "tag=101&soporte=none", "no_leidos=true&estado=proceso", "provider=qr&estado=bot"],
  ...[`departamento=${support}&soporte=none`, "anuncio=ad-1&no_leidos=false", `q=cliente&departamento=${sales}`],
];

describe("the chats that a user sees", () => {
  let inbox: Inbox;
  before(async () => {
    const business = aBusiness(1, {
      users: Object.entries(users).map(([name, { id, roleId }]) => ({
        ...{ id, name, email: `${name}@b1.test`, roleId, available: false },
      })),
      departments: Object.entries({ Ventas: sales, Soporte: support, Cambios: returns }).map(([name, id]) => ({
        id,
        name,
        agentIds: Object.values(users).flatMap((user) =>
          (user.departments as readonly number[]).includes(id) ? [user.id] : [],
        ),
      })),
      tags: [{ id: 101, name: "VIP" }],
      threads,
    });
    inbox = new Inbox(await startWorld({ businesses: [business] }));
  });
  after(() => inbox.stop());

  const listed = async (viewer: Viewer | "key", query = ""): Promise<number[]> => {
    const who = viewer === "key" ? viewer : users[viewer].id;
    const found: number[] = [];
    let cursor: string | null = "";
    // The pages are small, so that a list has several pages.
    while (cursor !== null) {
      const page = await inbox.done(who, "GET", `/chats?limit=7&${query}${cursor && `&cursor=${cursor}`}`);
      found.push(...page.data.map((chat: { chat_id: number }) => chat.chat_id));
      cursor = page.next;
    }
    return found;
  };

  const opened = async (viewer: Viewer): Promise<number[]> => {
    const found: number[] = [];
    for (const { id } of chats) {
      const { status } = await inbox.ask(users[viewer].id, "GET", `/chats/${id}`);
      expect(status).to.be.oneOf([200, 404]);
      if (status === 200) found.push(id);
    }
    return found;
  };

  const ofContacts = async (viewer: Viewer): Promise<number[]> => {
    const { data } = await inbox.done(users[viewer].id, "GET", "/contacts?limit=100");
    return data.flatMap((contact: { chats: { chat_id: number }[] }) => contact.chats.map(({ chat_id }) => chat_id));
  };

  const inDatabase = async (viewer: Viewer): Promise<number[]> => {
    const agent = viewer === "admin" ? null : users[viewer].id;
    const sql = "select id from chats where business_id = 1 and agent_sees($1, chats) order by id";
    return (await inbox.world.rowsOfCell<{ id: number }>(1, sql, [agent])).map(({ id }) => id);
  };

  /** Causes an event about each chat, then one for all viewers. Returns the chats whose events each viewer got. */
  const heard = async (): Promise<Map<Viewer, number[]>> => {
    const listeners = await Promise.all(viewers.map((viewer) => inbox.world.listen(users[viewer].id)));
    for (const { id } of chats) {
      const { bot_disponible } = await inbox.chat("key", id);
      await inbox.done("key", "POST", `/chats/${id}/bot`, { disponible: !bot_disponible });
    }
    const { disponible } = await inbox.done(users.zoe.id, "GET", "/me");
    await inbox.done(users.zoe.id, "PUT", "/me/available", { disponible: !disponible });
    const told = new Map<Viewer, number[]>();
    for (const [index, viewer] of viewers.entries()) {
      const events = listeners[index]?.heard ?? [];
      await eventually(() => events.find(({ name }) => name === "agent:changed"));
      const ids = events.filter(({ name }) => name === "chat:changed").map(({ payload }) => payload.chat_id);
      told.set(viewer, [...new Set<number>(ids)]);
    }
    return told;
  };

  for (const [title, { flag, seenBy }] of Object.entries(expected)) {
    describe(`if the flag \`agents_see\` is ${title}`, () => {
      before(() =>
        inbox.world.rows(
          "update businesses set feature_flags = feature_flags - 'agents_see' || jsonb_strip_nulls($1) where id = 1",
          [JSON.stringify({ agents_see: flag ?? null })],
        ),
      );
      const seen = (viewer: Viewer): number[] =>
        chats.flatMap(({ id, index }) => (seenBy[index]?.includes(viewer) ? [id] : []));

      it("are the same in lists, by id, among a contact's chats, in counts and in the database", async () => {
        for (const viewer of viewers) {
          const ids = seen(viewer);
          expect((await listed(viewer)).sort(), `${viewer}'s list`).to.deep.equal(ids);
          expect(await opened(viewer), `by id, ${viewer}`).to.deep.equal(ids);
          expect((await ofContacts(viewer)).sort(), `of contacts, ${viewer}`).to.deep.equal(ids);
          expect(await inDatabase(viewer), `agent_sees, ${viewer}`).to.deep.equal(ids);
          const { by_estado } = await inbox.done(users[viewer].id, "GET", "/chats/counts");
          expect(Object.values(by_estado), `${viewer}'s counts`).to.deep.equal([1, 1, 1].map(() => ids.length / 4));
        }
      });

      it("are the ones whose events the user's sockets get", async () => {
        for (const [viewer, ids] of await heard()) expect(ids, viewer).to.deep.equal(seen(viewer));
      });

      it("keep the inbox's order with every filter", async () => {
        for (const filter of filters) {
          const all = await listed("key", filter);
          expect(all, filter).not.to.deep.equal([]);
          for (const viewer of viewers) {
            const ids = new Set(seen(viewer));
            expect(await listed(viewer, filter), `${viewer}, ${filter}`).to.deep.equal(all.filter((id) => ids.has(id)));
          }
        }
      });
    });
  }
});
