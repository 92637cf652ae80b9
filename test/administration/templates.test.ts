import { expect } from "chai";
import { eventually } from "../support/wait.ts";
import { content, Templates } from "./template-support.ts";

describe("Templates that a business manages", () => {
  let templates: Templates;
  beforeEach(async () => {
    templates = await Templates.start();
  });
  afterEach(() => templates.stop());

  const registerCampaign = async (id: number) => {
    const registered = await templates.world.post("/chats/enviar/masivo/plantilla", {
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
  };

  it("derive fields from their content", async () => {
    const made = await templates.make({ nombre: "¡Pedido Listo!", template: content() });
    expect(made).to.deep.include({
      id_plantilla: "pedido_listo",
      descripcion: "Hola {{1}}, tu pedido está listo.",
      type: "TEXT",
      tipo: "Cloud",
      state: "no_status",
      visible: true,
    });
    const pictured = await templates.make({
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

  it("are stored with the replacement character for half a surrogate pair", async () => {
    const made = await templates.make({ nombre: "Rota", template: content("Hola \ud800, ya está.") });
    expect(made.template).to.deep.equal(content("Hola \ufffd, ya está."));
    expect(made.descripcion).to.equal("Hola \ufffd, ya está.");
  });

  for (const [field, template] of [
    ["template.category", { ...content(), category: "PROMO" }],
    ["template.components[0].example.body_text", { ...content(), components: [{ type: "BODY", text: "a {{1}} b" }] }],
    ["template.components[0].text", content("{{1}} hola")],
    ["template.components debe tener un BODY", { ...content(), components: [{ type: "FOOTER", text: "Hola" }] }],
  ] as const) {
    it(`are refused at ${field}`, async () => {
      const { status, json } = await templates.ask("POST", "", { nombre: "Mala", template });
      expect([status, json.code]).to.deep.equal([400, "invalid_input"]);
      expect(json.error).to.include(field);
    });
  }

  it("pause their campaigns with the reason at once when the platform pauses them", async () => {
    const { id } = await templates.make({ nombre: "Promo", template: content(undefined, "MARKETING") });
    await templates.review({});
    await templates.submit(id);
    await templates.becomes(id, "APPROVED");
    await registerCampaign(id);
    await templates.world.control("POST", "/templates/promo", { event: "FLAGGED" });
    await templates.world.control("POST", "/templates/promo", { event: "PAUSED", reason: "LOW_QUALITY" });
    expect(await templates.becomes(id, "REJECTED")).to.include({
      platform_status: "PAUSED",
      rejected_reason: "LOW_QUALITY",
    });
    const [campaign] = await templates.world.rows<{ state: string; pause_reason: string }>(
      "select state, pause_reason from campaigns where business_id = 1",
    );
    expect(campaign?.state).to.equal("paused");
    expect(campaign?.pause_reason).to.include("paused").and.to.include("LOW_QUALITY");
    expect((await templates.listed(id)).state).to.equal("REJECTED");

    await templates.world.control("POST", "/templates/promo", { event: "REINSTATED" });
    await templates.becomes(id, "APPROVED");
    const [still] = await templates.world.rows<{ state: string }>("select state from campaigns where business_id = 1");
    expect(still?.state).to.equal("paused");
  });

  it("ignore reports on a template of the same name in another account of the business", async () => {
    const { id } = await templates.make({ nombre: "Promo", template: content(undefined, "MARKETING") });
    await templates.review({});
    await templates.submit(id);
    await templates.becomes(id, "APPROVED");
    await registerCampaign(id);
    await templates.world.rows(
      `insert into senders (business_id, provider, platform_id, account_id, phone, sealed_token)
       select 1, provider, 'number-9', 'account-9', '59170000009', sealed_token from senders where business_id = 1`,
    );
    const news = (account: string, event: string) => {
      const value = {
        event,
        message_template_id: 987_654_321,
        message_template_name: "promo",
        message_template_language: "es",
        reason: "LOW_QUALITY",
      };
      const time = Math.floor(Date.now() / 1_000) + 5;
      return templates.world.webhook({
        object: "whatsapp_business_account",
        entry: [{ id: account, time, changes: [{ field: "message_template_status_update", value }] }],
      });
    };
    const state = async () => {
      const [row] = await templates.world.rows<{ state: string; platform_status: string }>(
        `select campaign.state, platform_status from campaigns as campaign
         join templates on templates.business_id = campaign.business_id and templates.id = template_id
         where campaign.business_id = 1`,
      );
      return [row?.state, row?.platform_status];
    };
    expect((await news("account-9", "PAUSED")).status).to.equal(200);
    await eventually(async () => (await templates.world.rows("select 1 from incoming_webhooks")).length === 0);
    expect(await state()).to.deep.equal(["running", "APPROVED"]);
    expect((await news("account-1", "PAUSED")).status).to.equal(200);
    await eventually(async () => expect(await state()).to.deep.equal(["paused", "PAUSED"]));
  });

  it("get the platform's category, and ignore reports that are older than the last one or from another account", async () => {
    const { id } = await templates.make({ nombre: "Aviso", template: content() });
    await templates.review({});
    await templates.submit(id);
    const { platform_id: platformId } = await templates.becomes(id, "APPROVED");
    const news = (account: string, event: string, time: number) =>
      templates.world.webhook({
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
    await templates.world.control("POST", "/templates/aviso", { category: "MARKETING" });
    await eventually(async () => ((await templates.get(id)).template.category === "MARKETING" ? true : undefined));
    expect((await templates.get(id)).state).to.equal("APPROVED");
  });

  it("are neither listed by §1 nor sent after they are archived", async () => {
    expect((await templates.send(101, ["Ana", "7"])).json).to.deep.equal({ status: "success" });
    expect((await templates.ask("DELETE", "/101")).status).to.equal(204);
    expect(await templates.listed(101)).to.equal(undefined);
    expect((await templates.send(101, ["Ana", "7"])).status).to.equal(403);
    expect((await templates.submit(101)).status).to.equal(404);
  });

  it("of another business can be neither submitted nor seen, and a sync reads only the own account", async () => {
    const { id } = await templates.make({ nombre: "Aviso", template: content() });
    const other = await templates.world.sessionToken(201);
    const missing = await templates.ask("POST", "/999999999/submit", undefined, other);
    const foreign = await templates.ask("POST", `/${id}/submit`, undefined, other);
    expect([foreign.status, foreign.text]).to.deep.equal([missing.status, missing.text]);
    expect((await templates.get(id)).state).to.equal("no_status");
    expect((await templates.ask("POST", "/sync", undefined, other)).json).to.deep.equal({
      created: 0,
      updated: 1,
      missing: 0,
    });
    expect((await templates.get(101)).state).to.equal("no_status");
    expect((await templates.ask("POST", "/sync", undefined, await templates.world.sessionToken(102))).status).to.equal(
      403,
    );
  });
});
