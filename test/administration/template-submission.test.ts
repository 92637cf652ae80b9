import { expect } from "chai";
import { eventually } from "../support/wait.ts";
import { content, Templates } from "./template-support.ts";

describe("Templates that are sent for approval", () => {
  let templates: Templates;
  beforeEach(async () => {
    templates = await Templates.start({ MESSAGING_PLATFORM_TIMEOUT_MS: "1500" });
  });
  afterEach(() => templates.stop());

  it("are sent for approval, approved by webhook, and then listed and sent", async () => {
    await templates.review({ delay_ms: 3_600_000 });
    const { id } = await templates.make({ nombre: "Aviso", template: content() });
    expect((await templates.listed(id)).state).to.equal("no_status");
    const submitted = await templates.submit(id);
    expect(submitted.status, submitted.text).to.equal(200);
    expect(submitted.json).to.include({ state: "PENDING", platform_status: "PENDING" });
    expect(submitted.headers.etag).to.equal(`"${submitted.json.record_version}"`);
    expect((await templates.listed(id)).state).to.equal("PENDING");
    expect((await templates.send(id)).text).to.include("aún no ha sido aprobada");

    await templates.world.control("POST", "/templates/aviso", { event: "APPROVED" });
    await templates.becomes(id, "APPROVED");
    expect((await templates.listed(id)).state).to.equal("APPROVED");
    expect((await templates.send(id)).json).to.deep.equal({ status: "success" });
    const sent = await templates.world.control("GET", "/messages?to=59170000101");
    expect(sent).to.have.length(1);
    expect(sent[0].template.name).to.equal("aviso");
  });

  it("are rejected with the platform's reason, and can then be changed and submitted again", async () => {
    await templates.review({ outcome: "REJECTED", reason: "INVALID_FORMAT" });
    const made = await templates.make({ nombre: "Aviso", template: content() });
    await templates.submit(made.id);
    const rejected = await templates.becomes(made.id, "REJECTED");
    expect(rejected).to.include({ platform_status: "REJECTED", rejected_reason: "INVALID_FORMAT" });

    // The sandbox approves only when the test tells it to, since an early approval would change the answer below.
    await templates.review({ outcome: "APPROVED", delay_ms: 3_600_000 });
    const better = content("Hola {{1}}, ya puedes recogerlo.");
    const changed = await templates.ask("PUT", `/${made.id}`, { nombre: "Aviso", template: better });
    expect(changed.status, changed.text).to.equal(200);
    expect((await templates.submit(made.id)).json).to.include({
      platform_status: "PENDING",
      platform_id: rejected.platform_id,
    });
    await templates.world.control("POST", "/templates/aviso", { event: "APPROVED" });
    expect(await templates.becomes(made.id, "APPROVED")).to.include({ rejected_reason: null });
    expect((await templates.send(made.id)).json).to.deep.equal({ status: "success" });
    const { data } = (await templates.world.get("/chats/101/messages")).json;
    expect(data.some(({ texto }: { texto: string }) => texto === "Hola Ana, ya puedes recogerlo.")).to.equal(true);
  });

  it("send one-time codes with the platform's text, and the button copies the code", async () => {
    await templates.review({ outcome: "APPROVED", delay_ms: 0 });
    const components = [
      { type: "BODY", add_security_recommendation: true },
      { type: "FOOTER", code_expiration_minutes: 5 },
      { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE" }] },
    ];
    const template = { language: "es", category: "AUTHENTICATION", components };
    const { id } = await templates.make({ nombre: "Código", descripcion: "{{1}} es tu código.", template });
    await templates.submit(id);
    await templates.becomes(id, "APPROVED");
    expect((await templates.send(id)).json).to.deep.equal({ status: "success" });
    // The platform lists the button as a URL button, so the synchronization updates the template. It can still be sent.
    expect((await templates.sync()).updated).to.be.at.least(1);
    expect((await templates.send(id)).json).to.deep.equal({ status: "success" });
    const sent = await templates.world.control("GET", "/messages?to=59170000101");
    expect(sent).to.have.length(2);
  });

  it("cannot be changed in submitted parts, but in others", async () => {
    const body = { nombre: "Aviso", id_plantilla: "aviso", template: content() };
    const { id } = await templates.make(body);
    await templates.submit(id);
    for (const change of [
      { template: content("Otro {{1}} texto") },
      { template: null },
      { id_plantilla: "otro" },
      { tipo: "ProviderB" },
    ]) {
      const { status, json } = await templates.ask("PUT", `/${id}`, { ...body, ...change });
      expect([status, json.code], JSON.stringify(change)).to.deep.equal([409, "locked"]);
      expect(json.error).to.include(Object.keys(change)[0]);
    }
    const renamed = await templates.ask("PUT", `/${id}`, {
      ...body,
      nombre: "Otro nombre",
      visible: false,
      codigo: "A1",
    });
    expect(renamed.json).to.include({ nombre: "Otro nombre", visible: false, codigo: "A1" });
    const described = await templates.ask("PUT", `/${id}`, { ...body, descripcion: "Otra" });
    expect([described.status, described.json.descripcion]).to.deep.equal([200, "Hola {{1}}, tu pedido está listo."]);
    const again = await templates.submit(id);
    expect([again.status, again.json.code]).to.deep.equal([409, "locked"]);
  });

  it("stay as they were if the platform refuses them, and show its text", async () => {
    const first = await templates.make({ nombre: "Uno", id_plantilla: "doble", template: content() });
    const second = await templates.makeDouble();
    expect((await templates.submit(first.id)).status).to.equal(200);
    const refused = await templates.submit(second.id);
    expect([refused.status, refused.json.code]).to.deep.equal([400, "template_refused"]);
    expect(refused.json.error).to.include("There is already content in this language");
    expect((await templates.get(second.id)).state).to.equal("no_status");
  });

  it("stay pending until a sync if the platform's answer is lost", async () => {
    const { id } = await templates.make({ nombre: "Perdida", template: content() });
    await templates.fault({ reset: true });
    const lost = await templates.submit(id);
    expect([lost.status, lost.json.code], lost.text).to.deep.equal([502, "platform_unavailable"]);
    expect((await templates.get(id)).state).to.equal("PENDING");
    await templates.ask("POST", "/sync");
    expect((await templates.get(id)).state).to.equal("no_status");
    expect((await templates.submit(id)).status).to.equal(200);
  });

  it("do not count as refused if the platform has a temporary failure or its rate limit is reached", async () => {
    const { id } = await templates.make({ nombre: "Aviso", template: content() });
    await templates.fault({ code: 80007, status: 429 });
    const refused = await templates.submit(id);
    expect([refused.status, refused.json.code], refused.text).to.deep.equal([502, "platform_unavailable"]);
    expect((await templates.get(id)).state).to.equal("no_status");
    await templates.fault({ code: 2, status: 500 });
    const away = await templates.submit(id);
    expect([away.status, away.json.code], away.text).to.deep.equal([502, "platform_unavailable"]);
    expect((await templates.get(id)).state).to.equal("PENDING");
  });

  it("can be submitted only with content, and by a business with a number at the platform", async () => {
    const bare = await templates.make({ nombre: "Sin contenido", descripcion: "Hola" });
    const other = await templates.make({ nombre: "De otro", tipo: "ProviderB", id_providerb: "HX1" });
    for (const { id } of [bare, other]) {
      const { status, json } = await templates.submit(id);
      expect([status, json.code]).to.deep.equal([409, "not_submittable"]);
    }
    await templates.world.rows("delete from senders where business_id = 1");
    const { id } = await templates.make({ nombre: "Sola", template: content() });
    expect((await templates.submit(id)).json.code).to.equal("no_sender");
    expect((await templates.get(id)).state).to.equal("no_status");
    expect((await templates.ask("POST", "/sync")).json.code).to.equal("no_sender");
  });

  describe("before the platform has answered", () => {
    const waitsForLock = async () => {
      const waiting = await templates.world.rows<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query like '%"templates"%'`,
      );
      return waiting[0];
    };

    it("are audited as submitted, and afterwards as accepted or refused", async () => {
      const first = await templates.make({ nombre: "Uno", id_plantilla: "doble", template: content() });
      await templates.fault({ delay_ms: 300 });
      const answer = templates.submit(first.id);
      await templates.becomes(first.id, "PENDING");
      expect(await templates.audited(first.id)).to.deep.equal([
        [undefined, "no_status"],
        ["no_status", "PENDING"],
      ]);
      const { json: taken } = await answer;
      const path = `/admin/audit?resource=templates&record=${first.id}&limit=1`;
      const [last] = (await templates.administer("GET", path)).json.data;
      expect(last.actor).to.include({ type: "user", id: 101 });
      expect([last.before.platform_id, last.after.platform_id]).to.deep.equal([null, taken.platform_id]);

      const second = await templates.makeDouble();
      expect((await templates.submit(second.id)).status).to.equal(400);
      expect(await templates.audited(second.id)).to.deep.equal([
        [undefined, "no_status"],
        ["no_status", "PENDING"],
        ["PENDING", "no_status"],
      ]);
    });

    it("are submitted once by two simultaneous requests", async () => {
      const { id } = await templates.make({ nombre: "Aviso", template: content() });
      await templates.fault({ delay_ms: 300, count: 2 });
      const answers = await Promise.all([templates.submit(id), templates.submit(id)]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    });

    it("are found by a sync if the platform accepted them and its answer was lost", async () => {
      const { id } = await templates.make({ nombre: "Perdida", template: content() });
      await templates.review({ delay_ms: 3_600_000 });
      await templates.fault({ reset: true, accept: true });
      expect((await templates.submit(id)).status).to.equal(502);
      expect(await templates.audited(id)).to.deep.include(["no_status", "PENDING"]);
      expect(await templates.get(id)).to.include({ state: "PENDING", platform_id: null });
      expect((await templates.submit(id)).json.code).to.equal("locked");
      expect(await templates.sync()).to.include({ created: 1, missing: 1 });
      const found = await templates.get(id);
      expect(found).to.include({ state: "PENDING" });
      expect(found.platform_id).to.match(/^\d+$/);
      expect((await templates.submit(id)).json.code).to.equal("locked");
    });

    it("are found by a sync if the process died before it stored the answer", async () => {
      const { id } = await templates.make({ nombre: "Huérfana", template: content() });
      await templates.review({ delay_ms: 3_600_000 });
      await templates.fault({ delay_ms: 300 });
      const answer = templates.submit(id);
      await templates.becomes(id, "PENDING");
      await templates.world.database.transaction(async (transaction) => {
        await transaction.rows({ name: "", text: "select from templates where id = $1 for update" }, [id]);
        const { pid } = await eventually(waitsForLock);
        await templates.world.rows("select pg_terminate_backend($1)", [pid]);
      });
      expect((await answer).status).to.be.at.least(500);
      expect(await templates.get(id)).to.include({ state: "PENDING", platform_id: null });
      expect((await templates.submit(id)).json.code).to.equal("locked");
      await templates.sync();
      expect((await templates.get(id)).platform_id).to.match(/^\d+$/);
      await templates.world.control("POST", "/templates/huerfana", { event: "APPROVED" });
      await templates.becomes(id, "APPROVED");
    });

    it("stay pending in a sync whose list does not have them yet, and do not count as missing", async () => {
      const { id } = await templates.make({ nombre: "En vuelo", template: content() });
      await templates.fault({ hang: true });
      const answer = templates.submit(id);
      await templates.becomes(id, "PENDING");
      expect(await templates.sync()).to.include({ missing: 1 });
      expect((await templates.submit(id)).json.code).to.equal("locked");
      expect((await answer).status).to.equal(502);
      expect((await templates.get(id)).state).to.equal("PENDING");
      expect(await templates.sync()).to.include({ missing: 2 });
      expect((await templates.get(id)).state).to.equal("no_status");
    });

    it("cannot be edited again while the platform's list may be older than the edit", async () => {
      const { id } = await templates.rejectedAndChanged();
      await templates.fault({ reset: true });
      expect((await templates.submit(id)).status).to.equal(502);
      await templates.sync();
      expect((await templates.submit(id)).json.code).to.equal("locked");
      await templates.aMinuteLater();
      await templates.sync();
      expect((await templates.get(id)).state).to.equal("REJECTED");
      await templates.review({ outcome: "APPROVED" });
      expect((await templates.submit(id)).status).to.equal(200);
      await templates.becomes(id, "APPROVED");
    });

    it("store the platform's answer if they are archived meanwhile", async () => {
      const { id } = await templates.make({ nombre: "Archivada", template: content() });
      await templates.fault({ delay_ms: 300 });
      const answer = templates.submit(id);
      await templates.becomes(id, "PENDING");
      expect((await templates.ask("DELETE", `/${id}`)).status).to.equal(204);
      const { status, json } = await answer;
      expect([status, json.code]).to.deep.equal([404, "not_found"]);
      const stored = "select platform_id from templates where business_id = 1 and id = $1";
      const [row] = await templates.world.rows<{ platform_id: string }>(stored, [id]);
      expect(row?.platform_id).to.match(/^\d+$/);
      expect(await templates.sync()).to.include({ created: 1, missing: 1 });
    });

    it("are refused with the platform's text if they are archived meanwhile", async () => {
      await templates.submit((await templates.make({ nombre: "Uno", id_plantilla: "doble", template: content() })).id);
      const { id } = await templates.makeDouble();
      await templates.fault({ delay_ms: 300 });
      const answer = templates.submit(id);
      await templates.becomes(id, "PENDING");
      expect((await templates.ask("DELETE", `/${id}`)).status).to.equal(204);
      expect((await answer).json.code).to.equal("template_refused");
    });
  });
});
