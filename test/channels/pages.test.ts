import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { cloudChannel, pageChannel, photoChannel } from "../../src/kernel/channels.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { signatureOf, verifyToken, type World } from "../support/world.ts";
import { accounts, type Place, startWithPages } from "./pages-support.ts";

const objects = { page: "page", photo: "instagram" } as const;
const providers = { page: pageChannel, photo: photoChannel } as const;

describe("/webhooks/page and /webhooks/photo", () => {
  let world: World;
  before(async () => {
    world = await startWithPages({ configure: (config) => ({ ...config, metricsKey: "metrics key for tests" }) });
  });
  after(() => world.stop());

  let count = 1;
  const newCustomer = (): string => `2400000000000${String(count++).padStart(4, "0")}`;
  const tell = (place: Place, payload: object | string, signature?: string | null): Promise<Answer> => {
    const rawBody = typeof payload === "string" ? payload : JSON.stringify(payload);
    const given = signature === undefined ? signatureOf(rawBody) : signature;
    const headers = { ...(given !== null && { "x-hub-signature-256": given }) };
    return request(`${world.api}/webhooks/${place}`, { method: "POST", rawBody, headers });
  };
  const delivery = (place: Place, messaging: object[], id: string = accounts[place]) => ({
    object: objects[place],
    entry: [{ id, time: Date.now(), messaging }],
  });
  const saying = (place: Place, from: string, text: string, more: object = {}) =>
    delivery(place, [
      {
        sender: { id: from },
        recipient: { id: accounts[place] },
        timestamp: Date.now(),
        message: { mid: `m_told_${count++}`, text, ...more },
      },
    ]);
  const stored = { status: 200, text: '{"success":true}' };
  const allProcessed = () => eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
  // The next test may count or list waiting webhooks.
  afterEach(allProcessed);
  const chatOf = async (customer: string): Promise<number | undefined> => {
    const [chat] = await world.rows<{ id: number }>(
      `select chat.id from chats as chat join contacts as contact
         on contact.business_id = chat.business_id and contact.id = chat.contact_id
       where chat.business_id = 1 and contact.platform_id = $1`,
      [customer],
    );
    return chat?.id;
  };
  const threadOf = async (customer: string): Promise<Answer["json"][]> => {
    const chatId = await chatOf(customer);
    return chatId === undefined ? [] : (await world.get(`/chats/${chatId}/messages`)).json.data;
  };
  const says = async (place: Place, customer: string, input: object): Promise<Answer["json"]> => {
    const { id } = await world.control("POST", `/customers/${customer}/say`, {
      to: accounts[place],
      channel: place,
      ...input,
    });
    return await arrived(customer, id);
  };
  const arrived = (customer: string, id: string) =>
    eventually(async () => (await threadOf(customer)).find((each) => each.platform_message_id === id));

  for (const place of ["page", "photo"] as const) {
    describe(`/webhooks/${place}`, () => {
      it("answers the platform's challenge once", async () => {
        const verify = (token: string) =>
          request(
            `${world.api}/webhooks/${place}?hub.mode=subscribe&hub.verify_token=${encodeURIComponent(token)}&hub.challenge=77`,
          );
        expect(await verify(verifyToken)).to.include({ status: 200, type: "text/plain", text: "77" });
        expect((await verify("another")).status).to.equal(403);
      });

      it("refuses bodies without the platform's signature, and stores nothing of them", async () => {
        const customer = newCustomer();
        const payload = JSON.stringify(saying(place, customer, "forged"));
        for (const wrong of [null, "", "sha256=", signatureOf(`${payload} `), `${signatureOf(payload)}0`]) {
          const { status, json } = await tell(place, payload, wrong);
          expect([status, json]).to.deep.equal([401, { message: "Invalid signature" }]);
        }
        await allProcessed();
        expect(await threadOf(customer)).to.deep.equal([]);
      });

      it("accepts unknown bodies, and stores nothing of them", async () => {
        expect(await tell(place, "{")).to.include(stored);
        expect(await world.rows("select from incoming_webhooks")).to.deep.equal([]);
      });

      it("shows customers' messages once, even if they are delivered several times", async () => {
        const customer = newCustomer();
        const payload = saying(place, customer, "¿Tienen talla M?");
        for (let times = 0; times < 3; times += 1) expect(await tell(place, payload)).to.include(stored);
        await allProcessed();
        const [message, ...others] = await threadOf(customer);
        expect(message).to.include({ tipo: "text", texto: "¿Tienen talla M?", direccion: "entrante" });
        expect(others).to.deep.equal([]);
        const { json } = await world.get(`/chats?provider=${providers[place]}&limit=100`);
        const chat = json.data.find((each: Answer["json"]) => each.contacto.platform_id === customer);
        expect(chat).to.include({ no_leidos: 1, ventana_requerida: true });
        expect(chat.contacto).to.include({ numero: "" });
      });

      it("drops and counts entries about another object or without known content", async () => {
        const counted = async () => {
          const headers = { authorization: "Bearer metrics key for tests" };
          const { text } = await request(`${world.api}/metrics`, { headers });
          return Number(
            new RegExp(`^webhooks_ignored_total\\{channel="${providers[place]}"\\} (\\d+)$`, "m").exec(text)?.[1] ?? 0,
          );
        };
        const before = await counted();
        const odd = [
          { ...saying(place, newCustomer(), "of another object"), object: "user" },
          { ...saying(place, newCustomer(), "x"), object: objects[place === "page" ? "photo" : "page"] },
          { object: objects[place], entry: [{ id: accounts[place], standby: [{}] }] },
          { object: objects[place], entry: [{ id: accounts[place], messaging: [] }] },
          ..."null,[],5,{}".split(","),
        ];
        for (const payload of odd) expect(await tell(place, payload)).to.include(stored);
        expect(await counted()).to.equal(before + odd.length);
      });

      it("ignores entries about unknown accounts and about another business's", async () => {
        const customer = newCustomer();
        const of = (id: string) =>
          delivery(
            place,
            [{ sender: { id: customer }, recipient: { id }, timestamp: 1, message: { mid: `m_${id}`, text: "Hola" } }],
            id,
          );
        expect(await tell(place, of("1"))).to.include(stored);
        expect(await tell(place, of(accounts[place].replace(/1$/, "2")))).to.include(stored);
        await allProcessed();
        const sql = "select business_id::int as business from contacts where platform_id = $1";
        expect(await world.rows(sql, [customer])).to.deep.equal([{ business: 2 }]);
      });

      it("shows files, stickers, buttons, quotes and ads that customers send in the sandbox", async () => {
        const customer = newCustomer();
        const text = await says(place, customer, { text: "Hola" });
        const media = { mime: "image/png", base64: Buffer.from("a picture").toString("base64") };
        expect(await says(place, customer, { media: { type: "image", ...media } })).to.include({ tipo: "image" });
        expect(await says(place, customer, { media: { type: "sticker", ...media } })).to.include({ tipo: "sticker" });
        const button = await says(place, customer, { button: { text: "Comprar", payload: "BUY" } });
        expect(button).to.deep.include({ tipo: "button", texto: "Comprar" });
        expect(button.detalles.button).to.deep.equal({ text: "Comprar", payload: "BUY" });
        expect(await says(place, customer, { text: "Esa", reply_to: text.platform_message_id })).to.include({
          responde_a: text.id,
        });
        const referral = { source: "ADS", type: "OPEN_THREAD", ad_id: "6045" };
        await says(place, customer, { text: "Vi el anuncio", referral });
        const { json } = await world.get(`/chats?anuncio=6045&provider=${providers[place]}`);
        expect(json.data.map((each: Answer["json"]) => each.contacto.platform_id)).to.deep.equal([customer]);
      });

      it("shows reactions at their message", async () => {
        const customer = newCustomer();
        const { platform_message_id: id } = await says(place, customer, { text: "Gracias", name: "Ana Rojas" });
        await resolve(world.container, tokens.nameContacts).execute();
        const react = (emoji: string) =>
          world.control("POST", `/customers/${customer}/react`, {
            to: accounts[place],
            channel: place,
            message_id: id,
            emoji,
          });
        const shows = (expected: object[]) =>
          eventually(async () => JSON.stringify((await threadOf(customer))[0].reacciones) === JSON.stringify(expected));
        await react("👍");
        await shows([{ autor: "Ana Rojas", emoji: "👍" }]);
        await react("");
        await shows([]);
      });

      it("sends nothing after the service window, and does not suggest templates (Inbox.24)", async () => {
        const customer = newCustomer();
        await says(place, customer, { text: "Hola" });
        const chatId = await chatOf(customer);
        const answer = (body: object) => world.post(`/chats/${chatId}/messages`, body);
        expect((await answer({ texto: "¡Hola!" })).json.estado).to.equal("sent");
        await world.rows(
          "update chats set last_inbound_at = now() - interval '25 hours' where business_id = 1 and id = $1",
          [chatId],
        );
        for (const late of [{ texto: "¿Sigue ahí?" }, { plantilla_id: 101, parameters: ["Ana", "7"] }]) {
          const { status, json } = await answer(late);
          expect([status, json.code]).to.deep.equal([409, "window_closed"]);
          expect(json.error).not.to.include("plantilla");
        }
        await says(place, customer, { text: "Aquí estoy" });
        const { json } = await answer({ plantilla_id: 101, parameters: ["Ana", "7"] });
        expect(json.texto).to.equal("Hola Ana, tu pedido 7 está listo.");
        // The platform's status webhooks may be processed before the request is answered.
        expect(json.estado).to.be.oneOf(["sent", "delivered", "read"]);
      });

      it("tells the customer's app that a message was read", async () => {
        const customer = newCustomer();
        const { id } = await says(place, customer, { text: "¿Me leen?" });
        expect((await world.post(`/chats/${await chatOf(customer)}/read`, { hasta: id })).status).to.equal(200);
        const seen = await eventually(async () => (await world.control("GET", `/reads?customer=${customer}`))[0]);
        expect(seen).to.include({ phoneNumberId: accounts[place], customer, times: 1 });
      });
    });
  }

  it("shows places on pages", async () => {
    const location = { latitude: -17.39, longitude: -66.15, title: "Plaza" };
    const told = await says("page", newCustomer(), { location });
    expect(told).to.deep.include({ tipo: "location", texto: "Plaza" });
    expect(told.detalles.location).to.deep.include({ latitude: -17.39, longitude: -66.15 });
  });

  it("removes only an erased customer from stored webhooks of the page", async () => {
    const customer = newCustomer();
    const other = newCustomer();
    await says("page", customer, { text: "Hola" });
    const [hers, others] = [saying("page", customer, "de ella"), saying("page", other, "de otro")];
    const both = { object: "page", entry: [...hers.entry, ...others.entry] };
    const number = {
      object: "whatsapp_business_account",
      entry: [{ changes: [{ value: { messages: [{ from: customer }] } }] }],
    };
    const keep = (provider: string, payload: object) =>
      world.rows("insert into incoming_webhooks (provider, payload, attempts, gave_up_at) values ($1, $2, 10, now())", [
        provider,
        JSON.stringify(payload),
      ]);
    for (const payload of [hers, both]) await keep(pageChannel, payload);
    await keep(cloudChannel, number);
    const sql = "select contact_id::int as id from chats where business_id = 1 and id = $1";
    const [contact] = await world.rows<{ id: number }>(sql, [await chatOf(customer)]);
    const headers = { "x-api-key": world.appKey(1) };
    const erased = await request(`${world.api}/contacts/${contact?.id}`, { method: "DELETE", headers });
    expect(erased.status, erased.text).to.be.oneOf([200, 204]);
    const left = await world.rows<{ payload: string }>("select payload from incoming_webhooks order by id");
    await world.rows("delete from incoming_webhooks");
    expect(left.map(({ payload }) => JSON.parse(payload))).to.deep.equal([others, number]);
  });

  it("keeps a customer of a page apart from one of a photo account, and from a number, with the same id", async () => {
    const customer = "59170000009";
    await world.control("POST", `/customers/${customer}/say`, { to: "number-1", text: "por número" });
    await eventually(async () => (await threadOf(customer)).length > 0);
    await tell("page", saying("page", customer, "por página"));
    await tell("photo", saying("photo", customer, "por foto"));
    await allProcessed();
    const found = await world.rows<{ provider: string }>(
      `select distinct contact.id, chat.provider from contacts as contact
       join chats as chat on chat.business_id = contact.business_id and chat.contact_id = contact.id
       where contact.business_id = 1 and contact.platform_id = $1`,
      [customer],
    );
    expect(found.map(({ provider }) => provider).sort()).to.deep.equal(
      [cloudChannel, pageChannel, photoChannel].sort(),
    );
  });
});
