import { expect } from "chai";
import { eventually } from "../support/wait.ts";
import { type ChatListener, chats, departments, LiveChats, users } from "./chats.ts";

const unassigned = { agentId: null, departmentId: null };
const [chat, otherChat] = chats;
const ana = { id: users.ana, nombre: "Ana" };
const beto = { id: users.beto, nombre: "Beto" };

describe("Presence in chats", () => {
  let live: LiveChats;
  before(async () => {
    live = await LiveChats.open();
  });
  after(() => live.close());
  beforeEach(async () => {
    for (const id of chats) await live.transfer(id, unassigned);
  });
  afterEach(() => live.disconnect());

  const viewersOf = (listener: ChatListener, id: number) =>
    listener
      .named("chat:viewing")
      .filter(({ chat_id }) => chat_id === id)
      .map(({ usuarios }) => usuarios);

  /** Sends a last event from `emitter` and waits until `witness` hears of it. Earlier events are handled by then. */
  const lastly = async (emitter: ChatListener, witness: ChatListener): Promise<void> => {
    emitter.socket.emit("viewing", { chat_id: chats[2] });
    await eventually(() => viewersOf(witness, chats[2]).length > 0);
  };

  describe("an event about typing", () => {
    it("is sent to sockets of others that may see the chat, with the user's name", async () => {
      await live.transfer(chat, { agentId: users.ana, departmentId: null });
      const [writing, phone, admin, other, key] = [
        await live.listen(users.ana),
        await live.listen(users.ana),
        await live.listen(users.admin),
        await live.listen(users.beto),
        await live.connect({ key: live.world.appKey(1) }),
      ];
      writing.socket.emit("typing", { chat_id: chat });
      const { payload } = await admin.hears(({ name }) => name === "chat:typing");
      expect(payload).to.deep.equal({ empresa_id: 1, at: payload.at, chat_id: chat, usuario: ana });
      expect(new Date(payload.at).toISOString()).to.equal(payload.at);
      await key.hears(({ name }) => name === "chat:typing");
      await lastly(writing, other);
      await lastly(other, writing);
      await lastly(other, phone);
      expect([writing, phone, other].flatMap((each) => each.named("chat:typing"))).to.deep.equal([]);
    });

    it("is sent once in two seconds for each user and chat", async () => {
      const [writing, second, colleague, admin] = [
        await live.listen(users.ana),
        await live.listen(users.ana),
        await live.listen(users.beto),
        await live.listen(users.admin),
      ];
      const told = () => admin.named("chat:typing").map(({ chat_id, usuario }) => `${usuario.nombre} ${chat_id}`);
      writing.socket.emit("typing", { chat_id: otherChat });
      await eventually(() => told().length === 1);
      const at = Date.now();
      for (let times = 0; times < 10; times++) writing.socket.emit("typing", { chat_id: otherChat });
      second.socket.emit("typing", { chat_id: otherChat });
      colleague.socket.emit("typing", { chat_id: otherChat });
      await eventually(() => told().length === 2);
      expect(told()).to.deep.equal([`Ana ${otherChat}`, `Beto ${otherChat}`]);
      // This client sends `typing` again and again, as at each keystroke.
      const typing = setInterval(() => second.socket.emit("typing", { chat_id: otherChat }), 100);
      await eventually(() => told().length === 3).finally(() => clearInterval(typing));
      expect(Date.now() - at).to.be.within(1_500, 4_500);
    });

    it("is not sent for users who may not see the chat, for App Keys, or without a chat", async () => {
      await live.transfer(chat, { agentId: users.ana, departmentId: null });
      const [admin, hidden, key] = [
        await live.listen(users.admin),
        await live.listen(users.beto),
        await live.connect({ key: live.world.appKey(1) }),
      ];
      hidden.socket.emit("typing", { chat_id: chat });
      key.socket.emit("typing", { chat_id: otherChat });
      key.socket.emit("viewing", { chat_id: otherChat });
      for (const payload of [
        undefined,
        null,
        7,
        "x",
        {},
        { chat_id: String(otherChat) },
        { chat_id: -1 },
        [otherChat],
      ]) {
        hidden.socket.emit("typing", payload);
        hidden.socket.emit("viewing", payload);
      }
      hidden.socket.emit("typing", { chat_id: 999_999 });
      hidden.socket.emit("typing", { chat_id: 201 });
      await lastly(hidden, admin);
      expect(admin.named("chat:typing")).to.deep.equal([]);
      expect(viewersOf(admin, otherChat)).to.deep.equal([]);
      expect(hidden.socket.connected).to.equal(true);
    });

    it("is not repeated for a returning client", async () => {
      const { number } = await live.changed(chat, unassigned);
      const [writing, admin] = [await live.listen(users.ana), await live.listen(users.admin)];
      writing.socket.emit("typing", { chat_id: chats[2] });
      await admin.hears(({ name }) => name === "chat:typing");
      const back = await live.listen(users.admin, number);
      expect(back.heard.map(({ name }) => name)).to.deep.equal(["ready"]);
    });
  });

  describe("an event about viewing", () => {
    it("lists who has the chat open, each user once, on every change", async () => {
      const [first, second, colleague, admin] = [
        await live.listen(users.ana),
        await live.listen(users.ana),
        await live.listen(users.beto),
        await live.listen(users.admin),
      ];
      first.socket.emit("viewing", { chat_id: chat });
      await eventually(() => viewersOf(admin, chat).length === 1);
      second.socket.emit("viewing", { chat_id: chat });
      await eventually(() => viewersOf(second, chat).length === 2);
      colleague.socket.emit("viewing", { chat_id: chat });
      await eventually(() => viewersOf(admin, chat).length === 2);
      first.socket.emit("viewing", { chat_id: null });
      second.socket.disconnect();
      await eventually(() => viewersOf(admin, chat).length === 3);
      colleague.socket.emit("viewing", { chat_id: otherChat });
      await eventually(() => viewersOf(admin, otherChat).length === 1);
      expect(viewersOf(admin, chat)).to.deep.equal([[ana], [ana, beto], [beto], []]);
      expect(viewersOf(admin, otherChat)).to.deep.equal([[beto]]);
      const [{ empresa_id, at, ...rest }] = admin.named("chat:viewing");
      expect([empresa_id, typeof at, Object.keys(rest)]).to.deep.equal([1, "string", ["chat_id", "usuarios"]]);
    });

    it("is sent only to users who may see the chat, and caused only by them", async () => {
      await live.transfer(chat, { agentId: users.ana, departmentId: null });
      const [own, hidden, admin] = [
        await live.listen(users.ana),
        await live.listen(users.beto),
        await live.listen(users.admin),
      ];
      hidden.socket.emit("viewing", { chat_id: chat });
      await lastly(hidden, admin);
      own.socket.emit("viewing", { chat_id: chat });
      await eventually(() => viewersOf(admin, chat).length === 1);
      await lastly(own, hidden);
      expect(viewersOf(admin, chat)[0]).to.deep.equal([ana]);
      expect(viewersOf(hidden, chat)).to.deep.equal([]);
    });

    it("no longer lists who has opened a chat that they may not see, or that does not exist", async () => {
      await live.transfer(otherChat, { agentId: users.ana, departmentId: null });
      const [colleague, admin] = [await live.listen(users.beto), await live.listen(users.admin)];
      for (const [nth, hidden] of [otherChat, 999_999].entries()) {
        colleague.socket.emit("viewing", { chat_id: chat });
        await eventually(() => viewersOf(admin, chat).length === 2 * nth + 1);
        colleague.socket.emit("viewing", { chat_id: hidden });
        await eventually(() => viewersOf(admin, chat).length === 2 * nth + 2);
      }
      expect(viewersOf(admin, chat)).to.deep.equal([[beto], [], [beto], []]);
      expect(viewersOf(admin, otherChat)).to.deep.equal([]);
    });

    it("removes an agent who may no longer see the chat or its department", async () => {
      const waiting = { agentId: null, departmentId: departments.service };
      await live.transfer(chat, waiting);
      await live.transfer(otherChat, waiting);
      const [colleague, admin] = [await live.listen(users.beto), await live.listen(users.admin)];
      colleague.socket.emit("viewing", { chat_id: chat });
      await eventually(() => viewersOf(admin, chat).length === 1);
      await live.transfer(chat, { agentId: users.ana, departmentId: departments.service });
      await eventually(() => viewersOf(admin, chat).length === 2);
      expect(viewersOf(admin, chat)).to.deep.equal([[beto], []]);
      colleague.socket.emit("viewing", { chat_id: otherChat });
      await eventually(() => viewersOf(admin, otherChat).length === 1);
      const where = "where business_id = 1 and department_id = $1 and user_id = $2";
      await live.world.rows(`delete from department_agents ${where}`, [departments.service, users.beto]);
      await eventually(() => viewersOf(admin, otherChat).length === 2);
      expect(viewersOf(admin, otherChat)).to.deep.equal([[beto], []]);
      await live.world.rows("insert into department_agents (business_id, department_id, user_id) values (1, $1, $2)", [
        departments.service,
        users.beto,
      ]);
    });

    it("shows only the last chat of a user who looks at many", async () => {
      const [leafing, admin] = [await live.listen(users.ana), await live.listen(users.admin)];
      for (let times = 0; times < 20; times++)
        leafing.socket.emit("viewing", { chat_id: times % 2 ? chat : otherChat });
      leafing.socket.emit("viewing", { chat_id: chats[2] });
      await eventually(() => viewersOf(admin, chats[2]).length === 1);
      expect(admin.named("chat:viewing").length).to.be.below(5);
      expect(leafing.socket.connected).to.equal(true);
    });
  });
});
