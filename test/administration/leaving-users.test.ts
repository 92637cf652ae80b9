import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { Inbox, people, sales, support } from "../inbox/inbox-support.ts";
import type { Answer } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import type { Heard, Listener } from "../support/world.ts";

const { admin, carl } = people;
const step = 901;

describe("Users who are deactivated, archived or lose the agent's role", () => {
  let inbox: Inbox;
  before(async () => {
    inbox = await Inbox.start();
    await inbox.addTicketStep(step, sales);
  });
  after(() => inbox.stop());
  beforeEach(() => inbox.world.rows("update users set available = false where business_id = 1"));

  let count = 0;
  /** An available agent of Ventas. */
  const anAgent = async (): Promise<Answer["json"]> => {
    count += 1;
    const body = { nombre: `Eva ${count}`, email: `eva-${count}@b1.test`, role_id: 5, departamentos: [sales] };
    const { invitation, ...user } = await inbox.done(admin, "POST", "/admin/users", body);
    await inbox.done(user.id, "PUT", "/me/available", { disponible: true });
    return user;
  };
  const put = (user: Answer["json"], changes: object) =>
    inbox.done(admin, "PUT", `/admin/users/${user.id}`, { ...user, ...changes });
  /** A customer's chat with a ticket, assigned to the agent, who is the only available one. */
  const withTicket = async (agentId: number): Promise<number> => {
    const { chatId, phone } = await inbox.customerWrites("Hola");
    await inbox.world.post(`/chats/crear/ticket/business/${step}`, { empresa_id: 1, phone_number: phone });
    expect((await inbox.chat("key", chatId)).soporte_id).to.equal(agentId);
    return chatId;
  };
  const taken = async (agentId: number): Promise<number> => {
    const { chatId } = await inbox.customerWrites("Hola");
    await inbox.done(agentId, "POST", `/chats/${chatId}/take`);
    return chatId;
  };
  const waits = async (chatId: number) => {
    const chat = await inbox.chat("key", chatId);
    expect(chat).to.deep.include({ soporte_id: null, estado: "pendiente" });
    for (const { estado, agente } of chat.tickets)
      expect({ estado, agente }).to.deep.equal({ estado: "pendiente", agente: null });
    return chat;
  };
  const giveOut = () => resolve(inbox.world.container, tokens.assignWaitingChats).executeFor(1);

  it("lose their sessions and sockets at once, and their chats wait again", async () => {
    const eva = await anAgent();
    const [chatId, ownChat] = [await withTicket(eva.id), await taken(eva.id)];
    const socket = await inbox.world.listen(eva.id);
    const other = await inbox.world.listen(admin);
    await put(eva, { activo: false });
    await socket.hears(({ name }) => name === "access:ended");
    await eventually(async () => (await inbox.ask(eva.id, "GET", "/me")).status === 401);
    expect((await waits(chatId)).tickets).to.have.length(1);
    await waits(ownChat);
    for (const id of [chatId, ownChat]) {
      await other.hears(
        ({ name, payload }) => name === "chat:changed" && payload.chat_id === id && payload.soporte_id === null,
      );
    }
    await other.hears(
      ({ name, payload }) => name === "ticket:changed" && payload.chat_id === chatId && payload.agente === null,
    );
    await other.hears(
      ({ name, payload }) => name === "agent:changed" && payload.agente.id === eva.id && !payload.activo,
    );
    const bea = await anAgent();
    await eventually(async () => (await inbox.chat("key", chatId)).soporte_id === bea.id);
    expect((await inbox.chat("key", chatId)).tickets[0]).to.deep.include({ estado: "proceso" });
    // A chat without a department is not assigned to an available agent; it waits until an agent takes it.
    await waits(ownChat);
  });

  it("do not hand the chat of an erased customer to a colleague (Inbox.57)", async () => {
    const eva = await anAgent();
    const chatId = await withTicket(eva.id);
    const [chat] = await inbox.world.rows<{ contact_id: number }>("select contact_id from chats where id = $1", [
      chatId,
    ]);
    expect((await inbox.ask(admin, "DELETE", `/contacts/${chat?.contact_id}`)).status).to.equal(204);
    await anAgent();
    expect((await inbox.ask(admin, "DELETE", `/admin/users/${eva.id}`)).status).to.equal(204);
    await giveOut();
    await waits(chatId);
  });

  it("hand their chats to an available colleague before the answer", async () => {
    const eva = await anAgent();
    const chatId = await withTicket(eva.id);
    const bea = await anAgent();
    expect((await inbox.ask(admin, "DELETE", `/admin/users/${eva.id}`)).status).to.equal(204);
    expect((await inbox.chat("key", chatId)).soporte_id).to.equal(bea.id);
    expect((await inbox.done("key", "GET", "/agents")).data.map(({ id }: { id: number }) => id)).not.to.include(eva.id);
    const departments = await inbox.done(admin, "GET", `/admin/departments/${sales}`);
    expect(departments.agentes).to.include(bea.id).and.not.include(eva.id);
  });

  it("hand over their chats also if they get another role that can take chats", async () => {
    const eva = await anAgent();
    const chatId = await withTicket(eva.id);
    const socket = await inbox.world.listen(eva.id);
    const promoted = await put(eva, { role_id: 1 });
    await socket.hears(({ name, payload }) => name === "access:ended" && payload.reason === "revoked");
    await waits(chatId);
    const own = new Inbox(inbox.world);
    await own.done(promoted.id, "POST", `/chats/${chatId}/take`);
    await resolve(inbox.world.container, tokens.handOverChats).execute();
    expect((await inbox.chat("key", chatId)).soporte_id).to.equal(eva.id);
  });

  it("hand over their chats later if a process died, including chats that they got since", async () => {
    const handOver = resolve(inbox.world.container, tokens.handOverChats);
    const eva = await anAgent();
    const chatId = await withTicket(eva.id);
    await inbox.world.rows("update users set active = false, hands_over_since = now() where id = $1", [eva.id]);
    await handOver.execute();
    await waits(chatId);
    const late = await taken(carl);
    await inbox.world.rows("update chats set support_user_id = $1 where business_id = 1 and id = $2", [eva.id, late]);
    await handOver.execute();
    await waits(late);
  });

  it("keep their remaining chats when they return", async () => {
    const eva = await anAgent();
    await put(eva, { activo: false });
    const back = await put(eva, { activo: true });
    expect(back.activo).to.equal(true);
    const own = new Inbox(inbox.world);
    const { chatId } = await inbox.customerWrites("Hola");
    await own.done(eva.id, "POST", `/chats/${chatId}/take`);
    await resolve(inbox.world.container, tokens.handOverChats).execute();
    await giveOut();
    expect((await inbox.chat("key", chatId)).soporte_id).to.equal(eva.id);
  });

  for (const [what, gone, again] of [
    ["active", { activo: false }, { activo: true }],
    ["agents", { role_id: 7 }, { role_id: 5 }],
  ] as const) {
    it(`get waiting chats once when they are ${what} again, and keep them`, async () => {
      const eva = await anAgent();
      const chatId = await withTicket(eva.id);
      await put(eva, gone);
      await waits(chatId);
      const colleague = await inbox.world.listen(admin);
      expect(await put(eva, again)).to.deep.include(again);
      const own = new Inbox(inbox.world);
      await own.done(eva.id, "PUT", "/me/available", { disponible: true });
      await eventually(async () => (await inbox.chat("key", chatId)).soporte_id === eva.id);
      await resolve(inbox.world.container, tokens.handOverChats).execute();
      await giveOut();
      const chat = await inbox.chat("key", chatId);
      expect(chat).to.deep.include({ soporte_id: eva.id, estado: "proceso" });
      expect(chat.tickets).to.have.length(1);
      expect(chat.tickets[0]).to.deep.include({ estado: "proceso" });
      await own.done(eva.id, "POST", `/chats/${chatId}/close`, { ticket: "completado" });
      const toldOf = ({ name, payload }: Heard) => name === "chat:changed" && payload.chat_id === chatId;
      await colleague.hears((heard) => toldOf(heard) && heard.payload.estado === "cerrado");
      const owners = colleague.heard.filter(toldOf).map(({ payload }) => payload.soporte_id);
      expect(owners).to.include(eva.id).and.not.include(null);
    });
  }

  it("keep closed chats until their customers write", async () => {
    const eva = await anAgent();
    const chatId = await withTicket(eva.id);
    await inbox.done(eva.id, "POST", `/chats/${chatId}/close`, { ticket: "completado" });
    await put(eva, { activo: false });
    expect(await inbox.chat("key", chatId)).to.deep.include({ soporte_id: eva.id, estado: "cerrado" });
  });

  it("hand over any number of chats", async () => {
    const eva = await anAgent();
    await inbox.world.rows(
      `with contact as (
         insert into contacts (business_id, name, platform_id, phone)
         select 1, 'Cliente', 'many-' || n, '5917799' || lpad(n::text, 4, '0') from generate_series(1, 230) as n
         returning id, platform_id
       ),
       chat as (
         insert into chats (business_id, contact_id, provider, support_user_id, last_message_at)
         select 1, id, 'cloud', $1::bigint, now() from contact returning id
       )
       insert into conversations (business_id, chat_id, state) select 1, id, 'in_progress' from chat`,
      [eva.id],
    );
    await put(eva, { activo: false });
    const left = "select from chats where business_id = 1 and support_user_id = $1";
    expect(await inbox.world.rows(left, [eva.id])).to.deep.equal([]);
  });
});

