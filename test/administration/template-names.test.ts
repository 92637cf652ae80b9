import { expect } from "chai";
import { content, Templates } from "./template-support.ts";

describe("The name of a template at the platform", () => {
  let templates: Templates;
  before(async () => {
    templates = await Templates.start();
  });
  after(() => templates.stop());

  const taken = { code: "taken", error: "id_plantilla ya está en uso" };

  it("cannot be used again for its language until the template is archived", async () => {
    const { id } = await templates.make({ nombre: "Aviso", template: content() });
    const again = await templates.ask("POST", "", {
      nombre: "Otro",
      id_plantilla: "aviso",
      template: content("Otro."),
    });
    expect([again.status, again.json]).to.deep.equal([409, taken]);
    await templates.make({ nombre: "Aviso", template: { ...content(), language: "en" } });
    const other = await templates.make({ nombre: "Segundo", template: content() });
    const renamed = { nombre: "Segundo", id_plantilla: "aviso", template: content() };
    const refused = await templates.ask("PUT", `/${other.id}`, renamed);
    expect([refused.status, refused.json]).to.deep.equal([409, taken]);
    expect((await templates.ask("DELETE", `/${id}`)).status).to.equal(204);
    expect((await templates.ask("PUT", `/${other.id}`, renamed)).status).to.equal(200);
  });

  it("can be used by one of two simultaneous requests, and by another business", async () => {
    const make = (by?: string) => templates.ask("POST", "", { nombre: "A la vez", template: content() }, by);
    const both = await Promise.all([make(), make()]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    expect((await make(await templates.world.sessionToken(201))).status).to.equal(201);
  });

  it("can belong to two older records; a sync updates the submitted one", async () => {
    await templates.review({});
    const draft = await templates.make({ nombre: "Borrador", template: content("Nunca enviado.") });
    const sent = await templates.make({ nombre: "Enviado", template: content("Hola {{1}}, ya llegó.") });
    await templates.submit(sent.id);
    await templates.becomes(sent.id, "APPROVED");
    await templates.world.rows(`update templates set platform_name = 'enviado' where id = ${draft.id}`);
    await templates.aMinuteLater();
    await templates.sync();
    const first = await templates.get(draft.id);
    expect(first).to.include({ platform_id: null, state: "no_status", descripcion: "Nunca enviado." });
    const { platform_id: platformId, descripcion } = await templates.get(sent.id);
    expect(platformId).to.be.a("string");
    expect(descripcion).to.equal("Hola {{1}}, ya llegó.");
    const changed = await templates.ask("PUT", `/${draft.id}`, { ...first, nombre: "Borrador viejo" });
    expect([changed.status, changed.json.nombre]).to.deep.equal([200, "Borrador viejo"]);
  });

  it("is removed from all but one of the older records with the same template", async () => {
    await templates.review({});
    const one = await templates.make({ nombre: "Uno", template: content() });
    const two = await templates.make({ nombre: "Dos", template: content() });
    await templates.submit(one.id);
    await templates.becomes(one.id, "APPROVED");
    await templates.aMinuteLater();
    await templates.world.rows(
      `update templates as copy set platform_name = own.platform_name, platform_id = own.platform_id,
              platform_status = own.platform_status
       from templates as own where own.id = ${one.id} and copy.id = ${two.id}`,
    );
    await templates.sync();
    const ids = [await templates.get(one.id), await templates.get(two.id)].map(({ platform_id }) => platform_id);
    expect(ids.filter((id) => id !== null)).to.have.length(1);
  });
});

describe("The description of a template", () => {
  let templates: Templates;
  before(async () => {
    templates = await Templates.start();
  });
  after(() => templates.stop());

  it("is the text of its BODY, whatever the request contains", async () => {
    const made = await templates.make({ nombre: "Lista", descripcion: "Otra cosa", template: content() });
    expect(made.descripcion).to.equal("Hola {{1}}, tu pedido está listo.");
    const other = { ...made, template: content("Hola {{1}}, ya puedes recogerlo.") };
    const changed = await templates.ask("PUT", `/${made.id}`, other);
    expect(changed.json.descripcion).to.equal("Hola {{1}}, ya puedes recogerlo.");
    expect((await templates.listed(made.id)).descripcion).to.equal("Hola {{1}}, ya puedes recogerlo.");
    const bare = await templates.make({ nombre: "Sin contenido", descripcion: "Solo texto" });
    expect(bare.descripcion).to.equal("Solo texto");
  });

  it("is corrected by a change of an older record, also after a submission, and by a sync", async () => {
    await templates.review({});
    const [written, synced] = [
      await templates.make({ nombre: "Escrita", template: content() }),
      await templates.make({ nombre: "Leída", template: content() }),
    ];
    for (const { id } of [written, synced]) {
      await templates.submit(id);
      await templates.becomes(id, "APPROVED");
      await templates.world.rows(`update templates set body = 'Otra cosa' where id = ${id}`);
    }
    const { status, json } = await templates.ask("PUT", `/${written.id}`, await templates.get(written.id));
    expect([status, json.descripcion]).to.deep.equal([200, "Hola {{1}}, tu pedido está listo."]);
    await templates.aMinuteLater();
    await templates.sync();
    expect((await templates.get(synced.id)).descripcion).to.equal("Hola {{1}}, tu pedido está listo.");
  });
});
