import { expect } from "chai";
import { eventually } from "../support/wait.ts";
import { aBusiness } from "../support/world.ts";
import { CampaignWorld, campaignBusiness, contactId } from "./campaign-support.ts";

describe("bulk campaigns (§4)", () => {
  let all: CampaignWorld;
  before(async () => {
    all = await CampaignWorld.start([
      campaignBusiness(1),
      campaignBusiness(2),
      campaignBusiness(3, { sender: aBusiness(3).sender }),
    ]);
  });
  after(() => all.stop());
  afterEach(() => all.calm());

  const refusal = async (changes: object, count = 2): Promise<readonly [number, string]> => {
    const answer = await all.post(all.body(count, changes));
    expect(answer.json.success).to.equal(false);
    return [answer.status, answer.json.error];
  };
  const campaigns = async (): Promise<number> =>
    (await all.rows<{ count: number }>("select count(*)::int as count from campaigns"))[0]?.count ?? -1;
  const messages = (id: number) =>
    all.rows<{ contact_id: number; body: string; state: string; chat_id: number; author_name: string }>(
      `select chats.contact_id, message.* from messages as message
       join chats on chats.business_id = message.business_id and chats.id = message.chat_id
       where message.campaign_id = $1 order by chats.contact_id`,
      [id],
    );

  describe("registering", () => {
    it("requires all fields, and names a wrong one", async () => {
      const before = await campaigns();
      for (const field of ["contacts_id", "contacts", "plantilla_id", "empresa_id", "user_id", "nombre", "step"]) {
        expect(await refusal({ [field]: undefined }), field).to.deep.equal([400, `${field} es requerido`]);
      }
      const wrong = {
        contacts_id: ["1001", 1.5, 0].map((id) => [id, contactId(2)]),
        contacts: [[{ nombre: "Ana" }, {}], [{ nombre: 1, numero: "591" }, {}], "Ana"],
        plantilla_id: ["101", true, 0],
        user_id: [null],
        nombre: [7, ""],
        step: ["uno"],
        tags: ["1", [0]],
        paramMapping: [{ "0": "nombre" }, { nombre: "1" }, { "1": 7 }, "nombre"],
        schedule_at: [7, "mañana", "2026-02-30T10:00:00Z"],
        send_window: [{ from: "9:00", to: "20:00" }, { from: "09:00" }, { from: "24:00", to: "09:00" }],
      };
      for (const [field, values] of Object.entries(wrong)) {
        for (const value of values) {
          const [status, error] = await refusal({ [field]: value });
          expect(status, `${field} ${JSON.stringify(value)}`).to.equal(400);
          expect(error).to.include(field);
        }
      }
      expect(await campaigns()).to.equal(before);
    });

    it("requires lists of the same length, and a window that is not empty", async () => {
      const [status, error] = await refusal({ contacts_id: [contactId(1)] });
      expect(status).to.equal(400);
      expect(error).to.include("misma cantidad");
      expect(await refusal({ send_window: { from: "09:00", to: "09:00" } })).to.include(400);
    });

    it("requires a number for each contact, and a digit in each number", async () => {
      expect(
        await refusal({
          contacts: [
            { nombre: "Ana", numero: "+-" },
            { nombre: "Eva", numero: "591" },
          ],
        }),
      ).to.include(400);
    });

    it("checks the fields first, then the business, the template, and all ids together", async () => {
      const wrongIds = { contacts_id: [contactId(1), 99], step: 98, user_id: 97, tags: [101, 96] };
      const foreign = { empresa_id: 2, plantilla_id: 201, ...wrongIds };
      expect((await refusal({ ...foreign, contacts: [] }))[0]).to.equal(400);
      expect((await refusal({ ...foreign, schedule_at: "mañana" }))[0]).to.equal(400);
      expect(await refusal(foreign)).to.deep.equal([404, "Empresa no encontrada"]);
      expect(await refusal({ ...foreign, empresa_id: 99 })).to.deep.equal([404, "Empresa no encontrada"]);
      expect(await refusal({ ...wrongIds, plantilla_id: 201 })).to.deep.equal([404, "Plantilla no encontrada"]);
      expect(await refusal({ ...wrongIds, plantilla_id: 104 })).to.deep.equal([404, "Plantilla no encontrada"]);
      const [status, error] = await refusal(wrongIds);
      expect(status).to.equal(400);
      expect(error.match(/\d+/g)).to.have.members(["99", "98", "97", "96"]);
      expect(error).to.match(/contacts_id.*step.*user_id.*tags/);
    });

    it("treats another business's ids as unknown, and registers nothing", async () => {
      const before = await campaigns();
      for (const [field, value, named] of [
        ["contacts_id", [contactId(1), contactId(1, 2)], contactId(1, 2)],
        ["step", 201, 201],
        ["user_id", 201, 201],
        ["tags", [101, 201], 201],
      ] as const) {
        const [status, error] = await refusal({ [field]: value });
        expect(status).to.equal(400);
        expect(error).to.include(field).and.include(String(named));
      }
      expect(await campaigns()).to.equal(before);
    });

    it("refuses a mapping for placeholders that the template does not have", async () => {
      const [status, error] = await refusal({ paramMapping: { "1": "nombre", "2": "pedido", "3": "nombre" } });
      expect(status).to.equal(400);
      expect(error).to.include("{{3}}");
    });

    it("refuses digits in a string as the id of the business", async () => {
      expect((await refusal({ empresa_id: "1" }))[0]).to.equal(400);
    });
  });

  describe("sending", () => {
    it("uses the numbers of the request, and stores the messages in the chats of the contacts", async () => {
      const body = all.body(5);
      const contacts = [...(body.contacts as { nombre: string; numero: string }[])];
      contacts[0] = { nombre: "Ana", numero: `+${all.phone(0).slice(0, 3)} ${all.phone(0).slice(3)}` };
      const id = await all.register({ ...body, contacts });
      await all.becomes(id, { state: "completed", total: 5, pause_reason: null }, { read: 5 });

      const accepted = await all.accepted(5);
      expect(accepted.map(({ to }) => to)).to.have.members([0, 1, 2, 3, 4].map((n) => all.phone(n)));
      expect(accepted.find(({ to }) => to === all.phone(1)).template).to.deep.equal({
        name: "template_101",
        language: "es",
        parameters: ["Ana 1", "A-1"],
      });
      const stored = await messages(id);
      expect(stored.map(({ contact_id }) => contact_id)).to.deep.equal([1, 2, 3, 4, 5].map((n) => contactId(n)));
      expect(stored[1]).to.include({ body: "Hola Ana 1, tu pedido A-1 está listo.", author_name: "Negocio 1" });
      await eventually(async () => (await messages(id)).every(({ state }) => state === "read"));
    });

    it("writes once to a contact that is listed twice, with the first entry", async () => {
      const body = all.body(3);
      const contacts_id = [contactId(1), contactId(2), contactId(1)];
      const id = await all.register({ ...body, contacts_id });
      await all.becomes(id, { state: "completed", total: 2 }, { read: 2 });
      expect((await all.accepted(3)).map(({ to }) => to)).to.have.members([all.phone(0), all.phone(1)]);
    });

    it("creates the chat of a contact without one", async () => {
      await all.rows(
        "insert into contacts (business_id, id, name, phone, platform_id) values (1, 5001, 'Nueva', '59171', '59171')",
      );
      const id = await all.register({ ...all.body(1), contacts_id: [5001] });
      await all.becomes(id, { state: "completed" }, { read: 1 });
      const [message, ...others] = await messages(id);
      expect(others).to.deep.equal([]);
      expect(message?.contact_id).to.equal(5001);
      const [talk] = await all.rows<{ state: string }>("select state from conversations where chat_id = $1", [
        message?.chat_id,
      ]);
      expect(talk?.state).to.equal("bot");
    });

    it("sends no parameters without a mapping, and 'unknown' for missing fields of a contact", async () => {
      const plain = all.body(1, { plantilla_id: 102, paramMapping: undefined });
      await all.becomes(await all.register(plain), { state: "completed" });
      expect((await all.accepted(1))[0].template.parameters).to.deep.equal([]);

      const odd = all.body(3, { paramMapping: { "2": "x", "1": "constructor" } });
      const numbers = [0, 1, 2].map((n) => ({ nombre: "Ana", numero: all.phone(n) }));
      const contacts = [
        { ...numbers[0], x: 12.5 },
        { ...numbers[1], x: { a: 1 } },
        { ...numbers[2], x: false, constructor: "own" },
      ];
      await all.becomes(await all.register({ ...odd, contacts }), { state: "completed" });
      const sent = new Map((await all.accepted(3)).map(({ to, template }) => [to, template.parameters]));
      expect(sent.get(all.phone(0))).to.deep.equal(["unknown", "12.5"]);
      expect(sent.get(all.phone(1))).to.deep.equal(["unknown", "unknown"]);
      expect(sent.get(all.phone(2))).to.deep.equal(["own", "false"]);
    });

    it("fills named placeholders in the order of the template's example", async () => {
      const named = { plantilla_id: 106, paramMapping: { "1": "pedido", "2": "nombre" } };
      const id = await all.register(all.body(1, named));
      await all.becomes(id, { state: "completed" }, { read: 1 });
      expect((await all.accepted(1))[0].template.parameters).to.deep.equal(["A-0", "Ana 0"]);
      expect((await messages(id))[0]?.body).to.equal("Hola Ana 0, tu pedido A-0 está listo.");
      const [status, error] = await refusal({ ...named, paramMapping: { "3": "nombre" } });
      expect([status, error.includes("{{3}}")]).to.deep.equal([400, true]);
    });

    it("keeps quotes, braces and line breaks in texts", async () => {
      const name = `Ana "la \\ {1,2}" 'Ñandú' 🎉`;
      const body = all.body(1);
      const id = await all.register({ ...body, contacts: [{ nombre: name, numero: all.phone(0), pedido: "{{1}}" }] });
      await all.becomes(id, { state: "completed" }, { read: 1 });
      expect((await messages(id))[0]?.body).to.equal(`Hola ${name}, tu pedido {{1}} está listo.`);
    });

    it("uses the template as it was at the registration", async () => {
      const body = all.body(1, { schedule_at: "2099-01-01T00:00:00Z" });
      const id = await all.register(body);
      await all.rows(
        "update templates set body = 'Adiós', structure = null, platform_name = 'gone', deleted_at = now() where id = 101",
      );
      // Older campaigns were registered without `parameterNames`.
      await all.rows("update campaigns set starts_at = now(), template = template - 'parameterNames' where id = $1", [
        id,
      ]);
      all.wake();
      await all.becomes(id, { state: "completed" }, { read: 1 });
      expect((await messages(id))[0]?.body).to.match(/^Hola Ana 0/);
      await all.rows(
        `update templates set body = $1, platform_name = 'template_101', deleted_at = null,
           structure = '{"language": "es"}' where id = 101`,
        ["Hola {{1}}, tu pedido {{2}} está listo."],
      );
    });

    it("adds the tags and the step to each chat, with one funnel event for each", async () => {
      const events = (id: number) =>
        all.rows<{ type: string; tag_id: number | null; step_id: number }>(
          "select type, tag_id, step_id from funnel_events where campaign_id = $1",
          [id],
        );
      const first = await all.register(all.body(2, { tags: [101, 102, 101] }));
      await all.becomes(first, { state: "completed" }, { read: 2 });
      const given = await events(first);
      expect(given.filter(({ type }) => type === "assigned_tag").map(({ tag_id }) => tag_id)).to.have.members([
        101, 101, 102, 102,
      ]);
      expect(given.filter(({ type }) => type === "campaign_sent")).to.have.length(2);
      expect(given.every(({ step_id }) => step_id === 101)).to.equal(true);

      const second = await all.register(all.body(2, { tags: [102, 103] }));
      await all.becomes(second, { state: "completed" }, { read: 2 });
      const again = (await events(second)).filter(({ type }) => type === "assigned_tag");
      expect(again.map(({ tag_id }) => tag_id)).to.have.members([103, 103]);
    });

    it("adds a tag to a chat once if two campaigns write to it at the same time", async () => {
      const sender = "select id from senders where business_id = 2 limit 1";
      await all.rows(`update senders set messages_per_second = 100000 where id = (${sender})`);
      const later = { tags: [201], schedule_at: "2099-01-01T00:00:00Z" };
      const ids = [await all.register(all.body(20, later, 2), 2), await all.register(all.body(20, later, 2), 2)];
      await all.rows("update campaigns set starts_at = now() where id = any($1)", [ids]);
      all.wake();
      for (const id of ids) await all.becomes(id, { state: "completed" }, { read: 20 }, 2);
      const [row] = await all.rows<{ events: number; tags: number }>(
        `select (select count(*)::int from funnel_events where type = 'assigned_tag' and tag_id = 201) as events,
                (select count(*)::int from chat_tags where tag_id = 201) as tags`,
      );
      expect(row).to.deep.equal({ events: 20, tags: 20 });
    });

    it("announces each message, moves no chat up, and reports progress at most twice a second and at the end", async () => {
      await all.rows("update senders set messages_per_second = 20 where business_id = 3");
      const inbox = await all.world.listen(301);
      const count = 30;
      const id = await all.register(all.body(count, {}, 3), 3);
      await inbox.hears(({ name, payload }) => name === "campaign:progress" && payload.counts.read === count);

      const named = (wanted: string) => inbox.heard.filter(({ name }) => name === wanted).map(({ payload }) => payload);
      expect(named("inbox:reorder")).to.deep.equal([]);
      // Messages may be announced after the progress that counts them.
      await eventually(async () => named("message:new").length >= count);
      const told = named("message:new");
      expect(told).to.have.length(count);
      expect(told[0]).to.include({ empresa_id: 3 });
      expect(new Set(told.map(({ mensaje }) => mensaje.id)).size).to.equal(count);

      const progress = named("campaign:progress");
      expect(progress.length).to.be.greaterThan(2);
      expect(
        progress.every(
          ({ campaign_id, total, empresa_id }) => campaign_id === id && total === count && empresa_id === 3,
        ),
      ).to.equal(true);
      const times = progress.map(({ at }) => Date.parse(at));
      const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
      expect(Math.min(...gaps)).to.be.at.least(499);
      expect(progress.at(-1)).to.include({ state: "completed" });
    });
  });
});
