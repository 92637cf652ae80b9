import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate, startWorld, type World } from "../support/world.ts";

const content = (text = "Hola {{1}}, tu pedido está listo.", category = "UTILITY") => ({
  language: "es",
  category,
  components: [{ type: "BODY", text, example: { body_text: [["Ana"]] } }],
});

/** Business 1 has templates as they were before anybody submitted one; the platform lists more of its account. */
const shop = aBusiness(1, {
  templates: [
    aTemplate(101),
    aTemplate(102, { platformName: "unheard_of", listed: [] }),
    aTemplate(103, {
      platformName: "of_all_languages",
      structure: { components: [{ type: "BODY", text: "Hola {{1}}, tu pedido {{2}} está listo." }] },
      listed: ["en", "es"].map((language) => ({
        name: "of_all_languages",
        language,
        status: language === "es" ? "PAUSED" : "APPROVED",
        components: [{ type: "BODY", text: "Hola {{1}}, tu pedido {{2}} está listo." }],
      })),
    }),
    aTemplate(104, {
      listed: [
        { name: "template_104", language: "es", status: "APPROVED", components: [{ type: "BODY", text: "Otro" }] },
        {
          name: "made_there",
          language: "pt_BR",
          status: "PENDING",
          category: "MARKETING",
          components: [
            { type: "HEADER", format: "IMAGE" },
            { type: "BODY", text: "Oi" },
          ],
        },
      ],
    }),
  ],
});

