import { expect } from "chai";
import { sandboxAccountsOf } from "../../src/fixtures/businesses/platforms.ts";
import { requiredParameters } from "../../src/messaging/domain/template.ts";
import type { Answer } from "../support/http.ts";
import { aBusiness, aTemplate, startWorld, type World } from "../support/world.ts";
import { shownStates } from "./template-states.ts";

const path = "/chats/obtener/mensaje/plantilla";

/** The fields of a template in the order of the specification. */
const fields = [
  ...["id", "nombre", "id_plantilla", "descripcion", "template", "botones", "codigo", "archivo_nombre", "type", "tipo"],
  ...["agentes_permitidos", "contacto_variables", "articles", "empresa_id", "id_providerb", "version", "visible"],
  ...["deleted_at", "created_by_ai", "state", "created_at", "updated_at"],
];

const agent = (id: number) => ({ id, name: `Agente ${id}`, email: `${id}@agents.test`, roleId: 5, available: true });
const admin = (id: number, roleId = 1) => ({ ...agent(id), roleId, available: false });

const shop = aBusiness(1, {
  users: [admin(101), admin(103, 3), agent(1), agent(12), agent(112)],
  templates: [
    aTemplate(101),
    aTemplate(102, { visible: false }),
    aTemplate(103, { deleted: true }),
    aTemplate(104, { allowedAgents: "" }),
    aTemplate(105, { allowedAgents: "12" }),
    aTemplate(106, { allowedAgents: " 7, 112 ,\t1 " }),
    aTemplate(107, { allowedAgents: "  " }),
    aTemplate(108, { allowedAgents: "12", visible: false }),
  ],
});

const statuses = aBusiness(3, {
  templates: [
    ...Object.keys(shownStates).map((status, index) => aTemplate(301 + index, { status, name: status })),
    aTemplate(320, { name: "unknown", listed: [] }),
  ],
});

const inLanguages = (id: number, name: string, language: string | undefined, states: Record<string, string>) => {
  const { structure, platformName } = aTemplate(id);
  const components = (structure as { components: object[] }).components;
  return aTemplate(id, {
    name,
    structure: { ...(language && { language }), components },
    listed: Object.entries(states).map(([code, status]) => ({
      name: platformName,
      language: code,
      status,
      components,
    })),
  });
};
const languages = [
  inLanguages(1, "its own", "pt", { es: "APPROVED", pt: "REJECTED", en: "APPROVED" }),
  inLanguages(2, "its own, unknown", "fr", { es: "APPROVED" }),
  inLanguages(3, "preferred", undefined, { en: "APPROVED", es: "PENDING", pt: "REJECTED" }),
  inLanguages(4, "first approved", undefined, { fr: "REJECTED", en: "APPROVED", de: "REJECTED" }),
  inLanguages(5, "the only one", undefined, { fr: "REJECTED" }),
];
const spanish = aBusiness(4, { flags: {}, templates: languages });
const portuguese = aBusiness(5, { flags: { template_language: "pt" }, templates: languages });

const large = aBusiness(6, {
  templates: Array.from({ length: 300 }, (_, index) =>
    aTemplate(6_001 + index, { status: index % 2 === 0 ? "APPROVED" : "REJECTED" }),
  ),
});

const plain = { headerType: "TEXT", structure: null } as const;
const counted = aBusiness(7, {
  templates: [
    aTemplate(701, { name: "two", body: "Hola {{1}}: {{2}}" }),
    aTemplate(702, {
      ...plain,
      name: "three, by the description",
      body: "{{3}} {{1}} {{2}}",
      listed: [
        {
          name: "template_702",
          language: "es",
          status: "APPROVED",
          components: [{ type: "BODY", text: "{{3}} {{1}} {{2}}" }],
        },
      ],
    }),
    aTemplate(703, { name: "none", body: "Hola" }),
  ],
});

const made = aBusiness(8, {
  templates: [
    aTemplate(801, { name: "flag", createdByAi: true }),
    aTemplate(802, { name: "osm_but_not", createdByAi: false }),
    aTemplate(803, { name: "osm_by_name", createdByAi: null }),
    aTemplate(804, { name: "by platform name", platformName: "osm_804", createdByAi: null }),
    aTemplate(805, { name: "by hand", createdByAi: null }),
  ],
});

const businesses = [shop, aBusiness(2), statuses, spanish, portuguese, large, counted, made, aBusiness(9)];

