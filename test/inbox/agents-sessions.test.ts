import { expect } from "chai";
import type { Answer } from "../support/http.ts";
import { lockWaits } from "../support/lock-waits.ts";
import { eventually } from "../support/wait.ts";
import { Inbox, people, sales } from "./inbox-support.ts";

const taken = { success: false, error: "El chat lo tiene otro agente" };

describe("an agent's session at the endpoints for phone numbers", () => {
  let inbox: Inbox;
  before(async () => {
    inbox = await Inbox.start();
    await inbox.world.rows(
      `insert into steps (business_id, id, name, identifier, type, department_id)
       values (1, 901, 'Paso', 'paso', 'ticket', $1)`,
      [sales],
    );
    await inbox.world.rows("update templates set allowed_agents = $1 where business_id = 1 and id = 102", [
      `${people.bea}, ${people.carl}`,
    ]);
    // Only Ana is available, so she gets all tickets.
    await inbox.world.rows("update users set available = id = $1 where business_id = 1", [people.ana]);
  });
  after(() => inbox.stop());

  const ticket = (who: number | "key", phone: string): Promise<Answer> =>
    inbox.ask(who, "POST", "/chats/crear/ticket/business/901", { empresa_id: 1, phone_number: phone });
  const template = (who: number | "key", phone: string, id = 101): Promise<Answer> =>
    inbox.ask(who, "POST", "/chats/enviar/plantilla/business", {
      ...{ empresa_id: 1, phone_number: phone, plantilla_id: id, parameters: ["Ana", "7"] },
    });
  const withBea = async () => {
    const written = await inbox.customerWrites("hola");
    await inbox.done("key", "POST", `/chats/${written.chatId}/assign`, { soporte_id: people.bea });
    return written;
  };
  const expectTaken = ({ status, json }: Answer) => expect([status, json]).to.deep.equal([409, taken]);

  it("cannot create a ticket in another agent's chat, which stays unchanged (§5.8)", async () => {
    const { chatId, phone } = await withBea();
    const before = await inbox.chat("key", chatId);
    expectTaken(await ticket(people.ana, phone));
    expectTaken(await ticket(people.carl, phone));
    expect(await inbox.chat("key", chatId)).to.deep.equal(before);
  });

  it("cannot open a conversation in another agent's closed chat (§5.8)", async () => {
    const { chatId, phone } = await withBea();
    await inbox.done(people.bea, "POST", `/chats/${chatId}/close`, { ticket: "completado" });
    const before = await inbox.chat("key", chatId);
    expectTaken(await ticket(people.ana, phone));
    expect(await inbox.chat("key", chatId)).to.deep.equal(before);
  });

  it("can create tickets in the agent's own chats and in unassigned ones; administrators and keys can in all (§5.8)", async () => {
    const own = await withBea();
    const free = await inbox.customerWrites("nadie");
    expect((await ticket(people.bea, own.phone)).json.success).to.equal(true);
    expect((await ticket(people.bea, free.phone)).json.success).to.equal(true);
    expect((await ticket(people.bea, inbox.newPhone())).json.success).to.equal(true);
    for (const who of [people.admin, "key"] as const) {
      const { chatId, phone } = await withBea();
      expect((await ticket(who, phone)).json.success).to.equal(true);
      expect((await inbox.chat("key", chatId)).soporte_id).to.equal(people.ana);
    }
  });

  it("cannot create a ticket in a chat that another agent takes at that moment (§5.8)", async () => {
    const { chatId, phone } = await inbox.customerWrites("quién");
    let asked: Promise<Answer> | undefined;
    await inbox.world.database.transaction(async (transaction) => {
      const ask = (text: string, values: unknown[] = []) => transaction.rows({ name: "", text }, values);
      await ask("update chats set support_user_id = $2 where business_id = 1 and id = $1", [chatId, people.bea]);
      asked = ticket(people.carl, phone);
      await eventually(async () => (await lockWaits(inbox.world)) > 0);
    });
    expectTaken(await (asked as Promise<Answer>));
    expect((await inbox.chat("key", chatId)).tickets).to.deep.equal([]);
  });

  it("cannot send a template into another agent's chat; administrators and keys can (§2.9)", async () => {
    const { chatId, phone } = await withBea();
    await inbox.done(people.bea, "POST", `/chats/${chatId}/close`, { ticket: "completado" });
    const before = await inbox.chat("key", chatId);
    expectTaken(await template(people.ana, phone));
    expect(await inbox.sentTo(phone)).to.deep.equal([]);
    expect(await inbox.chat("key", chatId)).to.deep.equal(before);
    for (const who of [people.bea, people.admin, "key"] as const) {
      expect((await template(who, phone)).status).to.equal(200);
    }
    expect((await template(people.ana, (await inbox.customerWrites("nadie")).phone)).status).to.equal(200);
    expect((await template(people.ana, inbox.newPhone())).status).to.equal(200);
  });

  it("does not find a template that the agent may not send; administrators and keys find it (§2.9)", async () => {
    const phone = inbox.newPhone();
    const { status, json } = await template(people.ana, phone, 102);
    expect([status, json]).to.deep.equal([404, { success: false, error: "Plantilla no encontrada" }]);
    expect(await inbox.sentTo(phone)).to.deep.equal([]);
    for (const who of [people.bea, people.admin, "key"] as const) {
      expect((await template(who, phone, 102)).status).not.to.equal(404);
    }
  });
});
