import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";

describe("Steps of a business", () => {
  let world: World;
  let token: string;

  const ask = (method: string, path: string, body?: object) =>
    request(`${world.api}/admin/steps${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body && { body }),
    });
  const make = async (body: object): Promise<Answer["json"]> => {
    const made = await ask("POST", "", { nombre: "Paso", ...body });
    expect(made.status, made.text).to.equal(201);
    return made.json;
  };
  const listed = async (): Promise<Answer["json"][]> => (await world.get("/chats/obtener/pasos/tickets/1")).json.pasos;
  const open = (step: number) =>
    world.post(`/chats/crear/ticket/business/${step}`, { empresa_id: 1, phone_number: "59170000111" });

  beforeEach(async () => {
    world = await startWorld();
    token = await world.sessionToken(101);
    await world.rows("insert into tags (business_id, id, name) values (1, 7101, 'VIP'), (1, 7102, 'Mayorista')");
  });
  afterEach(() => world.stop());

  it("are listed for tickets as they were stored, and open them", async () => {
    const made = await make({
      nombre: "Atención Mayorista",
      contenido: "Te atendemos ya",
      departamento: 101,
      agente: 102,
      tags: [7102, 7101],
    });
    expect(made).to.include({ identificador: "atencion_mayorista", tipo: "ticket", agente: "102", tags: "7102,7101" });
    const { version: _, ...fields } = made;
    expect((await listed()).find(({ id }) => id === made.id)).to.deep.equal(fields);

    const { json } = await open(made.id);
    expect(json).to.include({ success: true });
    const chat = (await world.get(`/chats/${json.chat_id}`)).json;
    expect(chat.soporte_id).to.equal(102);
    expect(chat.tags.map(({ id }: { id: number }) => id)).to.have.members([7101, 7102]);
  });

  it("are stored with the replacement character for half a surrogate pair anywhere in their JSON", async () => {
    const made = await make({ helper_data: { a: "x\ud800", "b\udc00": [{ c: "\ud800\ud83d\ude00" }] } });
    expect(made.helper_data).to.deep.equal({ a: "x\ufffd", "b\ufffd": [{ c: "\ufffd😀" }] });
    expect((await ask("GET", `/${made.id}`)).json).to.deep.equal(made);
  });

  it("have unique identifiers within their script", async () => {
    const first = await make({ identificador: "menu", estructura_id: 5 });
    await make({ identificador: "menu", estructura_id: 6 });
    const again = await ask("POST", "", { nombre: "Otro", identificador: "menu", estructura_id: 5 });
    expect([again.status, again.json.code]).to.deep.equal([409, "taken"]);
    expect(again.json.error).to.include("identificador");
    await ask("DELETE", `/${first.id}`);
    await make({ identificador: "menu", estructura_id: 5 });
  });

  for (const way of ["paso_id", "paso_automatico"]) {
    it(`form no cycle by ${way}, unless one of its steps has loop`, async () => {
      const first = await make({ identificador: "a" });
      const second = await make({ identificador: "b", [way]: first.id });
      const third = await make({ identificador: "c", [way]: second.id });
      const body = { nombre: "Paso", identificador: "a" };
      for (const id of [first.id, second.id, third.id]) {
        const refused = await ask("PUT", `/${first.id}`, { ...body, [way]: id });
        expect([refused.status, refused.json.code], `to ${id}`).to.deep.equal([400, "invalid_input"]);
        expect(refused.json.error).to.include(way);
      }
      const looped = await ask("PUT", `/${first.id}`, { ...body, [way]: third.id, loop: true });
      expect(looped.status, looped.text).to.equal(200);
      expect((await ask("PUT", `/${first.id}`, { ...body, [way]: third.id })).status).to.equal(400);
      // A step may lead into a cycle if it is not part of the cycle.
      await make({ identificador: "d", [way]: third.id });
    });
  }

  it("form no cycle by two simultaneous changes", async () => {
    const pairs = await Promise.all(
      [1, 2, 3, 4].map(async (n) => [
        (await make({ identificador: `a${n}` })).id,
        (await make({ identificador: `b${n}` })).id,
      ]),
    );
    for (const [n, [one, other]] of pairs.entries()) {
      const answers = await Promise.all([
        ask("PUT", `/${one}`, { nombre: "A", identificador: `a${n + 1}`, paso_id: other }),
        ask("PUT", `/${other}`, { nombre: "B", identificador: `b${n + 1}`, paso_id: one }),
      ]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    }
  });

  it("are neither listed nor opened after they are archived; their tickets and references to them stay", async () => {
    const step = await make({ departamento: 101, agente: 102, identificador: "viejo" });
    const child = await make({ identificador: "hijo", paso_id: step.id });
    const ticket = (await open(step.id)).json;
    expect(ticket.ticket_id).to.be.a("number");
    expect((await ask("DELETE", `/${step.id}`)).status).to.equal(204);

    expect((await listed()).map(({ id }) => id)).not.to.include(step.id);
    const refused = await open(step.id);
    expect([refused.status, refused.json]).to.deep.equal([404, { success: false, error: "Paso no encontrado" }]);
    const campaign = await world.post("/chats/enviar/masivo/plantilla", {
      contacts_id: [101],
      contacts: [{ nombre: "Carla", numero: "59170000101" }],
      plantilla_id: 101,
      empresa_id: 1,
      user_id: 101,
      nombre: "Vieja",
      step: step.id,
    });
    expect(campaign.status).to.equal(400);
    expect(campaign.text).to.include(String(step.id));

    const [kept] = await world.rows<{ state: string }>("select state from tickets where business_id = 1 and id = $1", [
      ticket.ticket_id,
    ]);
    expect(kept?.state).to.equal("pending");
    expect((await ask("GET", `/${child.id}`)).json.paso_id).to.equal(step.id);
    const renamed = await ask("PUT", `/${child.id}`, { nombre: "Hijo", identificador: "hijo", paso_id: step.id });
    expect(renamed.status, renamed.text).to.equal(200);
    expect((await ask("POST", "", { nombre: "Otro", paso_id: step.id })).status).to.equal(400);
  });

  it("cannot refer to a step, agent or tag of another business", async () => {
    await world.rows("insert into tags (business_id, id, name) values (2, 7201, 'Ajena')");
    for (const [field, value] of [
      ["paso_id", 201],
      ["paso_automatico", 201],
      ["departamento", 201],
      ["agente", "202"],
      ["tags", "7101,7201"],
      ["tags", [7101, 7201]],
    ]) {
      const { status, json } = await ask("POST", "", { nombre: "x", [String(field)]: value });
      expect([status, json.error], String(field)).to.deep.equal([400, `${field} no existe`]);
    }
  });

  it("refuse invalid ids, as silently dropping one could lift a restriction", async () => {
    for (const tags of ["9007199254740993", "7101,0", '[[1"],', '["7101"', "7101 7102"]) {
      const { status, json } = await ask("POST", "", { nombre: "Paso", tags });
      expect([status, json.error], tags).to.deep.equal([400, "tags debe tener ids de etiquetas"]);
    }
    const template = { nombre: "Solo", idioma: "es", body: "Hola", agentes_permitidos: "101,99999999999999999999" };
    const { status, json } = await request(`${world.api}/admin/templates`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: template,
    });
    expect([status, json.error]).to.deep.equal([400, "agentes_permitidos debe tener ids de usuarios"]);
    expect((await make({ tags: " 7102, 7101," })).tags).to.equal("7102,7101");
  });
});