describe("Events for colleagues about users", () => {
  let inbox: Inbox;
  before(async () => {
    inbox = await Inbox.start();
  });
  after(() => inbox.stop());

  it("report new agents and changes of name, department or role, and nothing about other users", async () => {
    const hears = await inbox.world.listen(people.bea);
    const told = (matches: (payload: Answer["json"]) => boolean) =>
      hears.hears(({ name, payload }) => name === "agent:changed" && matches(payload));
    const body = { nombre: "Eva", email: "eva@b1.test", role_id: 5 };
    const { invitation, ...eva } = await inbox.done(admin, "POST", "/admin/users", body);
    await told(({ agente, activo }) => agente.id === eva.id && agente.nombre === "Eva" && activo);
    const put = (changes: object) => inbox.done(admin, "PUT", `/admin/users/${eva.id}`, { ...eva, ...changes });
    await put({ nombre: "Eva María", departamentos: [sales] });
    await told(({ agente }) => agente.nombre === "Eva María" && agente.departamentos[0] === sales);
    await inbox.done(admin, "POST", "/admin/users", { nombre: "Caja", email: "caja@b1.test", role_id: 7 });
    await put({ role_id: 7 });
    await told(({ agente, activo }) => agente.id === eva.id && !activo);
    const names = hears.heard
      .filter(({ name }) => name === "agent:changed")
      .map(({ payload }) => payload.agente.nombre);
    expect(names).not.to.include("Caja");
  });
});

