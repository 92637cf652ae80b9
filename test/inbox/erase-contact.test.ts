import { readdir } from "node:fs/promises";
import { expect } from "chai";
import { openShop } from "../orders/shop.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aThread, aWebhook, type World } from "../support/world.ts";
import { Erasures, fileIn, says } from "./erasure-support.ts";

const id = 101;
const phone = "59179988776";
const name = "Wilhelmina Borrable";
const other = "59171112223";
const secrets = {
  phone,
  name,
  "a text of hers": "mi secreto es violeta",
  "an answer to her": "le contesto en confianza",
  "a custom field": "Calle Escondida 7",
  "the address of her order": "Pasaje Oculto 9",
  "the label of her place": "portón amarillo",
  "her latitude": "-16.512345",
  "the reason of a cancellation": "se muda con su hermana",
  "the picked option of an extra": "con una vela azul",
  "a parameter of a campaign": "Vale Bordado",
  "the headline of an ad": "titular del anuncio",
};

describe("erasing a contact", () => {
  let erasures: Erasures;
  let world: World;
  before(async () => {
    erasures = await Erasures.start([aThread(id, { name, phone }), aThread(102, { name: "Omar Otro", phone: other })]);
    world = erasures.world;
    await openShop(world, 1);
  });
  after(() => erasures.stop());

  const call: Erasures["call"] = (...asked) => erasures.call(...asked);
  const holding = (text: string) => erasures.holding(text);
  const chatRows = () =>
    world.rows("select state, bot_available, ad_id from chats where business_id = 1 and id = $1", [id]);
  const numbers = () =>
    world.rows<{ n: number; last: number }>(
      "select count(*) as n, max(number) as last from realtime_events where business_id = 1",
    );

  it("removes all data about the contact everywhere, and keeps counts and totals", async () => {
    await world.webhook(
      says(phone, name, secrets["a text of hers"], `wamid.${Buffer.from(phone).toString("base64")}`, {
        source_id: "ad-1",
        source_type: "ad",
        headline: secrets["the headline of an ad"],
      }),
    );
    await eventually(async () => (await world.rows("select from messages where chat_id = $1", [id])).length === 2);
    const early = {
      from: phone,
      id: "wamid.early",
      type: "reaction",
      reaction: { message_id: "wamid.later", emoji: "👍" },
    };
    await world.webhook(aWebhook(1, { messages: [{ ...early, timestamp: "1760000000" }] }));
    await eventually(
      async () => (await world.rows("select from early_news where customer = $1", [phone])).length === 1,
    );
    const [own, shared] = [await erasures.upload(10), await erasures.upload(20)];
    await world.rows(
      `insert into messages (business_id, chat_id, conversation_id, direction, kind, body, media_url, author, author_name,
                             state, reference, details)
       select 1, $1, id, 'out', 'image', $2, url, 'user', 'Ana Agente', 'sent', gen_random_uuid(), '{"caption": "foto"}'
       from conversations, unnest($3::text[]) as url where chat_id = $1 and closed_at is null`,
      [id, secrets["an answer to her"], [own, shared]],
    );
    await world.rows("update steps set content = $1 where business_id = 1", [`Mire ${shared}`]);
    await call("PUT", `/contacts/${id}`, { campos: { Domicilio: secrets["a custom field"] }, tags: [101] }).then(
      ({ status }) => expect(status).to.equal(200),
    );
    const order = await call(
      "POST",
      "/catalogs/orders",
      {
        chatId: id,
        type: "wa",
        lines: [
          {
            articleId: 101,
            quantity: 1,
            extras: [{ id: 101, customPrice: 4.5, picked: secrets["the picked option of an extra"] }],
          },
        ],
        raw_adress: secrets["the address of her order"],
        location_picked: secrets["the label of her place"],
        lat: -16.512345,
        lng: -68.1,
      },
      { "idempotency-key": "order-of-hers" },
    );
    expect(order.status, order.text).to.equal(201);
    const orderId: number = order.json.data.id;
    const reason = secrets["the reason of a cancellation"];
    const cancelled = await call("PUT", `/catalogs/order/${orderId}/status`, { status: "cancelled", reason });
    expect(cancelled.status, cancelled.text).to.equal(200);
    const campaign = await call("POST", "/chats/enviar/masivo/plantilla", {
      ...{ empresa_id: 1, plantilla_id: 101, user_id: 101, nombre: "Promo", step: 101 },
      contacts_id: [id],
      contacts: [{ nombre: name, numero: phone, premio: secrets["a parameter of a campaign"] }],
      paramMapping: { 1: "nombre", 2: "premio" },
    });
    expect(campaign.status, campaign.text).to.be.within(200, 201);
    await eventually(async () => (await world.rows("select from campaigns where state = 'completed'")).length === 1);
    await erasures.import(`numero,nombre,tags\n+591 799-88776,${name},Ninguno\n`);
    const failed = JSON.stringify({
      entry: [
        {
          changes: [
            {
              value: {
                messages: [
                  { from: phone, text: name },
                  { from: other, text: "sigue" },
                ],
              },
            },
          ],
        },
      ],
    });
    await world.rows(
      "insert into incoming_webhooks (payload, gave_up_at, error) values ($1, now(), $2), ('{', now(), '')",
      [failed, `no room for ${phone}`],
    );
    for (const [what, text] of Object.entries(secrets)) expect(await holding(text), what).not.to.deep.equal([]);
    const chat = await chatRows();
    const listener = await world.listen(102);
    const before = await numbers();

    const answer = await call("DELETE", `/contacts/${id}`);
    expect([answer.status, answer.text]).to.deep.equal([204, ""]);

    for (const [what, text] of Object.entries(secrets)) expect(await holding(text), what).to.deep.equal([]);
    expect(await holding("Omar Otro")).to.include("public.contacts");
    expect(await holding(Buffer.from(phone).toString("base64"))).to.deep.equal([]);
    expect(await readdir(erasures.directory)).to.deep.equal([fileIn(shared)]);
    expect(await world.rows("select payload from incoming_webhooks order by id")).to.deep.equal([
      {
        payload: JSON.stringify({ entry: [{ changes: [{ value: { messages: [{ from: other, text: "sigue" }] } }] }] }),
      },
      { payload: "{" },
    ]);

    const [erased, ...others] = await world.rows("select * from audit where business_id = 1 and resource = 'contacts'");
    expect(others).to.deep.equal([]);
    const noted = { actor_kind: "key", record_id: id, change: "removed", before: null, after: null };
    expect(erased).to.deep.include(noted);
    expect((await world.get(`/admin/audit?resource=contacts&record=${id}`)).json.data).to.have.length(1);

    expect((await world.get(`/contacts/${id}`)).json.code).to.equal("contact_not_found");
    expect((await world.get("/contacts")).json.data.map((each: { id: number }) => each.id)).not.to.include(id);
    expect(await chatRows()).to.deep.equal(chat);
    const thread = await world.get(`/chats/${id}/messages`);
    expect(thread.json.data).to.have.length(5);
    expect(thread.json.data.every((each: { texto: string; adjunto: unknown }) => each.texto === "")).to.equal(true);
    const kept = await world.get(`/catalogs/order/${orderId}`);
    expect(kept.json.data).to.deep.include({
      ...{ raw_adress: null, lat: null, cancel_reason: null, status: 5 },
      total: order.json.data.total,
    });
    expect((await world.get(`/catalogs/order/${orderId}/history`)).status).to.equal(200);
    expect((await world.get(`/campaigns/${(await world.get("/campaigns")).json.data[0].id}`)).json.total).to.equal(1);

    const told = await listener.hears(({ name: event }) => event === "contact:changed");
    expect(told.payload).to.deep.include({ borrado: true });
    expect(told.payload.contacto).to.deep.include({ id, nombre: "", numero: "", campos: {}, tags: [] });
    await eventually(() => listener.heard.filter(({ name: event }) => event === "message:changed").length === 5);
    const [after] = await numbers();
    expect(after?.n).to.equal(after?.last);
    expect(after?.n).to.be.above(before[0]?.n ?? 0);

    await erasures.endNow();
    for (const [what, text] of Object.entries(secrets)) expect(await holding(text), what).to.deep.equal([]);
  });

  it("removes the names of files, also of withdrawn ones", async () => {
    const from = "59178887799";
    const names = { kept: "partida de nacimiento.pdf", "taken back": "radiografia de cadera.pdf" };
    const tells = (wamid: string, type: string, content: object) =>
      world.webhook(
        aWebhook(1, {
          contacts: [{ wa_id: from, profile: { name: "Petra" } }],
          messages: [
            { from, id: wamid, timestamp: String(Math.floor(Date.now() / 1000)), type, [type]: { ...content } },
          ],
        }),
      );
    await tells("wamid.file-kept", "document", { id: "9901", filename: names.kept });
    await tells("wamid.file-back", "document", { id: "9902", filename: names["taken back"] });
    const contact = await eventually(async () => (await world.get(`/contacts?q=${from}`)).json.data[0]);
    const thread = async () => (await world.get(`/chats/${contact.chats[0].chat_id}/messages`)).text;
    await eventually(async () => {
      const text = await thread();
      return Object.values(names).every((name) => text.includes(name));
    });
    for (const name of Object.values(names)) expect(await holding(name)).to.include("public.realtime_events");
    await tells("wamid.back", "revoke", { original_message_id: "wamid.file-back" });
    await eventually(async () => (await thread()).includes("eliminado"));
    expect(await thread())
      .to.include(names.kept)
      .and.not.to.include(names["taken back"]);

    expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(204);
    for (const [which, name] of Object.entries(names)) expect(await holding(name), which).to.deep.equal([]);
  });

  it("keeps the bot's reason for the cancellation of an abandoned order", async () => {
    const botsReason = "(BOT) Cancelada por inactividad en el chat";
    const { json: contact } = await call("POST", "/contacts", { numero: "59178887740" });
    const [chat] = await world.rows<{ id: number }>(
      "insert into chats (business_id, contact_id, provider, state) values (1, $1, 'platform-apicloud', 'closed') returning id",
      [contact.id],
    );
    const lines = [{ articleId: 101, quantity: 1, extras: [] }];
    const made = await call("POST", "/catalogs/orders", { chatId: chat?.id, type: "wa", lines });
    const path = `/catalogs/order/${made.json.data.id}`;
    await call("PUT", `${path}/status`, { status: "cancelled", reason: botsReason });
    expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(204);
    const { cancel_reason, total } = (await world.get(path)).json.data;
    expect({ cancel_reason, total }).to.deep.equal({ cancel_reason: botsReason, total: made.json.data.total });
    const [last] = (await world.get(`${path}/history`)).json.data;
    expect(last.changes.cancel_reason).to.deep.equal({ from: null, to: botsReason });
  });

  it("works once, and only for administrators and keys on contacts of their business", async () => {
    const again = await call("DELETE", `/contacts/${id}`);
    expect([again.status, again.json.code]).to.deep.equal([404, "contact_not_found"]);
    expect((await call("DELETE", "/contacts/201")).status).to.equal(404);
    const asAgent = await request(`${world.api}/contacts/102`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${await world.sessionToken(102)}` },
    });
    expect([asAgent.status, asAgent.json.code]).to.deep.equal([403, "forbidden"]);
    expect((await world.get("/contacts/102")).json.nombre).to.equal("Omar Otro");
  });

  it("keeps the number opted out in every way that it can return", async () => {
    const number = "59178887730";
    const erase = async (contactId: number) =>
      expect((await call("DELETE", `/contacts/${contactId}`)).status).to.equal(204);
    const { json: begun } = await call("POST", "/contacts", { numero: number });
    await erase(begun.id);
    await world.webhook(says(number, "Vuelve", "Hola de nuevo", "wamid.again"));
    const back = await eventually(async () => (await world.get(`/contacts?q=${number}`)).json.data[0]);
    expect(back).to.deep.include({ numero: number, opted_out: true });
    expect(back.id).not.to.equal(begun.id);
    await erase(back.id);

    const made = await call("POST", "/contacts", { numero: number, opted_out: false });
    expect(made.json.opted_out).to.equal(true);
    await erase(made.json.id);

    await erasures.import(`numero,opted_out\n${number},false\n`);
    expect((await world.get(`/contacts?q=${number}`)).json.data[0].opted_out).to.equal(true);
    const moved = await call("POST", "/contacts", { numero: "59178887700" });
    const free = (await world.get(`/contacts?q=${number}`)).json.data[0].id;
    await call("DELETE", `/contacts/${free}`);
    const changed = await call("PUT", `/contacts/${moved.json.id}`, { numero: number });
    expect(changed.json).to.deep.include({ numero: number, opted_out: true });
    const asked = await call("PUT", `/contacts/${moved.json.id}`, { opted_out: false, nombre: "Otra vez" });
    expect(asked.json).to.deep.include({ nombre: "Otra vez", opted_out: true });
    for (const time of ["first", "second"]) {
      const imported = await erasures.import(`numero,nombre,opted_out\n${number},De nuevo,false\n`);
      const counts = { created: 0, updated: time === "first" ? 1 : 0, unchanged: time === "first" ? 0 : 1 };
      expect(imported).to.deep.include(counts);
      expect((await world.get(`/contacts?q=${number}`)).json.data[0].opted_out).to.equal(true);
    }
    const preference = { wa_id: number, detail: "resume", category: "marketing_messages", value: "resume" };
    const stamped = { ...preference, timestamp: String(Math.floor(Date.now() / 1000) + 60) };
    await world.webhook(aWebhook(1, { contacts: [{ wa_id: number }], user_preferences: [stamped] }));
    await eventually(
      async () => (await world.rows("select from incoming_webhooks where gave_up_at is null")).length === 0,
    );
    expect((await world.get(`/contacts?q=${number}`)).json.data[0].opted_out).to.equal(true);
    const elsewhere = await world.post("/contacts", { numero: number }, 2);
    expect(elsewhere.json.opted_out).to.equal(false);
  });

  it("prevents campaigns from finding the contact", async () => {
    const body = {
      ...{ empresa_id: 1, plantilla_id: 101, user_id: 101, nombre: "Tarde", step: 101 },
      contacts_id: [id],
      contacts: [{ nombre: "x", numero: "59171110000" }],
    };
    const answer = await call("POST", "/chats/enviar/masivo/plantilla", body);
    expect(answer.status).to.equal(400);
    expect(answer.json.error).to.include(`contacts_id no encontrado: ${id}`);
  });
});
