import { expect } from "chai";
import { io } from "socket.io-client";
import { eventually } from "../support/wait.ts";
import { aWebhook, type Heard, type Listener } from "../support/world.ts";
import { Inbox, people, sales, support } from "./inbox-support.ts";

describe("events for agents about chats", () => {
  let inbox: Inbox;
  let admin: Listener;
  let ana: Listener;
  let carl: Listener;
  before(async () => {
    inbox = await Inbox.start();
    admin = await inbox.world.listen(people.admin);
    ana = await inbox.world.listen(people.ana);
    carl = await inbox.world.listen(people.carl);
  });
  afterEach(() => inbox.flag("agents_see", null));
  after(() => inbox.stop());

  const of = (chatId: number) => (event: Heard) => event.payload.chat_id === chatId;
  const names = (listener: Listener, chatId: number) => listener.heard.filter(of(chatId)).map(({ name }) => name);
  const hears = (listener: Listener, chatId: number, name: string) =>
    listener.hears((event) => event.name === name && of(chatId)(event));

  it("announce an incoming message with its whole row, and nothing else", async () => {
    const { chatId } = await inbox.customerWrites("hola");
    const { payload } = await hears(ana, chatId, "inbox:reorder");
    const row = (await inbox.done(people.ana, "GET", "/chats?limit=1")).data[0];
    const { empresa_id: _business, at: _at, seq: _seq, ...told } = payload;
    expect(told).to.deep.equal(row);
    expect(names(ana, chatId)).to.deep.equal(["message:new", "inbox:reorder"]);
  });

  it("tell a user that a chat is gone when it becomes hidden, and nothing about it afterwards", async () => {
    const { chatId, phone } = await inbox.customerWrites("para carl");
    await hears(ana, chatId, "inbox:reorder");
    await inbox.done("key", "POST", `/chats/${chatId}/assign`, { soporte_id: people.carl });
    await hears(ana, chatId, "chat:gone");
    await hears(carl, chatId, "chat:changed");
    await inbox.customerWrites("sigo aquí", phone);
    const count = () => names(admin, chatId).filter((name) => name === "message:new").length;
    await eventually(() => count() === 2);
    await eventually(() => names(carl, chatId).filter((name) => name === "message:new").length === 2);
    const marker = await inbox.customerWrites("marca");
    await hears(ana, marker.chatId, "inbox:reorder");
    expect(names(ana, chatId)).to.deep.equal(["message:new", "inbox:reorder", "chat:gone"]);
    await inbox.done(people.carl, "POST", `/chats/${chatId}/assign`, { soporte_id: people.ana });
    await hears(carl, chatId, "chat:gone");
    await hears(ana, chatId, "chat:changed");
  });

  it("tell the agent of a closed chat that it is gone when the customer writes again, if the agent sees only own chats", async () => {
    await inbox.flag("agents_see", "own");
    const [ana, carl] = [await inbox.world.listen(people.ana), await inbox.world.listen(people.carl)];
    const { chatId, phone } = await inbox.customerWrites("para ana");
    await inbox.done("key", "POST", `/chats/${chatId}/assign`, { soporte_id: people.ana });
    await inbox.done("key", "POST", `/chats/${chatId}/close`, { ticket: "completado" });
    await inbox.customerWrites("otra cosa", phone);
    await hears(ana, chatId, "chat:gone");
    expect(names(ana, chatId)).to.deep.equal(["chat:changed", "chat:changed", "chat:gone"]);
    expect(names(carl, chatId)).to.deep.equal([]);
    await hears(admin, chatId, "inbox:reorder");
    await inbox.refused(404, "chat_not_found", people.ana, "GET", `/chats/${chatId}`);
  });

  it("announce once that a customer's reaction opened the service window again", async () => {
    const { chatId, phone } = await inbox.customerWrites("hola");
    const [{ platform_message_id }] = (await inbox.done("key", "GET", `/chats/${chatId}/messages`)).data;
    await inbox.world.rows(
      "update chats set last_inbound_at = now() - interval '2 days' where business_id = 1 and id = $1",
      [chatId],
    );
    expect((await inbox.chat("key", chatId)).ventana_hasta).to.equal(null);
    const listener = await inbox.world.listen(people.ana);
    const at = Math.floor(Date.now() / 1_000);
    const reaction = { message_id: platform_message_id, emoji: "👍" };
    const reacting = { from: phone, id: "wamid.reopens", timestamp: String(at), type: "reaction", reaction };
    await inbox.world.webhook(aWebhook(1, { messages: [reacting] }));
    const { payload } = await hears(listener, chatId, "chat:changed");
    const until = new Date((at + 24 * 60 * 60) * 1_000).toISOString();
    expect([payload.ventana_hasta, (await inbox.chat("key", chatId)).ventana_hasta]).to.deep.equal([until, until]);
    expect(names(listener, chatId)).to.deep.equal(["message:changed", "chat:changed"]);
  });

  it("hide a chat from other agents when it gets a ticket", async () => {
    await inbox.world.rows("update users set available = id = $1 where business_id = 1", [people.ana]);
    await inbox.world.rows(
      `insert into steps (business_id, id, name, identifier, type) values (1, 955, 'Paso', 'paso-955', 'ticket')`,
    );
    const { chatId, phone } = await inbox.customerWrites("ticket");
    await hears(carl, chatId, "inbox:reorder");
    await inbox.world.post("/chats/crear/ticket/business/955", { empresa_id: 1, phone_number: phone });
    await hears(carl, chatId, "chat:gone");
    await hears(ana, chatId, "ticket:new");
    expect(names(carl, chatId)).not.to.include("ticket:new");
  });

  it("hide a contact from agents of other departments while the contact waits", async () => {
    await inbox.world.rows("update users set available = false where business_id = 1");
    await inbox.world.rows(
      `insert into steps (business_id, id, name, identifier, type, department_id)
       values (1, 956, 'Soporte', 'paso-956', 'ticket', $1), (1, 957, 'Ventas', 'paso-957', 'ticket', $2)`,
      [support, sales],
    );
    const { chatId, phone } = await inbox.customerWrites("quiero un agente");
    await hears(ana, chatId, "inbox:reorder");
    const asksFor = async (stepId: number) => {
      const body = { empresa_id: 1, phone_number: phone };
      const { json } = await inbox.world.post(`/chats/crear/ticket/business/${stepId}`, body);
      expect(json.ticket_id).to.equal(null);
    };
    const gone = (listener: Listener) => names(listener, chatId).filter((name) => name === "chat:gone").length;
    await asksFor(956);
    await eventually(() => gone(ana) === 1);
    await asksFor(957);
    await eventually(() => gone(carl) === 1);
    // A step sends a contact the out-of-hours text only once in ten minutes, but the chat still moves back to Soporte.
    await asksFor(956);
    await eventually(() => gone(ana) === 2);
    expect(await inbox.chat(people.carl, chatId)).to.include({ chat_id: chatId });
  });

  it("show a waiting contact who writes again only to agents of that department", async () => {
    await inbox.world.rows("update users set available = false where business_id = 1");
    const { chatId, phone } = await inbox.customerWrites("quiero un agente");
    const asks = () => inbox.world.post("/chats/crear/ticket/business/956", { empresa_id: 1, phone_number: phone });
    await asks();
    await hears(ana, chatId, "chat:gone");
    const from = ana.heard.length;
    await inbox.customerWrites("¿hay alguien?", phone);
    await carl.hears(
      ({ name, payload }) => name === "inbox:reorder" && payload.chat_id === chatId && payload.no_leidos === 2,
    );
    const marker = await inbox.customerWrites("marca");
    await hears(ana, marker.chatId, "inbox:reorder");
    expect(ana.heard.slice(from).filter(of(chatId))).to.deep.equal([]);
    await inbox.refused(404, "chat_not_found", people.ana, "GET", `/chats/${chatId}`);

    // A closed chat keeps its agent until the customer writes. Then the chat waits for an agent of its department.
    await inbox.done("key", "POST", `/chats/${chatId}/assign`, { soporte_id: people.ana });
    await inbox.done("key", "POST", `/chats/${chatId}/close`, { ticket: "completado" });
    await asks();
    await inbox.customerWrites("otra vez yo", phone);
    await inbox.refused(404, "chat_not_found", people.ana, "GET", `/chats/${chatId}`);
    expect(await inbox.chat(people.carl, chatId)).to.include({ soporte_id: null, estado: "bot" });
  });

  it("show a failed answer in the chat's row, and leave the chat with its agent (Inbox.22)", async () => {
    const { chatId } = await inbox.customerWrites("¿me lees?");
    await inbox.world.control("POST", "/faults", { code: 131026, status: 400, path: "messages" });
    const message = await inbox.done(people.ana, "POST", `/chats/${chatId}/messages`, { texto: "Sí" });
    expect(message.estado).to.equal("failed");
    const { payload } = await admin.hears(
      ({ name, payload }) => name === "chat:changed" && payload.chat_id === chatId && payload.mensaje.id === message.id,
    );
    const { empresa_id: _business, at: _at, seq: _seq, ...told } = payload;
    const [row] = (await inbox.done("key", "GET", "/chats?q=Cliente&limit=100")).data.filter(
      ({ chat_id }: { chat_id: number }) => chat_id === chatId,
    );
    expect(told).to.deep.equal(row);
    expect(row).to.deep.include({ soporte_id: people.ana, estado: "proceso" });
    expect(names(admin, chatId)).to.deep.equal([
      ...["message:new", "inbox:reorder", "chat:changed"],
      ...["message:new", "chat:changed"],
    ]);
  });

  it("tell everyone how many open tickets agents have when the number changes", async () => {
    await inbox.world.rows("update users set available = id = $1 where business_id = 1", [people.ana]);
    const openOf = async (id: number) => {
      const { data } = await inbox.done("key", "GET", "/agents");
      return data.find((agent: { id: number }) => agent.id === id).tickets_abiertos;
    };
    const [before, beforeCarl] = [await openOf(people.ana), await openOf(people.carl)];
    const tells = async (id: number, count: number, work: () => Promise<unknown>) => {
      const from = admin.heard.length;
      await work();
      await eventually(() =>
        admin.heard
          .slice(from)
          .some(
            ({ name, payload }) =>
              name === "agent:changed" && payload.agente.id === id && payload.agente.tickets_abiertos === count,
          ),
      );
      expect(await openOf(id)).to.equal(count);
    };
    const { chatId, phone } = await inbox.customerWrites("con ticket");
    const body = { empresa_id: 1, phone_number: phone };
    await tells(people.ana, before + 1, () => inbox.world.post("/chats/crear/ticket/business/955", body));
    const assign = (soporte_id: number | null) => inbox.done("key", "POST", `/chats/${chatId}/assign`, { soporte_id });
    await tells(people.carl, beforeCarl + 1, () => assign(people.carl));
    expect(await openOf(people.ana)).to.equal(before);
    await tells(people.carl, beforeCarl, () => assign(null));
    await tells(people.ana, before + 1, () => inbox.done(people.ana, "POST", `/chats/${chatId}/take`));
    await tells(people.ana, before, () =>
      inbox.done(people.ana, "POST", `/chats/${chatId}/close`, { ticket: "completado" }),
    );
  });

  it("reach a returning client completely and once, if the user may see them now", async () => {
    const { chatId: hidden } = await inbox.customerWrites("se va");
    const { chatId: kept } = await inbox.customerWrites("se queda");
    const seqs = admin.heard.map(({ payload }) => payload.seq).filter((seq) => typeof seq === "number");
    const since = Math.max(...seqs.slice(0, -6));
    await inbox.done("key", "POST", `/chats/${hidden}/assign`, { soporte_id: people.carl });
    await inbox.done("key", "POST", `/chats/${kept}/assign`, { soporte_id: people.ana });
    const token = await inbox.world.sessionToken(people.ana);
    const socket = io(`${inbox.world.api}/realtime`, {
      forceNew: true,
      transports: ["websocket"],
      auth: { token, since },
    });
    const heard: Heard[] = [];
    socket.onAny((name: string, payload: Heard["payload"]) => void heard.push({ name, payload }));
    await eventually(() => heard.some(({ name }) => name === "ready"));
    socket.disconnect();
    const about = heard.filter(({ payload }) => payload.chat_id !== undefined);
    expect(about.filter(of(kept)).length).to.be.above(0);
    expect(about.filter(of(hidden)).map(({ name }) => name)).to.deep.equal(["chat:gone"]);
    const numbers = heard.filter(({ name }) => name !== "ready").map(({ payload }) => payload.seq);
    expect(numbers).to.deep.equal([...new Set(numbers)].sort((a, b) => a - b));
  });
});