describe("POST /chats/obtener/mensaje/plantilla: list templates", () => {
  let world: World;
  before(async () => {
    const configure: NonNullable<Parameters<typeof startWorld>[0]>["configure"] = (config) => ({
      ...config,
      messagingPlatform: { ...config.messagingPlatform, timeoutMs: 1_500 },
    });
    world = await startWorld({ businesses, configure });
  });
  after(() => world.stop());
  afterEach(() => world.control("DELETE", "/faults"));

  const list = (businessId: number, userId = businessId * 100 + 1) =>
    world.post(path, { empresa_id: businessId, usuario_id: userId }, businessId);
  const idsFor = async (userId: number): Promise<number[]> =>
    (await list(1, userId)).json.plantillas.map(({ id }: { id: number }) => id);
  const statesOf = async (businessId: number): Promise<Record<string, string>> => {
    const { plantillas } = (await list(businessId)).json;
    return Object.fromEntries(plantillas.map((each: { nombre: string; state: string }) => [each.nombre, each.state]));
  };
  const expectText = (answer: Answer, status: number, text: string): void => {
    expect({ status: answer.status, type: answer.type, body: answer.json }).to.deep.equal({
      status,
      type: "application/json",
      body: text,
    });
  };

  it("leaves out hidden (§1.1) and deleted templates (§1.2), so visible is true and deleted_at null (§1.4)", async () => {
    const { status, json } = await list(1);
    expect(status).to.equal(200);
    expect(json.plantillas.map(({ id }: { id: number }) => id)).to.deep.equal([101, 104, 105, 106, 107]);
    for (const template of json.plantillas) expect(template).to.include({ visible: true, deleted_at: null });
  });

  it("shows an agent unrestricted templates and those that list the agent (§1.3)", async () => {
    expect(await idsFor(12)).to.deep.equal([101, 104, 105, 107]);
    expect(await idsFor(1)).to.deep.equal([101, 104, 106, 107]);
    expect(await idsFor(112)).to.deep.equal([101, 104, 106, 107]);
  });

  it("shows restricted templates to users who are not agents (§1.3)", async () => {
    expect(await idsFor(103)).to.deep.equal([101, 104, 105, 106, 107]);
  });

  it("has exactly the documented fields, in their order", async () => {
    await world.rows(
      `update templates set buttons = '[{"type":"QUICK_REPLY"}]', code = 'C-1', file_name = 'foto.jpg',
         header_type = 'IMAGE', provider = 'ProviderB', contact_variables = '[1, 3]', articles = '5,6',
         provider_b_id = 'HX1', version = '2', created_at = '2026-01-02T03:04:05Z', updated_at = '2026-02-03T04:05:06Z'
       where business_id = 2`,
    );
    const { plantillas } = (await list(2)).json;
    expect(plantillas).to.have.length(1);
    expect(Object.keys(plantillas[0])).to.deep.equal(fields);
    expect(plantillas[0]).to.deep.equal({
      id: 201,
      nombre: "Plantilla 201",
      id_plantilla: "template_201",
      descripcion: "Hola {{1}}, tu pedido {{2}} está listo.",
      template: { language: "es", components: [{ type: "BODY", text: "Hola {{1}}, tu pedido {{2}} está listo." }] },
      botones: '[{"type":"QUICK_REPLY"}]',
      codigo: "C-1",
      archivo_nombre: "foto.jpg",
      type: "IMAGE",
      tipo: "ProviderB",
      agentes_permitidos: null,
      contacto_variables: [1, 3],
      articles: "5,6",
      empresa_id: 2,
      id_providerb: "HX1",
      version: "2",
      visible: true,
      deleted_at: null,
      created_by_ai: false,
      state: "APPROVED",
      created_at: "2026-01-02T03:04:05.000Z",
      updated_at: "2026-02-03T04:05:06.000Z",
    });
    expect(Object.keys((await list(1)).json)).to.deep.equal(["plantillas"]);
  });

  it("maps every state of the platform to one of three, and unknown names to no_status (§1.5)", async () => {
    expect(await statesOf(3)).to.deep.equal({ ...shownStates, unknown: "no_status" });
  });

  it("shows the state in the language that a send would use (§1.5)", async () => {
    const common = { "its own": "REJECTED", "its own, unknown": "no_status", "the only one": "REJECTED" };
    expect(await statesOf(4)).to.deep.equal({ ...common, preferred: "PENDING", "first approved": "APPROVED" });
    expect(await statesOf(5)).to.deep.equal({ ...common, preferred: "REJECTED", "first approved": "APPROVED" });
  });

  it("requests states from the platform each time, so that a new state is shown at once (§1.5)", async () => {
    const turned = (status: string) => aBusiness(9, { templates: [aTemplate(901, { status })] });
    for (const state of ["APPROVED", "REJECTED", "PENDING", "APPROVED"]) {
      await world.control("POST", "/accounts", sandboxAccountsOf([turned(state)])[0]);
      expect(await statesOf(9)).to.deep.equal({ "Plantilla 901": state });
    }
  });

  it("reads all pages of the platform's 300 templates (§1.5)", async () => {
    const { plantillas } = (await list(6)).json;
    expect(plantillas).to.have.length(300);
    plantillas.forEach(({ id, state }: { id: number; state: string }, index: number) => {
      expect({ id, state }).to.deep.equal({ id: 6_001 + index, state: index % 2 === 0 ? "APPROVED" : "REJECTED" });
    });
  });

  it("fails if the second page cannot be read, and shows no incomplete states (§1.5, §1.7)", async () => {
    await world.control("POST", "/faults", { path: "message_templates", delay_ms: 1 });
    await world.control("POST", "/faults", { path: "message_templates", code: 190 });
    expectText(await list(6), 500, "Error: La plataforma de mensajes no está disponible");
  });

  it("shows how many parameters a send needs: one more or one less is refused (§1.6)", async () => {
    const { plantillas } = (await list(7)).json;
    expect(plantillas.map((each: { nombre: string }) => each.nombre)).to.deep.equal([
      "two",
      "three, by the description",
      "none",
    ]);
    for (const { id, template, descripcion } of plantillas) {
      const count = requiredParameters({ structure: template, body: descripcion });
      const send = (parameters: number) =>
        world.post(
          "/chats/enviar/plantilla/business",
          {
            empresa_id: 7,
            phone_number: "59170000700",
            plantilla_id: id,
            parameters: Array.from({ length: parameters }, () => "x"),
          },
          7,
        );
      expect(await send(count), `template ${id}`).to.include({ status: 200 });
      expect(await send(count + 1), `template ${id}`).to.include({ status: 400 });
      if (count > 0) expect(await send(count - 1), `template ${id}`).to.include({ status: 400 });
    }
  });

  it("shows whether AI created a template by its flag, or else by the prefix osm_", async () => {
    const { plantillas } = (await list(8)).json;
    expect(plantillas.map((each: { created_by_ai: boolean }) => each.created_by_ai)).to.deep.equal([
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  it("shows no_status without a number of the business, and an empty list without templates", async () => {
    await world.rows("delete from senders where business_id = 9");
    const answer = await list(9, 902);
    expect(answer.json.plantillas.map(({ state }: { state: string }) => state)).to.deep.equal(["no_status"]);
    await world.rows("update templates set visible = false where business_id = 9");
    expect((await list(9, 902)).json).to.deep.equal({ plantillas: [] });
  });

  describe("fails with a plain JSON string (§1.7)", () => {
    it("for a user of another business, the same as for a missing user", async () => {
      const [foreign, missing] = await Promise.all([list(1, 201), list(1, 999_999)]);
      expectText(foreign, 500, "Error: El usuario no pertenece a la empresa");
      expect({ ...foreign, headers: null }).to.deep.equal({ ...missing, headers: null });
    });

    it("for another business, the same as for a missing business", async () => {
      const of = (empresa_id: number) => world.post(path, { empresa_id, usuario_id: 101 });
      const [foreign, missing] = await Promise.all([of(2), of(999_999)]);
      expectText(foreign, 500, "Error: La empresa no existe");
      expect({ ...foreign, headers: null }).to.deep.equal({ ...missing, headers: null });
    });

    const wrong: [body: object, error: string][] = [
      [{ usuario_id: 101 }, "Error: empresa_id es requerido"],
      [{ empresa_id: 1 }, "Error: usuario_id es requerido"],
      [{}, "Error: empresa_id es requerido"],
      [{ empresa_id: "1", usuario_id: 101 }, "Error: empresa_id debe ser un número"],
      [{ empresa_id: 1, usuario_id: "101" }, "Error: usuario_id debe ser un número"],
      [{ empresa_id: 1, usuario_id: null }, "Error: usuario_id debe ser un número"],
      [{ empresa_id: 1, usuario_id: 1.5 }, "Error: usuario_id debe ser un número"],
      [{ empresa_id: 1, usuario_id: 0 }, "Error: usuario_id no es válido"],
      [{ empresa_id: 1, usuario_id: 2 ** 53 }, "Error: usuario_id no es válido"],
    ];
    for (const [body, error] of wrong) {
      it(`for the body ${JSON.stringify(body)}`, async () => expectText(await world.post(path, body), 400, error));
    }

    const faults: [what: string, fault: object][] = [
      ["answers with a gateway's page", { status: 502 }],
      ["answers with an error", { code: 190 }],
      ["answers with incomplete JSON", { garbage: true }],
      ["resets the connection", { reset: true }],
      ["never answers", { hang: true }],
    ];
    for (const [what, fault] of faults) {
      it(`when the platform ${what}`, async () => {
        await world.control("POST", "/faults", { ...fault, count: 100, path: "message_templates" });
        expectText(await list(2), 500, "Error: La plataforma de mensajes no está disponible");
      });
    }

    it("when the database fails, without the database's error text", async () => {
      await world.rows("alter table templates rename column body to hidden_body");
      const answer = await list(2).finally(() => world.rows("alter table templates rename column hidden_body to body"));
      expectText(answer, 500, "Error: no se pudieron obtener las plantillas");
    });
  });

  it("repeats the platform's request once after a failure", async () => {
    await world.control("POST", "/faults", { status: 502, path: "message_templates" });
    expect(await statesOf(2)).to.deep.equal({ "Plantilla 201": "APPROVED" });
  });

  describe("while the platform is unreachable", () => {
    let cut: World;
    before(async () => {
      cut = await startWorld({ environment: { MESSAGING_PLATFORM_URL: "http://127.0.0.1:1", ROLE: "api" } });
    });
    after(() => cut.stop());

    it("fails with a plain JSON string (§1.7)", async () => {
      const answer = await cut.post(path, { empresa_id: 1, usuario_id: 101 });
      expectText(answer, 500, "Error: La plataforma de mensajes no está disponible");
    });
  });
});
