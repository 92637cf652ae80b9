import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";

const step = (id: number, name: string, departmentId: number) => ({
  id,
  name,
  identifier: name.toLowerCase(),
  content: `Hola, ${name}`,
  departmentId,
});

const shop = aBusiness(1, { steps: [step(103, "Reclamos", 101), step(101, "Ventas", 101)] });

/** The fields of a step in the order of the specification. */
const fields = [
  ...["id", "nombre", "identificador", "tipo", "contenido", "variable", "media", "media_tipo", "media_url", "paso_id"],
  ...["descripcion", "botones", "titulo_opciones", "opciones", "departamento", "inicio", "catalogo_id", "empresa_id"],
  ...["agente", "paso_automatico", "loop", "ai_prompt_id", "estructura_id", "tags", "maps_search", "maps_radius"],
  ...["helper_data", "iniciador", "catalogs", "check_sucursal", "flow_id", "created_at", "updated_at"],
];

describe("GET /chats/obtener/pasos/tickets/{empresa_id}: list ticket steps", () => {
  let world: World;
  before(async () => {
    world = await startWorld({
      businesses: [shop, aBusiness(2), aBusiness(3, { steps: [] })],
      environment: { ROLE: "api" },
    });
    await world.rows(
      "insert into steps (business_id, id, name, identifier, type) values (1, 102, 'Menú', 'menu', 'message')",
    );
  });
  after(() => world.stop());

  const list = (id: number | string, businessId = 1) => world.get(`/chats/obtener/pasos/tickets/${id}`, businessId);
  const expectText = (answer: Answer, status: number, text: string): void => {
    expect({ status: answer.status, type: answer.type, body: answer.json }).to.deep.equal({
      status,
      type: "application/json",
      body: text,
    });
  };

  it("lists only steps of type ticket, in the order of their ids (§6.1)", async () => {
    const { status, json } = await list(1);
    expect(status).to.equal(200);
    expect(json.status).to.equal("success");
    expect(Object.keys(json)).to.deep.equal(["status", "pasos"]);
    expect(json.pasos.map(({ id, tipo }: { id: number; tipo: string }) => `${tipo} ${id}`)).to.deep.equal([
      "ticket 101",
      "ticket 103",
    ]);
  });

  it("has exactly the documented fields, in their order", async () => {
    const [ventas] = (await list(2, 2)).json.pasos;
    expect(Object.keys(ventas)).to.deep.equal(fields);
    expect(ventas).to.include({
      id: 201,
      nombre: "Ventas",
      identificador: "ventas",
      tipo: "ticket",
      contenido: "Hola",
      variable: "",
      departamento: 201,
      inicio: false,
      empresa_id: 2,
      loop: false,
      media: null,
      paso_id: null,
      agente: null,
      helper_data: null,
      check_sucursal: null,
    });

    await world.rows(
      `update steps set variable = 'v', media = 'a.jpg', media_type = 'image/jpeg', media_url = 'https://a.test/a.jpg',
         parent_step_id = 201, description = 'd', buttons = '[]', options_title = 'o', options = '[1]', initial = true,
         catalog_id = 7, agent = '202', next_step_id = 201, loop = true, ai_prompt_id = 8, structure_id = 9,
         tags = '1,2', maps_search = 'farmacia', maps_radius = 500, helper_data = '{"a":[1]}', initiator = 'i',
         catalogs = '[3]', check_branch = true, flow_id = '900000000000000001',
         created_at = '2026-01-02T03:04:05Z', updated_at = '2026-02-03T04:05:06Z'
       where business_id = 2`,
    );
    expect((await list(2, 2)).json.pasos).to.deep.equal([
      {
        id: 201,
        nombre: "Ventas",
        identificador: "ventas",
        tipo: "ticket",
        contenido: "Hola",
        variable: "v",
        media: "a.jpg",
        media_tipo: "image/jpeg",
        media_url: "https://a.test/a.jpg",
        paso_id: 201,
        descripcion: "d",
        botones: "[]",
        titulo_opciones: "o",
        opciones: "[1]",
        departamento: 201,
        inicio: true,
        catalogo_id: 7,
        empresa_id: 2,
        agente: "202",
        paso_automatico: 201,
        loop: true,
        ai_prompt_id: 8,
        estructura_id: 9,
        tags: "1,2",
        maps_search: "farmacia",
        maps_radius: 500,
        helper_data: { a: [1] },
        iniciador: "i",
        catalogs: "[3]",
        check_sucursal: true,
        flow_id: "900000000000000001",
        created_at: "2026-01-02T03:04:05.000Z",
        updated_at: "2026-02-03T04:05:06.000Z",
      },
    ]);
  });

  it("returns an empty list for a business without steps", async () => {
    expect((await list(3, 3)).json).to.deep.equal({ status: "success", pasos: [] });
  });

  it("fails with a plain JSON string, the same for another business as for a missing one (§6.3)", async () => {
    const [foreign, missing] = await Promise.all([list(2), list(999_999)]);
    expectText(foreign, 500, "Error: La empresa no existe");
    expect({ ...foreign, headers: null }).to.deep.equal({ ...missing, headers: null });
  });

  for (const id of ["0", "-1", "1.5", "1e3", "x", "%20", "9007199254740992"]) {
    it(`fails with a plain JSON string for the id ${id} (§6.3)`, async () => {
      const answer = await list(id);
      expect(answer).to.include({ status: 400, type: "application/json" });
      expect(answer.json).to.match(/^Error: empresa_id (debe ser un número|no es válido)$/);
    });
  }

  it("fails with a plain JSON string without the database's error text (§6.3)", async () => {
    await world.rows("alter table steps rename column content to hidden");
    const answer = await list(3, 3).finally(() => world.rows("alter table steps rename column hidden to content"));
    expectText(answer, 500, "Error: no se pudieron obtener los pasos");
  });

  it("checks the App Key before anything else", async () => {
    const answer = await request(`${world.api}/chats/obtener/pasos/tickets/x`);
    expect([answer.status, answer.json]).to.deep.equal([401, { message: "Invalid API key" }]);
  });
});
