import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { CustomerChannel } from "../../src/sandbox/core/route.ts";
import { takenFiles } from "../messaging/media-files.ts";
import { addressesOf, channelNames, providers, startChannelWorld } from "../support/channels.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aWebhook, type Listener, type World } from "../support/world.ts";

type Json = Answer["json"];

const [administrator, agent] = [101, 102];
const addresses = addressesOf(1);

/** A file that the service accepts from customers. */
function fileNamed(filename: string, type: "image" | "audio" | "document") {
  const [, content = Buffer.alloc(0), mime = ""] = takenFiles.find(([name]) => name === filename) ?? [];
  return { bytes: content.length, media: { type, mime, filename, base64: content.toString("base64") } };
}
const picture = fileNamed("foto.png", "image");
const voice = fileNamed("nota.ogg", "audio");
const paper = fileNamed("carta.pdf", "document");

const place = { latitude: -16.5, longitude: -68.125 };
const placeOn: Readonly<Record<CustomerChannel, object>> = {
  cloud: { type: "location", content: place },
  page: { location: place },
  photo: { location: place },
  qr: { type: "location", content: { degreesLatitude: place.latitude, degreesLongitude: place.longitude } },
  "provider-b": { location: { lat: place.latitude, lng: place.longitude } },
};
/** The states that each platform reports for a message, up to `read`. */
const newsOn: Readonly<Record<CustomerChannel, readonly string[]>> = {
  cloud: ["sent", "delivered", "read"],
  page: ["delivered", "read"],
  photo: ["read"],
  qr: ["sent", "delivered", "read"],
  "provider-b": ["sent", "delivered", "read"],
};
const states = ["queued", "sending", "unknown", "sent", "delivered", "read"];

/** How the platforms deliver their webhooks. */
const behaviours = {
  "at once": { repeat: 1, shuffled: false },
  "three times each, shuffled and late": { repeat: 3, shuffled: true, seed: 3 },
} as const;

