import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { eventually } from "../support/wait.ts";
import { aWebhook } from "../support/world.ts";
import { type ChatListener, chats, departments, LiveChats, users } from "./chats.ts";

const unassigned = { agentId: null, departmentId: null };
const [chat, otherChat, thirdChat] = chats;

describe("Events about chats on sockets", () => {
  let live: LiveChats;
  before(async () => {
    live = await LiveChats.open();
  });
  after(() => live.close());
  beforeEach(async () => {
    await live.see(null);
    for (const id of chats) await live.hand(id, unassigned);
  });
  afterEach(() => live.disconnect());

  /** Sends an event to everybody and waits until it has arrived. All earlier events have arrived by then. */
  const everyoneHears = async (...listeners: ChatListener[]): Promise<void> => {
    const event = await live.tell("campaign:progress", {
      campaignId: 1,
      state: "running",
      total: 1,
      counts: {},
    });
    for (const listener of listeners) await listener.caughtUpWith(event);
  };

  const team = () => Promise.all([users.admin, users.ana, users.beto, users.cira].map((id) => live.listen(id)));

  /** Gives the chat this audience and announces a change of the chat. Returns the names of the users who hear of it. */
  async function whoHears(audience: { agentId: number | null; departmentId: number | null }): Promise<string[]> {
    const listeners = await team();
    await live.hand(chat, audience);
    await live.changed(chat, audience);
    await everyoneHears(...listeners);
    const names = ["admin", "ana", "beto", "cira"];
    return names.filter((_, index) => listeners[index]?.of(chat).includes("chat:changed"));
  }

  describe("for the flag `agents_see`", () => {
    const ofAna = { agentId: users.ana, departmentId: departments.service };
    const waitingForService = { agentId: null, departmentId: departments.service };
    const expected = {
      own: [["admin", "ana"], ["admin"], ["admin"]],
      department: [
        ["admin", "ana"],
        ["admin", "beto"],
        ["admin", "ana", "beto", "cira"],
      ],
      all: [
        ["admin", "ana", "beto", "cira"],
        ["admin", "ana", "beto", "cira"],
        ["admin", "ana", "beto", "cira"],
      ],
    } as const;
    for (const [flag, [assigned, waiting, free]] of Object.entries(expected)) {
      it(`${flag} reach the right users for an assigned chat, a chat that waits for a department, and an unassigned one`, async () => {
        await live.see(flag as keyof typeof expected);
        expect(await whoHears(ofAna), "assigned to Ana").to.deep.equal(assigned);
        expect(await whoHears(waitingForService), "waits for Beto's department").to.deep.equal(waiting);
        expect(await whoHears(unassigned), "unassigned").to.deep.equal(free);
      });
    }

    it("treat a missing or invalid value as `department`", async () => {
      await live.world.rows("update businesses set feature_flags = feature_flags || $1 where id = 1", [
        JSON.stringify({ agents_see: ["own"] }),
      ]);
      expect(await whoHears(waitingForService)).to.deep.equal(["admin", "beto"]);
    });
  });

  it("include a customer's message only if the chat is visible, but all other events", async () => {
    await live.hand(chat, { agentId: users.ana, departmentId: null });
    const [ana, beto] = [await live.listen(users.ana), await live.listen(users.beto)];
    const [row] = await live.world.rows<{ platform_id: string }>(
      "select platform_id from contacts where business_id = 1 and id = $1",
      [chat],
    );
    const message = {
      from: row?.platform_id,
      id: "wamid.1",
      timestamp: "1767323045",
      type: "text",
      text: { body: "Hola" },
    };
    await live.world.webhook(aWebhook(1, { messages: [message] }));
    await ana.hears(({ name }) => name === "inbox:reorder");
    await everyoneHears(ana, beto);
    expect(ana.of(chat)).to.include.members(["message:new", "inbox:reorder"]);
    expect(beto.heard.map(({ name }) => name)).to.deep.equal(["ready", "campaign:progress"]);
    expect(ana.named("message:new")[0]).to.not.have.any.keys("audience", "was");
  });

  describe("when a chat's agent changes", () => {
    it("report it as gone to users who may no longer see it, and as new to those who now may", async () => {
      await live.hand(chat, { agentId: users.ana, departmentId: null });
      const [admin, ana, beto, cira] = await team();
      if (!admin || !ana || !beto || !cira) throw new Error("a listener is missing");
      const event = await live.transfer(chat, { agentId: users.beto, departmentId: null });
      await everyoneHears(admin, ana, beto, cira);
      expect(admin.of(chat)).to.deep.equal(["chat:changed"]);
      expect(beto.of(chat)).to.deep.equal(["chat:changed"]);
      expect(cira.of(chat)).to.deep.equal([]);
      expect(ana.of(chat)).to.deep.equal(["chat:gone"]);
      expect(ana.named("chat:gone")).to.deep.equal([
        { empresa_id: 1, at: event.at.toISOString(), seq: event.number, chat_id: chat },
      ]);
    });

    it("report it as gone to its department when an agent takes it", async () => {
      const waiting = { agentId: null, departmentId: departments.sales };
      await live.hand(chat, waiting);
      const [ana, beto] = [await live.listen(users.ana), await live.listen(users.beto)];
      await live.transfer(chat, { agentId: users.beto, departmentId: departments.sales });
      await everyoneHears(ana, beto);
      expect([ana.of(chat), beto.of(chat)]).to.deep.equal([["chat:gone"], ["chat:changed"]]);
    });
  });

  describe("for a returning client", () => {
    /** Sends an event and returns its number, which tests use as the last number that a client saw. */
    const now = async () => (await live.tell("campaign:progress", progress)).number;
    const progress = { campaignId: 1, state: "running", total: 1, counts: {} };

    it("are about chats that it may see now, and `ready` has the last number", async () => {
      const since = await now();
      const ofAna = { agentId: users.ana, departmentId: null };
      const ofBeto = { agentId: users.beto, departmentId: null };
      await live.hand(chat, ofAna);
      await live.changed(chat, ofBeto);
      await live.hand(otherChat, ofBeto);
      await live.changed(otherChat, ofAna);
      await live.tell("campaign:progress", progress);
      const last = await live.changed(otherChat, ofBeto);
      const ana = await live.listen(users.ana, since);
      expect(ana.heard.map(({ name }) => name)).to.deep.equal(["chat:changed", "campaign:progress", "ready"]);
      expect(ana.of(chat)).to.deep.equal(["chat:changed"]);
      expect(ana.named("ready")).to.deep.equal([{ seq: last.number }]);
      const admin = await live.listen(users.admin, since);
      expect([admin.of(chat), admin.of(otherChat)]).to.deep.equal([["chat:changed"], ["chat:changed", "chat:changed"]]);
    });

    it("report a chat as gone that it saw before", async () => {
      await live.hand(chat, { agentId: users.ana, departmentId: null });
      const since = await now();
      await live.transfer(chat, { agentId: users.beto, departmentId: null });
      await live.changed(chat, { agentId: users.beto, departmentId: null });
      const [ana, cira] = [await live.listen(users.ana, since), await live.listen(users.cira, since)];
      expect(ana.heard.map(({ name }) => name)).to.deep.equal(["chat:gone", "ready"]);
      expect(cira.heard.map(({ name }) => name)).to.deep.equal(["ready"]);
    });

    it("without an audience from older versions are sent only if the client sees the chat now", async () => {
      await live.hand(chat, { agentId: users.ana, departmentId: null });
      const since = await now();
      const state = { chatId: chat, conversationId: 1, conversationState: "bot", messageId: 1, state: "sent" };
      await live.tell("message:status", { ...state, errorCode: null, errorReason: null });
      const [ana, beto] = [await live.listen(users.ana, since), await live.listen(users.beto, since)];
      expect([ana.of(chat), beto.of(chat)]).to.deep.equal([["message:status"], []]);
    });
  });

  describe("for an agent whose view changed during its absence", () => {
    const heard = (listener: ChatListener) => listener.heard.map(({ name }) => name);
    const join = (userId: number) =>
      live.world.rows("insert into department_agents (business_id, department_id, user_id) values (1, $1, $2)", [
        departments.service,
        userId,
      ]);
    const leave = (userId: number) =>
      live.world.rows("delete from department_agents where business_id = 1 and department_id = $1 and user_id = $2", [
        departments.service,
        userId,
      ]);
    const promote = (userId: number, roleId: number) =>
      live.world.rows("update users set role_id = $2 where business_id = 1 and id = $1", [userId, roleId]);

    beforeEach(async () => {
      await leave(users.cira);
      await promote(users.cira, 5);
    });
    after(async () => {
      await leave(users.cira);
      await promote(users.cira, 5);
    });

    const steps = {
      join: () => join(users.cira),
      leave: () => leave(users.cira),
      promote: () => promote(users.cira, 1),
      degrade: () => promote(users.cira, 5),
      seeOwn: () => live.see("own"),
      seeDepartment: () => live.see("department"),
    };
    const none = async () => {};
    /** Two steps for each case. The first sets what the agent Cira may see. The second changes it while she is away. */
    const cases: Readonly<Record<string, readonly [() => Promise<unknown>, () => Promise<unknown>]>> = {
      "joined a department": [none, steps.join],
      "left a department": [steps.join, steps.leave],
      "became an administrator": [none, steps.promote],
      "became an agent again": [steps.promote, steps.degrade],
      "sees less by the flag": [none, steps.seeOwn],
      "sees more by the flag": [steps.seeOwn, steps.seeDepartment],
    };
    for (const [title, [prepare, change]] of Object.entries(cases)) {
      it(`begin with a resync: ${title}`, async () => {
        await prepare();
        const before = await live.changed(chat, unassigned);
        await change();
        const last = await live.changed(otherChat, unassigned);
        const cira = await live.listen(users.cira, before.number);
        expect(heard(cira)).to.deep.equal(["resync"]);
        expect(cira.named("resync")).to.deep.equal([{ seq: last.number }]);
        const again = await live.listen(users.cira, last.number);
        expect(heard(again)).to.deep.equal(["ready"]);
      });
    }

    for (const [title, [prepare, change]] of Object.entries(cases)) {
      it(`begin with a resync even if it returns at once, while others are connected: ${title}`, async () => {
        await prepare();
        const { number } = await live.changed(chat, unassigned);
        const ana = await live.listen(users.ana, number);
        const auth = { token: await live.token(users.cira), since: number };
        await change();
        const cira = await live.connect(auth);
        expect(heard(cira)).to.deep.equal(["resync"]);
        expect(cira.named("resync")).to.deep.equal([{ seq: number + 1 }]);
        ana.socket.disconnect();
      });
    }

    it("begin without a resync for other agents and for App Keys", async () => {
      const { number } = await live.changed(chat, unassigned);
      await join(users.cira);
      await live.see("all");
      await live.see(null);
      const key = await live.connect({ key: live.world.appKey(1), since: number });
      expect(heard(key)).to.deep.equal(["ready"]);
      const later = await live.changed(chat, unassigned);
      await leave(users.cira);
      const ana = await live.listen(users.ana, later.number);
      expect(heard(ana)).to.deep.equal(["ready"]);
    });
  });

  describe("for an agent whose view changes", () => {
    const waiting = { agentId: null, departmentId: departments.service };
    const hasResync = (listener: ChatListener) => listener.hears(({ name }) => name === "resync");

    it("include a department's chats as soon as the agent joins it, after a resync", async () => {
      const [ana, beto, admin] = [
        await live.listen(users.ana),
        await live.listen(users.beto),
        await live.listen(users.admin),
      ];
      await live.hand(chat, waiting);
      const before = await live.changed(chat, waiting);
      await beto.caughtUpWith(before);
      await live.world.rows("insert into department_agents (business_id, department_id, user_id) values (1, $1, $2)", [
        departments.service,
        users.ana,
      ]);
      const { payload } = await hasResync(ana);
      // The event of joining the department has the next number.
      expect(payload).to.deep.equal({ seq: before.number + 1 });
      await live.changed(chat, waiting);
      await everyoneHears(ana, beto, admin);
      expect(ana.of(chat)).to.deep.equal(["chat:changed"]);
      await live.world.rows(
        "delete from department_agents where business_id = 1 and department_id = $1 and user_id = $2",
        [departments.service, users.ana],
      );
      await eventually(() => ana.named("resync").length === 2);
      await live.changed(chat, waiting);
      await everyoneHears(ana, beto, admin);
      expect(ana.of(chat)).to.deep.equal(["chat:changed"]);
      expect([beto.named("resync"), admin.named("resync")]).to.deep.equal([[], []]);
    });

    it("include all chats as soon as the flag says so, or the agent becomes an administrator", async () => {
      await live.see("own");
      const cira = await live.listen(users.cira);
      const tell = async () => {
        await live.changed(chat, { agentId: users.ana, departmentId: null });
        await everyoneHears(cira);
      };
      await live.see("all");
      await eventually(() => cira.named("resync").length === 1);
      await tell();
      await live.see("own");
      await eventually(() => cira.named("resync").length === 2);
      await tell();
      await live.world.rows("update users set role_id = 1 where business_id = 1 and id = $1", [users.cira]);
      await eventually(() => cira.named("resync").length === 3);
      await tell();
      await live.world.rows("update users set role_id = 5 where business_id = 1 and id = $1", [users.cira]);
      await eventually(() => cira.named("resync").length === 4);
      await tell();
      expect(cira.of(chat)).to.deep.equal(["chat:changed", "chat:changed"]);
    });

    it("contain no resync for other changes of users and of the business", async () => {
      const ana = await live.listen(users.ana);
      await live.world.rows("update users set available = not available where business_id = 1 and id = $1", [
        users.ana,
      ]);
      await live.world.rows(
        'update businesses set feature_flags = feature_flags || \'{"template_language": "es"}\' where id = 1',
      );
      await live.world.rows("update users set role_id = 5 where business_id = 1 and id = $1", [users.ana]);
      // Changes are handled in order: Ana's changes have been handled when Beto gets a resync.
      const beto = await live.listen(users.beto);
      await live.world.rows("update users set role_id = 1 where business_id = 1 and id = $1", [users.beto]);
      await eventually(() => beto.named("resync").length === 1);
      await live.world.rows("update users set role_id = 5 where business_id = 1 and id = $1", [users.beto]);
      await eventually(() => beto.named("resync").length === 2);
      await live.changed(thirdChat, unassigned);
      await everyoneHears(ana);
      expect(ana.named("resync")).to.deep.equal([]);
    });
  });

  describe("for an App Key", () => {
    it("are all events of the business, and of no other", async () => {
      const [ours, theirs] = [
        await live.connect({ key: live.world.appKey(1) }),
        await live.connect({ key: live.world.appKey(2) }),
      ];
      await live.see("own");
      await live.changed(chat, { agentId: users.beto, departmentId: null });
      await everyoneHears(ours);
      expect(ours.of(chat)).to.deep.equal(["chat:changed"]);
      expect(theirs.heard.map(({ name }) => name)).to.deep.equal(["ready"]);
    });

    it("end when the key is revoked, and the client is told the reason", async () => {
      const key = await resolve(live.world.container, tokens.issueAppKey).execute(1, "temporary");
      const listener = await live.connect({ key });
      const closed = new Promise<string>((ended) => listener.socket.on("disconnect", ended));
      await live.world.rows("update app_keys set revoked_at = now() where business_id = 1 and label = 'temporary'");
      expect(await closed).to.equal("io server disconnect");
      expect(listener.heard.at(-1)).to.deep.equal({ name: "access:ended", payload: { reason: "revoked" } });
    });

    it("are refused for an unknown key", async () => {
      const refusal = await live.refusal({ key: "unknown" });
      expect(refusal).to.equal("Invalid API key");
    });
  });

  describe("for a client whose access ends", () => {
    const ending = async (listener: ChatListener): Promise<unknown> => {
      await new Promise((ended) => listener.socket.on("disconnect", ended));
      return listener.heard.at(-1);
    };

    it("include the closing of its session", async () => {
      const token = await live.token(users.ana);
      const [closed, other] = [await live.connect({ token }), await live.listen(users.ana)];
      const ended = ending(closed);
      await fetch(`${live.world.api}/auth/session`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await ended).to.deep.equal({ name: "access:ended", payload: { reason: "revoked" } });
      expect(other.socket.connected).to.equal(true);
    });

    it("include the deactivation of its user", async () => {
      const cira = await live.listen(users.cira);
      const ended = ending(cira);
      await live.world.rows("update users set active = false where business_id = 1 and id = $1", [users.cira]);
      expect(await ended).to.deep.equal({ name: "access:ended", payload: { reason: "user_inactive" } });
      await live.world.rows("update users set active = true where business_id = 1 and id = $1", [users.cira]);
    });
  });
});
