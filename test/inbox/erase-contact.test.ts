import { mkdir, mkdtemp, readdir, rename, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { formOf, multipart, png } from "../messaging/media-files.ts";
import { openShop } from "../orders/shop.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread, aWebhook, startWorld, type World } from "../support/world.ts";

const id = 101;
const phone = "59179988776";
const name = "Wilhelmina Borrable";
const other = "59171112223";
const secrets = {
  phone,
  name,
  "what she wrote": "mi secreto es violeta",
  "what was answered": "le contesto en confianza",
  "a custom field": "Calle Escondida 7",
  "the address of her order": "Pasaje Oculto 9",
  "the label of her place": "portón amarillo",
  "her latitude": "-16.512345",
  "a parameter of a campaign": "Vale Bordado",
  "what an ad said": "titular del anuncio",
};

describe("erasing a contact", () => {
  let directory: string;
  let world: World;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "recado-erase-"));
    world = await startWorld({
      businesses: [
        aBusiness(1, {
          threads: [aThread(id, { name, phone }), aThread(102, { name: "Omar Otro", phone: other })],
          tags: [{ id: 101, name: "VIP" }],
        }),
        aBusiness(2),
      ],
      environment: { MEDIA_DIR: directory, MEDIA_BASE_URL: "https://media.test/media/" },
    });
    await openShop(world, 1);
  });
  after(async () => {
    await world.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const call = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
    request(world.api + path, {
      method,
      ...(body !== undefined && { body }),
      headers: { "x-api-key": world.appKey(1), ...headers },
    });
  const says = (from: string, text: string, wamid: string, referral?: object) =>
    aWebhook(1, {
      contacts: [{ wa_id: from, profile: { name: from === phone ? name : "Omar Otro" } }],
      messages: [
        {
          ...{ from, id: wamid, timestamp: String(Math.floor(Date.now() / 1000)), type: "text", text: { body: text } },
          ...(referral && { referral }),
        },
      ],
    });
  const upload = async (size: number): Promise<string> => {
    const answer = await request(`${world.api}/media`, {
      method: "POST",
      rawBody: formOf({ content: png(size) }),
      headers: { ...multipart, "x-api-key": world.appKey(1) },
    });
    return answer.json.media_url;
  };
  const nameOf = (url: string): string => url.split("/").at(-1) ?? "";

  /** Every row of every table that holds the text, by table. */
  const holding = async (text: string): Promise<string[]> => {
    const tables = await world.rows<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const found: string[] = [];
    for (const { name: table } of tables) {
      const rows = await world.rows(`select from ${table} as held where strpos(held::text, $1) > 0 limit 1`, [text]);
      if (rows.length > 0) found.push(table);
    }
    return found;
  };
  const chatRows = () =>
    world.rows("select state, bot_available, ad_id from chats where business_id = 1 and id = $1", [id]);
  const numbers = () =>
    world.rows<{ n: number; last: number }>(
      "select count(*) as n, max(number) as last from realtime_events where business_id = 1",
    );

  it("leaves nothing of it anywhere, and figures as they were", async () => {
    await world.webhook(
      says(phone, secrets["what she wrote"], `wamid.${Buffer.from(phone).toString("base64")}`, {
        source_id: "ad-1",
        source_type: "ad",
        headline: secrets["what an ad said"],
      }),
    );
    await eventually(async () => (await world.rows("select from messages where chat_id = $1", [id])).length === 2);
    const [own, shared] = [await upload(10), await upload(20)];
    await world.rows(
      `insert into messages (business_id, chat_id, conversation_id, direction, kind, body, media_url, author, author_name,
                             state, reference, details)
       select 1, $1, id, 'out', 'image', $2, url, 'user', 'Ana Agente', 'sent', gen_random_uuid(), '{"caption": "foto"}'
       from conversations, unnest($3::text[]) as url where chat_id = $1 and closed_at is null`,
      [id, secrets["what was answered"], [own, shared]],
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
        lines: [{ articleId: 101, quantity: 1, extras: [] }],
        raw_adress: secrets["the address of her order"],
        location_picked: secrets["the label of her place"],
        lat: -16.512345,
        lng: -68.1,
      },
      { "idempotency-key": "order-of-hers" },
    );
    expect(order.status, order.text).to.equal(201);
    const orderId: number = order.json.data.id;
    const campaign = await call("POST", "/chats/enviar/masivo/plantilla", {
      ...{ empresa_id: 1, plantilla_id: 101, user_id: 101, nombre: "Promo", step: 101 },
      contacts_id: [id],
      contacts: [{ nombre: name, numero: phone, premio: secrets["a parameter of a campaign"] }],
      paramMapping: { 1: "nombre", 2: "premio" },
    });
    expect(campaign.status, campaign.text).to.be.within(200, 201);
    await eventually(async () => (await world.rows("select from campaigns where state = 'completed'")).length === 1);
    await request(`${world.api}/contacts/import`, {
      method: "POST",
      rawBody: `numero,nombre,tags\n+591 799-88776,${name},Ninguno\n`,
      headers: { "x-api-key": world.appKey(1), "content-type": "text/csv" },
    });
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
    expect(await readdir(directory)).to.deep.equal([nameOf(shared)]);
    expect(await world.rows("select payload from incoming_webhooks order by id")).to.deep.equal([
      {
        payload: JSON.stringify({ entry: [{ changes: [{ value: { messages: [{ from: other, text: "sigue" }] } }] }] }),
      },
      { payload: "{" },
    ]);

    expect((await world.get(`/contacts/${id}`)).json.code).to.equal("contact_not_found");
    expect((await world.get("/contacts")).json.data.map((each: { id: number }) => each.id)).not.to.include(id);
    expect(await chatRows()).to.deep.equal(chat);
    const thread = await world.get(`/chats/${id}/messages`);
    expect(thread.json.data).to.have.length(5);
    expect(thread.json.data.every((each: { texto: string; adjunto: unknown }) => each.texto === "")).to.equal(true);
    const kept = await world.get(`/catalogs/order/${orderId}`);
    expect(kept.json.data).to.deep.include({ raw_adress: null, lat: null, total: order.json.data.total });
    expect((await world.get(`/catalogs/order/${orderId}/history`)).status).to.equal(200);
    expect((await world.get(`/campaigns/${(await world.get("/campaigns")).json.data[0].id}`)).json.total).to.equal(1);

    const told = await listener.hears(({ name: event }) => event === "contact:changed");
    expect(told.payload).to.deep.include({ borrado: true });
    expect(told.payload.contacto).to.deep.include({ id, nombre: "", numero: "", campos: {}, tags: [] });
    await eventually(() => listener.heard.filter(({ name: event }) => event === "message:changed").length === 5);
    const [after] = await numbers();
    expect(after?.n).to.equal(after?.last);
    expect(after?.n).to.be.above(before[0]?.n ?? 0);
  });

  it("is done once, and for the own contacts of administrators and keys only", async () => {
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

  it("keeps the number opted out, by each way on which it may come back", async () => {
    const number = "59178887730";
    const erase = async (contactId: number) =>
      expect((await call("DELETE", `/contacts/${contactId}`)).status).to.equal(204);
    const { json: begun } = await call("POST", "/contacts", { numero: number });
    await erase(begun.id);
    await world.webhook(says(number, "Hola de nuevo", "wamid.again"));
    const back = await eventually(async () => (await world.get(`/contacts?q=${number}`)).json.data[0]);
    expect(back).to.deep.include({ numero: number, opted_out: true });
    expect(back.id).not.to.equal(begun.id);
    await erase(back.id);

    const made = await call("POST", "/contacts", { numero: number, opted_out: false });
    expect(made.json.opted_out).to.equal(true);
    await erase(made.json.id);

    await request(`${world.api}/contacts/import`, {
      method: "POST",
      rawBody: `numero,opted_out\n${number},false\n`,
      headers: { "x-api-key": world.appKey(1), "content-type": "text/csv" },
    });
    expect((await world.get(`/contacts?q=${number}`)).json.data[0].opted_out).to.equal(true);
    const moved = await call("POST", "/contacts", { numero: "59178887700" });
    const free = (await world.get(`/contacts?q=${number}`)).json.data[0].id;
    await call("DELETE", `/contacts/${free}`);
    const changed = await call("PUT", `/contacts/${moved.json.id}`, { numero: number });
    expect(changed.json).to.deep.include({ numero: number, opted_out: true });
    const asked = await call("PUT", `/contacts/${moved.json.id}`, { opted_out: false, nombre: "Otra vez" });
    expect(asked.json).to.deep.include({ nombre: "Otra vez", opted_out: true });
    for (const time of ["first", "second"]) {
      const imported = await request(`${world.api}/contacts/import`, {
        method: "POST",
        rawBody: `numero,nombre,opted_out\n${number},De nuevo,false\n`,
        headers: { "x-api-key": world.appKey(1), "content-type": "text/csv" },
      });
      const counts = { created: 0, updated: time === "first" ? 1 : 0, unchanged: time === "first" ? 0 : 1 };
      expect(JSON.parse(imported.text)).to.deep.include(counts);
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

  it("leaves a contact that campaigns do not find", async () => {
    const body = {
      ...{ empresa_id: 1, plantilla_id: 101, user_id: 101, nombre: "Tarde", step: 101 },
      contacts_id: [id],
      contacts: [{ nombre: "x", numero: "59171110000" }],
    };
    const answer = await call("POST", "/chats/enviar/masivo/plantilla", body);
    expect(answer.status).to.equal(400);
    expect(answer.json.error).to.include(`contacts_id no encontrado: ${id}`);
  });

  it("erases what came in meanwhile a minute later", async () => {
    const { json: made } = await call("POST", "/contacts", { nombre: "Rápida", numero: "59178887771" });
    await world.webhook(says("59178887771", "primera", "wamid.first"));
    await eventually(async () => (await world.get(`/contacts/${made.id}`)).json.chats.length === 1);
    const [chat] = (await world.get(`/contacts/${made.id}`)).json.chats;
    expect((await call("DELETE", `/contacts/${made.id}`)).status).to.equal(204);
    await world.rows(
      `insert into messages (business_id, chat_id, conversation_id, direction, kind, body, author, author_name, state)
       select 1, $1, id, 'in', 'text', 'texto rezagado', 'contact', 'Rápida', 'received'
       from conversations where chat_id = $1 limit 1`,
      [chat.chat_id],
    );
    await dueNow();
    await resolve(world.container, tokens.eraseContact).complete();
    expect(await holding("texto rezagado")).to.deep.equal([]);
    expect(await world.rows("select from contact_erasures where contact_id = $1", [made.id])).to.deep.equal([]);
  });

  /** As if the time of what remains to be done had come. */
  const dueNow = () => world.rows("update contact_erasures set due_at = now()");

  /** Ways in which the part of an erasure that follows its commit may end early. */
  const trouble = {
    "its files cannot be removed": async (file: string) => {
      // What is a folder cannot be removed as a file.
      await rename(join(directory, file), join(directory, "aside"));
      await mkdir(join(directory, file));
      return async () => {
        await rmdir(join(directory, file));
        await rename(join(directory, "aside"), join(directory, file));
      };
    },
    "the event log cannot be written": async () => {
      await world.rows(`
        create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
        create trigger refuse before update on realtime_events for each row execute function refuse()`);
      return async () => void (await world.rows("drop trigger refuse on realtime_events; drop function refuse"));
    },
  };
  for (const [index, [what, cause]] of Object.entries(trouble).entries()) {
    it(`is completed later, or when it is asked for again, where ${what}`, async () => {
      const number = `5917888600${index}`;
      const secret = `secreto de ${number}`;
      await world.webhook(says(number, secret, `wamid.later-${index}`));
      const contact = await eventually(async () => (await world.get(`/contacts?q=${number}`)).json.data[0]);
      const url = await upload(30 + index);
      await world.rows(
        `insert into messages (business_id, chat_id, conversation_id, direction, kind, body, media_url, author,
                               author_name, state)
         select 1, chat_id, id, 'in', 'image', '', $2, 'contact', '', 'received' from conversations where chat_id = $1`,
        [contact.chats[0].chat_id, url],
      );
      const fetched = () => request(`${world.api}/media/${nameOf(url)}`);
      expect((await fetched()).status).to.equal(200);

      const repair = await cause(nameOf(url));
      expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(500);
      expect((await world.get(`/contacts/${contact.id}`)).status).to.equal(404);
      expect((await fetched()).status).to.equal(404);
      // What the platform delivered before, and another process had in hand until now.
      await world.rows("insert into incoming_webhooks (payload, gave_up_at, error) values ($1, now(), '')", [
        JSON.stringify({ from: number, text: secret }),
      ]);
      expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(500);
      await repair();

      if (index === 0) {
        await dueNow();
        await resolve(world.container, tokens.eraseContact).complete();
      } else {
        expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(204);
      }
      expect(await holding(secret)).to.deep.equal([]);
      expect(await holding(number)).to.deep.equal([]);
      expect(await readdir(directory)).not.to.include(nameOf(url));
      expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(404);
    });
  }

  it("forgets the answers that speak of the contact, however late they come, and those of nobody else", async () => {
    const number = "59178887780";
    const { json: made } = await call(
      "POST",
      "/contacts",
      { nombre: "Ana", numero: number },
      { "idempotency-key": "hers" },
    );
    const neighbour = { nombre: "Ana", numero: "591711", campos: { nota: `prima de ${number}` } };
    const kept = await call("POST", "/contacts", { ...neighbour, numero: "59171100001" }, { "idempotency-key": "kin" });
    expect(kept.status).to.equal(201);

    await world.control("POST", "/faults", { path: "messages", delay_ms: 1_000 });
    const template = { empresa_id: 1, phone_number: number, plantilla_id: 101, parameters: ["Ana", "1"] };
    const sending = call("POST", "/chats/enviar/plantilla/business", template, { "idempotency-key": "late" });
    await eventually(async () => (await world.control("GET", `/messages?to=${number}`)).length === 1);
    expect((await call("DELETE", `/contacts/${made.id}`)).status).to.equal(204);
    const sent = await sending;
    expect([sent.status, sent.headers["x-message-id"]]).to.deep.equal([200, sent.headers["x-message-id"]]);

    expect(await holding(String(sent.headers["x-message-id"]))).to.deep.equal([]);
    expect(
      await world.rows("select from idempotency_keys where body like $1", [`%"numero":"${number}"%`]),
    ).to.deep.equal([]);
    const hers = await call("POST", "/contacts", { nombre: "Ana", numero: number }, { "idempotency-key": "hers" });
    expect([hers.status, hers.text.includes("erased")]).to.deep.equal([409, true]);
    const late = await call("POST", "/chats/enviar/plantilla/business", template, { "idempotency-key": "late" });
    expect(late.status).to.equal(409);
    const kin = await call("POST", "/contacts", { ...neighbour, numero: "59171100001" }, { "idempotency-key": "kin" });
    expect([kin.status, kin.json]).to.deep.equal([201, kept.json]);
  });

  it("takes the contact's rows out of the files of refused rows, and leaves the others", async () => {
    const { json: made } = await call("POST", "/contacts", { nombre: "Rita", numero: "59178887790" });
    const imported = await request(`${world.api}/contacts/import`, {
      method: "POST",
      rawBody:
        'numero,nombre,tags\n+591 78887790,"Rita, la de ""siempre""",Ninguno\n59178887791,"Otra\r\npersona",Ninguno\n',
      headers: { "x-api-key": world.appKey(1), "content-type": "text/csv" },
    });
    const { refused_csv: file } = JSON.parse(imported.text.trim().split("\n").at(-1) ?? "");
    const before = (await world.get(file)).text;
    expect(before).to.include("Rita");
    expect((await call("DELETE", `/contacts/${made.id}`)).status).to.equal(204);
    expect((await world.get(file)).text).to.equal(
      'motivo,numero,nombre,tags\r\nun tag no existe,59178887791,"Otra\r\npersona",Ninguno\r\n',
    );
  });

  it("lets the business go on: what it does meanwhile does not wait for the event log to be looked through", async () => {
    const { json: made } = await call("POST", "/contacts", { nombre: "Lenta", numero: "59178887795" });
    await world.rows(`
      create function wait() returns trigger language plpgsql as $$ begin
        perform pg_advisory_xact_lock(4711); return new; end $$;
      create trigger wait before update on realtime_events for each row execute function wait()`);
    let erased: Promise<Answer> | undefined;
    await world.database.transaction(async (transaction) => {
      await transaction.rows({ name: "", text: "select pg_advisory_xact_lock(4711)" }, []);
      erased = call("DELETE", `/contacts/${made.id}`);
      const waits = "select from pg_locks where locktype = 'advisory' and not granted";
      await eventually(async () => (await world.rows(waits)).length === 1);
      expect((await call("POST", "/contacts", { numero: "59178887796" })).status).to.equal(201);
    });
    expect((await erased)?.status).to.equal(204);
    await world.rows("drop trigger wait on realtime_events; drop function wait");
  });
});
