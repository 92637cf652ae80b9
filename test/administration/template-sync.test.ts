import { expect } from "chai";
import type { Answer } from "../support/http.ts";
import { content, Templates } from "./template-support.ts";

describe("A sync of templates", () => {
  let templates: Templates;
  beforeEach(async () => {
    templates = await Templates.start();
  });
  afterEach(() => templates.stop());

  it("updates templates from all pages of the platform's list", async () => {
    const archived = await templates.ask("DELETE", "/101");
    expect(archived.status).to.equal(204);
    const { json } = await templates.ask("POST", "/sync");
    expect(json).to.deep.equal({ created: 1, updated: 2, missing: 1 });
    const { data } = (await templates.ask("GET", "?limit=100")).json;
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
    expect((await templates.ask("POST", "/sync")).json).to.deep.equal({ created: 0, updated: 0, missing: 1 });

    const many = Array.from({ length: 230 }, (_, n) => ({
      name: `many_${n}`,
      language: "es",
      status: "APPROVED",
      category: "UTILITY",
      components: content().components,
    }));
    await templates.world.control("POST", "/accounts", {
      ...{ token: "token-1", accountId: "account-1", phoneNumberId: "number-9", displayPhoneNumber: "59120000009" },
      templates: many,
    });
    expect((await templates.ask("POST", "/sync")).json).to.deep.equal({ created: 230, updated: 0, missing: 1 });
    const audit = await templates.world.rows<{ change: string }>(
      "select change from audit where business_id = 1 and resource = 'templates' and change = 'created'",
    );
    expect(audit).to.have.length(231);
  });

  it("stores headers with a place, and such a template can be changed", async () => {
    await templates.world.control("POST", "/accounts", {
      ...{ token: "token-1", accountId: "account-1", phoneNumberId: "number-9", displayPhoneNumber: "59120000009" },
      templates: [
        {
          ...{ name: "with_a_place", language: "es", status: "APPROVED", category: "UTILITY" },
          components: [{ type: "HEADER", format: "LOCATION" }, ...content().components],
        },
      ],
    });
    await templates.sync();
    const { data } = (await templates.ask("GET", "?limit=100")).json;
    const { id, ...made } = data.find((each: Answer["json"]) => each.id_plantilla === "with_a_place");
    expect(made.type).to.equal("LOCATION");
    const { nombre, id_plantilla, descripcion, template, type, tipo } = made;
    const stored = { nombre, id_plantilla, descripcion, template, type, tipo };
    const { status, json, text } = await templates.ask("PUT", `/${id}`, { ...stored, nombre: "Con lugar" });
    expect([status, json.nombre, json.type], text).to.deep.equal([200, "Con lugar", "LOCATION"]);
  });

  it("pauses campaigns whose templates are now paused or disabled, with the reason and an event", async () => {
    const registered = (plantilla_id: number) =>
      templates.world.post("/chats/enviar/masivo/plantilla", {
        ...{ contacts_id: [101], contacts: [{ nombre: "Carla", numero: "59170000101" }], plantilla_id, empresa_id: 1 },
        ...{ user_id: 101, nombre: `Promo ${plantilla_id}`, step: 101, paramMapping: { 1: "nombre", 2: "nombre" } },
        ...{ schedule_at: "2099-01-01T00:00:00Z" },
      });
    for (const id of [101, 101, 104]) {
      const answer = await registered(id);
      expect(answer.status, answer.text).to.equal(200);
    }
    const admin = await templates.world.listen(101);
    // Without a webhook about this change, only the synchronization can find it.
    await templates.world.control("POST", "/webhooks", { paused: true, fail_numbers: [] });
    await templates.world.control("POST", "/templates/template_101", { event: "DISABLED" });
    await templates.sync();
    const campaigns = () =>
      templates.world.rows<{ template_id: number; state: string; pause_reason: string | null }>(
        "select template_id, state, pause_reason from campaigns where business_id = 1 order by id",
      );
    const stopped = { template_id: 101, state: "paused", pause_reason: "the platform has the template disabled" };
    const running = { template_id: 104, state: "running", pause_reason: null };
    expect(await campaigns()).to.deep.equal([stopped, stopped, running]);
    await admin.hears(({ name, payload }) => name === "campaign:progress" && payload.state === "paused");
  });

  it("records the complete templates before and after in the audit", async () => {
    await templates.sync();
    const { data } = (await templates.administer("GET", "/admin/audit?resource=templates")).json;
    const of = (name: string) => data.find(({ after }: Answer["json"]) => after.id_plantilla === name);
    const known = of("template_104");
    expect(known).to.include({ change: "changed", record_id: 104 });
    expect(known.actor).to.include({ type: "user", id: 101 });
    const { record_version: _, id: __, ...now } = await templates.get(104);
    expect(known.after).to.deep.equal(now);
    expect(known.before).to.deep.equal({
      ...now,
      ...{ state: "no_status", platform_status: null, platform_id: null },
      ...{ descripcion: "Hola {{1}}, tu pedido {{2}} está listo.", updated_at: known.before.updated_at },
      template: { language: "es", components: [{ type: "BODY", text: "Hola {{1}}, tu pedido {{2}} está listo." }] },
    });
    const made = of("made_there");
    const { record_version: ___, id, ...whole } = await templates.get(made.record_id);
    expect(made).to.deep.include({ change: "created", record_id: id, before: null, after: whole });
  });

  it("imports and audits thousands at once", async () => {
    const [numbers, each] = [5, 600];
    for (let number = 0; number < numbers; number += 1) {
      await templates.world.control("POST", "/accounts", {
        ...{ token: "token-1", accountId: "account-1", phoneNumberId: `many-${number}` },
        displayPhoneNumber: `5912000010${number}`,
        templates: Array.from({ length: each }, (_, n) => ({
          ...{ name: `many_${number}_${n}`, language: "es", status: "APPROVED", category: "UTILITY" },
          components: content().components,
        })),
      });
    }
    expect(await templates.sync()).to.deep.equal({ created: numbers * each + 1, updated: 3, missing: 1 });
    const [told] = await templates.world.rows<{ entries: number; records: number }>(
      `select count(*)::int as entries, count(distinct record_id)::int as records from audit
       where business_id = 1 and resource = 'templates' and change = 'created' and after->>'platformStatus' is not null`,
    );
    expect(told).to.deep.equal({ entries: numbers * each + 1, records: numbers * each + 1 });
    expect(await templates.sync()).to.deep.equal({ created: 0, updated: 0, missing: 1 });
  });

  it("creates each template once if two syncs run at the same time", async () => {
    const both = await Promise.all([templates.sync(), templates.sync()]);
    expect(both.map(({ created }) => created).sort()).to.deep.equal([0, 1]);
  });
});