describe("Templates that a business manages", () => {
  let world: World;
  let token: string;

  const ask = (method: string, path: string, body?: object, by = token) =>
    request(`${world.api}/admin/templates${path}`, {
      method,
      headers: { authorization: `Bearer ${by}` },
      ...(body && { body }),
    });
  const make = async (body: object): Promise<Answer["json"]> => {
    const made = await ask("POST", "", body);
    expect(made.status, made.text).to.equal(201);
    return made.json;
  };
  const get = async (id: number): Promise<Answer["json"]> => (await ask("GET", `/${id}`)).json;
  const submit = (id: number) => ask("POST", `/${id}/submit`);
  const listed = async (id: number): Promise<Answer["json"]> => {
    const { json } = await world.post("/chats/obtener/mensaje/plantilla", { empresa_id: 1, usuario_id: 101 });
    return json.plantillas.find((each: { id: number }) => each.id === id);
  };
  const send = (id: number, parameters = ["Ana"]) =>
    world.post("/chats/enviar/mensaje/plantilla/arquitectura", {
      meta_id: "59170000101",
      contacto_id: 101,
      chat_id: 101,
      empresa_id: 1,
      plantilla_id: id,
      parameters,
    });
  const review = (body: object) => world.control("POST", "/reviews", { delay_ms: 0, ...body });
  const becomes = (id: number, state: string) =>
    eventually(async () => {
      const template = await get(id);
      return template.state === state ? template : undefined;
    });

  beforeEach(async () => {
    world = await startWorld({ businesses: [shop, aBusiness(2)] });
    token = await world.sessionToken(101);
  });
  afterEach(() => world.stop());

  it("say of themselves what follows from their content", async () => {
    const made = await make({ nombre: "¡Pedido Listo!", template: content() });
    expect(made).to.deep.include({
      id_plantilla: "pedido_listo",
      descripcion: "Hola {{1}}, tu pedido está listo.",
      type: "TEXT",
      tipo: "Cloud",
      state: "no_status",
      visible: true,
    });
    const pictured = await make({
      nombre: "Con foto",
      template: {
        ...content(),
        components: [
          { type: "HEADER", format: "IMAGE", example: { header_handle: ["4::aW"] } },
          ...content().components,
        ],
      },
    });
    expect(pictured.type).to.equal("IMAGE");
  });

  for (const [field, template] of [
    ["template.category", { ...content(), category: "PROMO" }],
    ["template.components[0].example.body_text", { ...content(), components: [{ type: "BODY", text: "a {{1}} b" }] }],
    ["template.components[0].text", content("{{1}} hola")],
  ] as const) {
    it(`are refused at ${field}`, async () => {
      const { status, json } = await ask("POST", "", { nombre: "Mala", template });
      expect([status, json.code]).to.deep.equal([400, "invalid_input"]);
      expect(json.error).to.include(field);
    });
  }

  it("are sent for approval, approved by webhook, and then listed and sent", async () => {
    await review({ delay_ms: 3_600_000 });
    const { id } = await make({ nombre: "Aviso", template: content() });
    expect((await listed(id)).state).to.equal("no_status");
    const submitted = await submit(id);
    expect(submitted.status, submitted.text).to.equal(200);
    expect(submitted.json).to.include({ state: "PENDING", platform_status: "PENDING" });
    expect(submitted.headers.etag).to.equal(`"${submitted.json.record_version}"`);
    expect((await listed(id)).state).to.equal("PENDING");
    expect((await send(id)).text).to.include("aún no ha sido aprobada");

    await world.control("POST", "/templates/aviso", { event: "APPROVED" });
    await becomes(id, "APPROVED");
    expect((await listed(id)).state).to.equal("APPROVED");
    expect((await send(id)).json).to.deep.equal({ status: "success" });
    const sent = await world.control("GET", "/messages?to=59170000101");
    expect(sent).to.have.length(1);
    expect(sent[0].template.name).to.equal("aviso");
  });

  it("come back rejected with the platform's reason, and may be changed and submitted again", async () => {
    await review({ outcome: "REJECTED", reason: "INVALID_FORMAT" });
    const made = await make({ nombre: "Aviso", template: content() });
    await submit(made.id);
    const rejected = await becomes(made.id, "REJECTED");
    expect(rejected).to.include({ platform_status: "REJECTED", rejected_reason: "INVALID_FORMAT" });

    await review({ outcome: "APPROVED" });
    const better = content("Hola {{1}}, ya puedes recogerlo.");
    const changed = await ask("PUT", `/${made.id}`, { nombre: "Aviso", template: better });
    expect(changed.status, changed.text).to.equal(200);
    expect((await submit(made.id)).json).to.include({ platform_status: "PENDING", platform_id: rejected.platform_id });
    expect(await becomes(made.id, "APPROVED")).to.include({ rejected_reason: null });
    expect((await send(made.id)).json).to.deep.equal({ status: "success" });
    const { data } = (await world.get("/chats/101/messages")).json;
    expect(data.some(({ texto }: { texto: string }) => texto === "Hola Ana, ya puedes recogerlo.")).to.equal(true);
  });

  it("keep what was submitted, and change the rest", async () => {
    const body = { nombre: "Aviso", id_plantilla: "aviso", template: content() };
    const { id } = await make(body);
    await submit(id);
    for (const change of [
      { template: content("Otro {{1}} texto") },
      { template: null },
      { id_plantilla: "otro" },
      { tipo: "ProviderB" },
      { descripcion: "Otra" },
    ]) {
      const { status, json } = await ask("PUT", `/${id}`, { ...body, ...change });
      expect([status, json.code], JSON.stringify(change)).to.deep.equal([409, "locked"]);
      expect(json.error).to.include(Object.keys(change)[0]);
    }
    const renamed = await ask("PUT", `/${id}`, { ...body, nombre: "Otro nombre", visible: false, codigo: "A1" });
    expect(renamed.json).to.include({ nombre: "Otro nombre", visible: false, codigo: "A1" });
    const again = await submit(id);
    expect([again.status, again.json.code]).to.deep.equal([409, "locked"]);
  });

  it("stay as they were where the platform refuses them, with its words", async () => {
    const first = await make({ nombre: "Uno", id_plantilla: "doble", template: content() });
    const second = await make({ nombre: "Dos", id_plantilla: "doble", template: content() });
    expect((await submit(first.id)).status).to.equal(200);
    const refused = await submit(second.id);
    expect([refused.status, refused.json.code]).to.deep.equal([400, "template_refused"]);
    expect(refused.json.error).to.include("There is already content in this language");
    expect((await get(second.id)).state).to.equal("no_status");
  });

  it("stay pending where the platform's answer is lost, until a sync", async () => {
    const { id } = await make({ nombre: "Perdida", template: content() });
    await world.control("POST", "/faults", { path: "message_templates", reset: true });
    const lost = await submit(id);
    expect([lost.status, lost.json.code], lost.text).to.deep.equal([502, "platform_unavailable"]);
    expect((await get(id)).state).to.equal("PENDING");
    await ask("POST", "/sync");
    expect((await get(id)).state).to.equal("no_status");
    expect((await submit(id)).status).to.equal(200);
  });

  it("are submitted only with a content of their own, to a platform that the business has", async () => {
    const bare = await make({ nombre: "Sin contenido", descripcion: "Hola" });
    const other = await make({ nombre: "De otro", tipo: "ProviderB", id_providerb: "HX1" });
    for (const { id } of [bare, other]) {
      const { status, json } = await submit(id);
      expect([status, json.code]).to.deep.equal([409, "not_submittable"]);
    }
    await world.rows("delete from senders where business_id = 1");
    const { id } = await make({ nombre: "Sola", template: content() });
    expect((await submit(id)).json.code).to.equal("no_sender");
    expect((await get(id)).state).to.equal("no_status");
    expect((await ask("POST", "/sync")).json.code).to.equal("no_sender");
  });

  it("are brought to where the platform stands by a sync, page by page", async () => {
    const archived = await ask("DELETE", "/101");
    expect(archived.status).to.equal(204);
    const { json } = await ask("POST", "/sync");
    expect(json).to.deep.equal({ created: 1, updated: 2, missing: 1 });
    const { data } = (await ask("GET", "?limit=100")).json;
    const states = Object.fromEntries(
      data.map((each: Answer["json"]) => [each.id_plantilla, [each.state, each.platform_status, each.descripcion]]),
    );
    expect(states).to.deep.equal({
      made_there: ["PENDING", "PENDING", "Oi"],
      template_104: ["APPROVED", "APPROVED", "Otro"],
      of_all_languages: ["REJECTED", "PAUSED", "Hola {{1}}, tu pedido {{2}} está listo."],
      unheard_of: ["no_status", null, "Hola {{1}}, tu pedido {{2}} está listo."],
    });
    const made = data.find((each: Answer["json"]) => each.id_plantilla === "made_there");
    expect(made).to.deep.include({ nombre: "made_there", type: "IMAGE" });
    expect(made.template).to.deep.include({ language: "pt_BR", category: "MARKETING" });
    expect((await ask("POST", "/sync")).json).to.deep.equal({ created: 0, updated: 0, missing: 1 });

    const many = Array.from({ length: 230 }, (_, n) => ({
      name: `many_${n}`,
      language: "es",
      status: "APPROVED",
      category: "UTILITY",
      components: content().components,
    }));
    await world.control("POST", "/accounts", {
      ...{ token: "token-1", accountId: "account-1", phoneNumberId: "number-9", displayPhoneNumber: "59120000009" },
      templates: many,
    });
    expect((await ask("POST", "/sync")).json).to.deep.equal({ created: 230, updated: 0, missing: 1 });
    const audit = await world.rows<{ change: string }>(
      "select change from audit where business_id = 1 and resource = 'templates' and change = 'created'",
    );
    expect(audit).to.have.length(231);
  });

  it("stop their campaigns at once when the platform pauses them, with that reason", async () => {
    const { id } = await make({ nombre: "Promo", template: content(undefined, "MARKETING") });
    await review({});
    await submit(id);
    await becomes(id, "APPROVED");
    const registered = await world.post("/chats/enviar/masivo/plantilla", {
      contacts_id: [101],
      contacts: [{ nombre: "Carla", numero: "59170000101" }],
      plantilla_id: id,
      empresa_id: 1,
      user_id: 101,
      nombre: "Promo",
      step: 101,
      paramMapping: { 1: "nombre" },
      schedule_at: "2099-01-01T00:00:00Z",
    });
    expect(registered.status, registered.text).to.equal(200);
    await world.control("POST", "/templates/promo", { event: "FLAGGED" });
    await world.control("POST", "/templates/promo", { event: "PAUSED", reason: "LOW_QUALITY" });
    expect(await becomes(id, "REJECTED")).to.include({ platform_status: "PAUSED", rejected_reason: "LOW_QUALITY" });
    const [campaign] = await world.rows<{ state: string; pause_reason: string }>(
      "select state, pause_reason from campaigns where business_id = 1",
    );
    expect(campaign?.state).to.equal("paused");
    expect(campaign?.pause_reason).to.include("paused").and.to.include("LOW_QUALITY");
    expect((await listed(id)).state).to.equal("REJECTED");
  });

  it("take the platform's category, and no news that are older than what is known, or of another account", async () => {
    const { id } = await make({ nombre: "Aviso", template: content() });
    await review({});
    await submit(id);
    const { platform_id: platformId } = await becomes(id, "APPROVED");
    const news = (account: string, event: string, time: number) =>
      world.webhook({
        object: "whatsapp_business_account",
        entry: [
          {
            id: account,
            time,
            changes: [
              {
                field: "message_template_status_update",
                value: {
                  event,
                  message_template_id: Number(platformId),
                  message_template_name: "aviso",
                  message_template_language: "es",
                  reason: "NONE",
                },
              },
            ],
          },
        ],
      });
    expect((await news("account-1", "REJECTED", 1_700_000_000)).status).to.equal(200);
    expect((await news("account-2", "REJECTED", Math.floor(Date.now() / 1_000) + 5)).status).to.equal(200);
    await world.control("POST", "/templates/aviso", { category: "MARKETING" });
    await eventually(async () => ((await get(id)).template.category === "MARKETING" ? true : undefined));
    expect((await get(id)).state).to.equal("APPROVED");
  });

  it("are not listed by §1 nor sent once they are archived", async () => {
    expect((await send(101, ["Ana", "7"])).json).to.deep.equal({ status: "success" });
    expect((await ask("DELETE", "/101")).status).to.equal(204);
    expect(await listed(101)).to.equal(undefined);
    expect((await send(101, ["Ana", "7"])).status).to.equal(403);
    expect((await submit(101)).status).to.equal(404);
  });

  it("of another business are neither submitted nor seen, and a sync brings only one's own", async () => {
    const { id } = await make({ nombre: "Aviso", template: content() });
    const other = await world.sessionToken(201);
    const missing = await ask("POST", "/999999999/submit", undefined, other);
    const foreign = await ask("POST", `/${id}/submit`, undefined, other);
    expect([foreign.status, foreign.text]).to.deep.equal([missing.status, missing.text]);
    expect((await get(id)).state).to.equal("no_status");
    expect((await ask("POST", "/sync", undefined, other)).json).to.deep.equal({ created: 0, updated: 1, missing: 0 });
    expect((await get(101)).state).to.equal("no_status");
    expect((await ask("POST", "/sync", undefined, await world.sessionToken(102))).status).to.equal(403);
  });
});