describe("Events for colleagues about departments", () => {
  let inbox: Inbox;
  before(async () => {
    inbox = await Inbox.start();
  });
  after(() => inbox.stop());

  const toldOf = (hears: Listener, userId: number, departments: readonly number[]) =>
    hears.hears(
      ({ name, payload }) =>
        name === "agent:changed" &&
        payload.agente.id === userId &&
        JSON.stringify(payload.agente.departamentos) === JSON.stringify(departments),
    );

  it("report agents who join or leave, and nothing about others", async () => {
    const hears = await inbox.world.listen(people.ana);
    const made = await inbox.done(admin, "POST", "/admin/departments", { nombre: "Nuevo", agentes: [admin, carl] });
    await toldOf(
      hears,
      carl,
      [support, made.id].sort((a, b) => a - b),
    );
    const path = `/admin/departments/${made.id}`;
    await inbox.done(admin, "PUT", path, { nombre: "Nuevo", agentes: [admin, people.bea] });
    await toldOf(hears, carl, [support]);
    await toldOf(
      hears,
      people.bea,
      [sales, made.id].sort((a, b) => a - b),
    );
    await inbox.done(admin, "PUT", path, { nombre: "Otro", agentes: [admin, people.bea] });
    expect((await inbox.ask(admin, "DELETE", path)).json.usos).to.deep.equal([{ tipo: "usuarios", cantidad: 2 }]);
    await inbox.done(admin, "PUT", path, { nombre: "Otro" });
    await toldOf(hears, people.bea, [sales]);
    expect((await inbox.ask(admin, "DELETE", path)).status).to.equal(204);
    const told = hears.heard.filter(({ name }) => name === "agent:changed");
    expect(told.map(({ payload }) => payload.agente.id)).to.have.members([carl, carl, people.bea, people.bea]);
  });

  it("reach agents about the department's chats only while they are members", async () => {
    const { chatId, phone } = await inbox.customerWrites("Hola");
    await inbox.done(admin, "POST", `/chats/${chatId}/assign`, { departamento_id: support });
    const hears = await inbox.world.listen(people.bea);
    const agents = (...agentes: number[]) =>
      inbox.done(admin, "PUT", `/admin/departments/${support}`, { nombre: "Soporte", agentes });
    const of = (text: string, from: Listener) =>
      from.hears(({ name, payload }) => name === "message:new" && JSON.stringify(payload).includes(text));
    const says = (text: string) => inbox.customerWrites(text, phone);
    const everything = await inbox.world.listen(admin);
    await says("Antes");
    await of("Antes", everything);
    await agents(carl, people.bea);
    await toldOf(hears, people.bea, [sales, support]);
    expect((await inbox.ask(people.bea, "GET", `/chats/${chatId}`)).status).to.equal(200);
    await says("Mientras");
    await of("Mientras", hears);
    await agents(carl);
    await toldOf(hears, people.bea, [sales]);
    expect((await inbox.ask(people.bea, "GET", `/chats/${chatId}`)).status).to.equal(404);
    await says("Después");
    await of("Después", everything);
    // Events arrive in order: after the event of this later change, no earlier event can come.
    await agents(carl, people.ana);
    await toldOf(hears, people.ana, [sales, support]);
    const heard = JSON.stringify(hears.heard);
    expect(heard).to.include("Mientras").and.not.include("Antes").and.not.include("Después");
  });
});