describe("conversations of every channel", () => {
  let world: World;
  let folder: string;
  let listener: Listener;
  let agentToken: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "recado-conversations-"));
    const environment = { MEDIA_DIR: folder, MEDIA_BASE_URL: "https://media.test/media/" };
    world = await startChannelWorld({ environment });
    listener = await world.listen(administrator);
    agentToken = await world.sessionToken(agent);
  });
  after(async () => {
    await world?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(() => world.control("POST", "/webhooks", { paused: false, repeat: 1, shuffled: false }));

  let customers = 0;
  const newCustomer = (): string => `5917200${String(++customers).padStart(4, "0")}`;

  const heard = (name: string, matches: (payload: Json) => boolean) =>
    listener.heard.filter((event) => event.name === name && matches(event.payload));
  const hears = async (name: string, matches: (payload: Json) => boolean): Promise<Json> =>
    (await listener.hears((event) => event.name === name && matches(event.payload))).payload;

  const asCustomer = (channel: CustomerChannel, customer: string, verb: "say" | "react", input: object) =>
    world.control("POST", `/customers/${customer}/${verb}`, { channel, to: addresses[channel], ...input });
  /** Sends a message as the customer. Returns the event that announces the message. */
  const say = async (channel: CustomerChannel, customer: string, input: object): Promise<Json> => {
    const { id } = await asCustomer(channel, customer, "say", input);
    return hears("message:new", ({ mensaje }) => mensaje.platform_message_id === id);
  };
  const asAgent = (method: string, path: string, body?: object) =>
    request(world.api + path, { method, body, headers: { authorization: `Bearer ${agentToken}` } });
  const threadOf = async (chatId: number): Promise<Json[]> =>
    (await world.get(`/chats/${chatId}/messages?limit=100`)).json.data.reverse();
  const answer = (chatId: number, texto: string, more: object = {}) =>
    asAgent("POST", `/chats/${chatId}/messages`, { texto, ...more });
  const allProcessed = () =>
    eventually(async () => {
      const { pending } = await world.control("GET", "/webhooks");
      return pending === 0 && (await world.rows("select from incoming_webhooks")).length === 0;
    });

  it("show the contacts of cards that ProviderB sends as a file, as soon as it is stored", async () => {
    const cards = [
      "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Rojas;Luis;;;\r\nFN:Luis Rojas",
      "TEL;type=CELL;waid=59170000099:+591 70000099\r\nEND:VCARD",
      "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Eva Paz\r\nEMAIL:eva@paz.example\r\nEND:VCARD\r\n",
    ].join("\r\n");
    const base64 = Buffer.from(cards).toString("base64");
    const media = { type: "document", mime: "text/vcard", filename: "luis.vcf", base64 };
    const { mensaje } = await say("provider-b", newCustomer(), { media });
    const changed = await hears(
      "message:changed",
      (each) => each.mensaje.id === mensaje.id && each.mensaje.adjunto !== null,
    );
    expect(changed.mensaje.tipo).to.equal("contacts");
    expect(changed.mensaje.detalles.contacts).to.deep.equal([
      {
        name: { formatted_name: "Luis Rojas", first_name: "Luis", last_name: "Rojas" },
        phones: [{ phone: "+591 70000099", type: "CELL", wa_id: "59170000099" }],
      },
      { name: { formatted_name: "Eva Paz" }, phones: [], emails: [{ email: "eva@paz.example" }] },
    ]);
  });

  for (const channel of channelNames) {
    for (const [how, behaviour] of Object.entries(behaviours)) {
      describe(`on ${channel}, with webhooks ${how}`, () => {
        beforeEach(() => world.control("POST", "/webhooks", behaviour));

        it("show and announce a customer's message once, and its files when they are stored", async () => {
          const customer = newCustomer();
          const said = [
            await say(channel, customer, { text: "¿Tienen talla M?" }),
            await say(channel, customer, { media: picture.media }),
            await say(channel, customer, { media: voice.media }),
            await say(channel, customer, { media: paper.media }),
            await say(channel, customer, placeOn[channel]),
          ];
          const [chatId] = said.map(({ chat_id }) => chat_id);
          const files = [picture, voice, paper];
          for (const { mensaje } of said.slice(1, 4)) {
            await hears("message:changed", (changed) => changed.mensaje.id === mensaje.id && changed.mensaje.adjunto);
          }
          await allProcessed();
          const thread = await threadOf(chatId);
          expect(thread.map(({ tipo }) => tipo)).to.deep.equal(["text", "image", "audio", "document", "location"]);
          expect(thread[0]).to.include({ direccion: "entrante", texto: "¿Tienen talla M?" });
          expect(thread.slice(1, 4).map(({ adjunto }) => adjunto?.bytes)).to.deep.equal(
            files.map(({ bytes }) => bytes),
          );
          expect(thread[4].detalles.location).to.include(place);
          for (const { id } of thread) {
            expect(heard("message:new", ({ mensaje }) => mensaje.id === id)).to.have.length(1);
          }
          const { json: chat } = await world.get(`/chats/${chatId}`);
          expect(chat).to.include({ provider: providers[channel], no_leidos: 5 });
        });

        it("show the quoted message of a reply, and a reaction at its message", async () => {
          const customer = newCustomer();
          const { chat_id: chatId, mensaje: first } = await say(channel, customer, { text: "Hola" });
          const { json: ours } = await answer(chatId, "¿En qué te ayudamos?", { responde_a: first.id });
          const { mensaje: reply } = await say(channel, customer, {
            text: "Quisiera cambiar la talla",
            reply_to: ours.platform_message_id,
          });
          expect(reply.responde_a).to.equal(ours.id);
          if (channel !== "provider-b") {
            await asCustomer(channel, customer, "react", { message_id: ours.platform_message_id, emoji: "👍" });
            await hears("message:changed", ({ mensaje }) => mensaje.id === ours.id && mensaje.reacciones.length > 0);
          }
          await allProcessed();
          const thread = await threadOf(chatId);
          expect(thread.map(({ texto }) => texto)).to.deep.equal([
            "Hola",
            "¿En qué te ayudamos?",
            "Quisiera cambiar la talla",
          ]);
          expect(thread[1].responde_a).to.equal(first.id);
          const reactions = thread[1].reacciones.map(({ emoji }: Json) => emoji);
          expect(reactions).to.deep.equal(channel === "provider-b" ? [] : ["👍"]);
        });

        if (channel !== "provider-b") {
          it("show a customer's edit as the new text of the same message", async () => {
            const customer = newCustomer();
            const { chat_id: chatId, mensaje } = await say(channel, customer, { text: "Talla M" });
            await asCustomer(channel, customer, "say", { text: "Talla L", edit_of: mensaje.platform_message_id });
            await hears("message:changed", (changed) => changed.mensaje.id === mensaje.id && changed.mensaje.editado);
            await allProcessed();
            expect((await threadOf(chatId)).map(({ texto }) => texto)).to.deep.equal(["Talla L"]);
          });
        }

        it("send an answer once, and announce its delivery and reading in order", async () => {
          const customer = newCustomer();
          const { chat_id: chatId } = await say(channel, customer, { text: "Hola" });
          await world.control("POST", "/webhooks", { paused: how !== "at once" });
          const { status, json: sent } = await answer(chatId, "Sí, la tenemos");
          expect([status, sent.error]).to.deep.equal([201, null]);
          await world.control("POST", "/webhooks", { paused: false });
          await hears("message:status", ({ mensaje_id, estado }) => mensaje_id === sent.id && estado === "read");
          await allProcessed();
          const accepted = await world.control("GET", `/messages?to=${customer}&channel=${providers[channel]}`);
          expect(accepted.map(({ id, text }: Json) => [id, text])).to.deep.equal([
            [sent.platform_message_id, "Sí, la tenemos"],
          ]);
          const told = heard("message:status", ({ mensaje_id }) => mensaje_id === sent.id).map(
            ({ payload }) => payload.estado as string,
          );
          const ranks = told.map((state) => states.indexOf(state));
          expect(ranks, told.join()).to.deep.equal([...new Set(ranks)].sort((a, b) => a - b));
          expect(heard("message:new", ({ mensaje }) => mensaje.id === sent.id)).to.have.length(1);
          if (how === "at once") expect(newsOn[channel]).to.include.members(told);
          const thread = await threadOf(chatId);
          expect(thread.map(({ texto, estado }) => [texto, estado])).to.deep.equal([
            ["Hola", "received"],
            ["Sí, la tenemos", "read"],
          ]);
        });
      });
    }
  }

  /** A platform's webhook with an invalid signature. */
  const forgedOn = (
    channel: CustomerChannel,
    customer: string,
  ): readonly [path: string, body: string, headers: Headers] => {
    const body = JSON.stringify(saidOn(channel, customer));
    const json = { "content-type": "application/json" };
    const signed = {
      ...json,
      "x-hub-signature-256": `sha256=${createHmac("sha256", "another").update(body).digest("hex")}`,
    };
    if (channel === "qr") return [`/webhooks/qr/${addresses.qr}`, body, { ...json, authorization: "Bearer another" }];
    if (channel !== "provider-b") return [`/webhooks/${channel}`, body, signed];
    const form = new URLSearchParams(saidOn(channel, customer) as Record<string, string>).toString();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    return [
      "/webhooks/provider-b",
      form,
      { ...type, "x-twilio-signature": createHmac("sha1", "another").update(form).digest("base64") },
    ];
  };

  for (const channel of channelNames) {
    it(`refuse a webhook of ${channel} with a wrong signature or without one, and store nothing of it`, async () => {
      const customer = newCustomer();
      const [path, rawBody, headers] = forgedOn(channel, customer);
      const bare = { "content-type": headers["content-type"] ?? "" };
      for (const given of [headers, bare]) {
        const { status } = await request(world.api + path, { method: "POST", rawBody, headers: given });
        expect(status).to.equal(401);
      }
      await allProcessed();
      expect(await world.rows("select from contacts where platform_id = $1", [customer])).to.deep.equal([]);
      // With a valid signature, a message of this customer is stored.
      await say(channel, customer, { text: "Hola" });
      expect(await world.rows("select from contacts where platform_id = $1", [customer])).to.have.length(1);
    });

    it(`allow free text on ${channel} ${channel === "qr" ? "without a" : "only in the"} service window`, async () => {
      const customer = newCustomer();
      const { chat_id: chatId } = await say(channel, customer, { text: "Hola" });
      const chat = async (): Promise<Json> => (await world.get(`/chats/${chatId}`)).json;
      expect(await chat()).to.include({ ventana_requerida: channel !== "qr" });
      await world.rows("update chats set last_inbound_at = now() - interval '25 hours' where id = $1", [chatId]);
      expect((await chat()).ventana_hasta).to.equal(null);
      const { status, json } = await answer(chatId, "¿Sigues ahí?");
      const closed = [409, "window_closed"];
      expect([status, json.code]).to.deep.equal(channel === "qr" ? [201, undefined] : closed);
      if (channel === "qr") return;
      await say(channel, customer, { text: "Sí, aquí sigo" });
      expect((await chat()).ventana_hasta).to.be.a("string");
      expect((await answer(chatId, "Qué bueno")).status).to.equal(201);
    });
  }

  it("of one number on cloud, qr and provider-b belong to one contact, but the same digits on pages to another", async () => {
    const customer = newCustomer();
    const chats = new Map<CustomerChannel, Json>();
    for (const channel of channelNames) {
      const first = await say(channel, customer, { text: "Hola" });
      const second = await say(channel, customer, { text: "¿Hay alguien?" });
      expect(second.chat_id).to.equal(first.chat_id);
      chats.set(channel, first);
    }
    const contactOf = (channel: CustomerChannel): Json => chats.get(channel)?.contacto;
    expect(new Set([...chats.values()].map(({ chat_id }) => chat_id)).size).to.equal(5);
    expect(new Set(channelNames.map((channel) => contactOf(channel).id)).size).to.equal(3);
    expect([contactOf("qr").id, contactOf("provider-b").id]).to.deep.equal([
      contactOf("cloud").id,
      contactOf("cloud").id,
    ]);
    const { json: known } = await world.get(`/contacts/${contactOf("cloud").id}`);
    expect(known.numero).to.equal(customer);
    expect(known.chats.map(({ provider }: Json) => provider)).to.have.members(
      (["cloud", "qr", "provider-b"] as const).map((channel) => providers[channel]),
    );
    for (const channel of ["page", "photo"] as const) {
      const { json: other } = await world.get(`/contacts/${contactOf(channel).id}`);
      expect([other.numero, other.platform_id]).to.deep.equal(["", customer]);
      expect(other.chats.map(({ provider }: Json) => provider)).to.deep.equal([providers[channel]]);
    }
  });
});

type Headers = Readonly<Record<string, string>>;

/** A customer's text in the platform's format. */
function saidOn(channel: CustomerChannel, customer: string): object {
  const event = { sender: { id: customer }, recipient: { id: addresses[channel] }, timestamp: Date.now() };
  const messaging = [{ ...event, message: { mid: `m_forged_${channel}`, text: "forged" } }];
  const text = { from: customer, id: "wamid.forged", timestamp: "1760000000", type: "text", text: { body: "forged" } };
  const key = { remoteJid: `${customer}@s.whatsapp.net`, fromMe: false, id: "forged" };
  return {
    cloud: aWebhook(1, { messages: [text] }),
    page: { object: "page", entry: [{ id: addresses.page, messaging }] },
    photo: { object: "instagram", entry: [{ id: addresses.photo, messaging }] },
    qr: { event: "messages.upsert", instance: addresses.qr, data: { key, message: { conversation: "forged" } } },
    "provider-b": {
      ...{ MessageSid: "SMforged", AccountSid: addresses["provider-b"], Body: "forged" },
      ...{ From: `whatsapp:+${customer}`, To: "whatsapp:+591210000013" },
    },
  }[channel];
}
