import { expect } from "chai";
import type { CustomerChannel } from "../../src/sandbox/core/route.ts";
import { addressesOf, onEveryChannel, startChannelWorld } from "../support/channels.ts";
import { type Answer, request } from "../support/http.ts";
import { aTemplate, type Listener, type World } from "../support/world.ts";

const longest = { cloud: 4_096, page: 2_000, photo: 1_000, "provider-b": 1_600 } as const;
const long = { body: "a".repeat(1_001), structure: { components: [{ type: "BODY", text: "a".repeat(1_001) }] } };

describe("an answer that is too long for its channel", () => {
  let world: World;
  let listener: Listener;
  before(async () => {
    const templates = [aTemplate(101, long)];
    world = await startChannelWorld({ businesses: [onEveryChannel(1, { templates }), onEveryChannel(2)] });
    listener = await world.listen(101);
  });
  after(() => world.stop());

  let customers = 0;
  /** The chat of a new customer who has just written. */
  const chatOn = async (channel: CustomerChannel): Promise<number> => {
    const said = { channel, to: addressesOf(1)[channel], text: "Hola" };
    const { id } = await world.control("POST", `/customers/5917400${String(++customers).padStart(4, "0")}/say`, said);
    const isIt = (payload: Answer["json"]) => payload.mensaje.platform_message_id === id;
    const { payload } = await listener.hears(({ name, payload }) => name === "message:new" && isIt(payload));
    return payload.chat_id;
  };
  const answer = (chatId: number, body: object) => world.post(`/chats/${chatId}/messages`, body);
  const stored = (chatId: number) =>
    world.rows("select id from messages where business_id = 1 and chat_id = $1 and direction = 'out'", [chatId]);

  for (const [channel, most] of Object.entries(longest) as [keyof typeof longest, number][]) {
    it(`is refused on ${channel} before anything is stored, and the longest text is sent`, async () => {
      const chatId = await chatOn(channel);
      const text = "a".repeat(most + 1);
      const { status, json } = await answer(chatId, { texto: text });
      expect(status).to.equal(400);
      expect(json.error).to.include("texto");
      if (channel !== "cloud") {
        expect(json.code).to.equal("text_too_long");
        expect(json.error).to.include(String(most));
      }
      expect(await stored(chatId)).to.deep.equal([]);
      const sent = await answer(chatId, { texto: text.slice(1) });
      expect([sent.status, sent.json.estado], sent.text).to.deep.equal([201, "sent"]);
    });
  }

  it("can be known beforehand, from GET /me", async () => {
    const headers = { authorization: `Bearer ${await world.sessionToken(101)}` };
    const { json } = await request(`${world.api}/me`, { headers });
    const told = json.canales.map(({ provider, texto }: Answer["json"]) => [provider, texto.maximo, texto.unidad]);
    expect(told).to.deep.equal([
      ["platform-apicloud", longest.cloud, "caracteres"],
      ["platform-page", longest.page, "caracteres"],
      ["platform-photo", longest.photo, "bytes"],
      ["qr", 4_096, "caracteres"],
      ["provider-b", longest["provider-b"], "caracteres"],
    ]);
    const on = (provider: string) => json.canales.find((channel: Answer["json"]) => channel.provider === provider);
    const megabyte = 1024 * 1024;
    expect(on("qr").archivos).to.include({ "image/png": 5 * megabyte, "text/plain": 100 * megabyte });
    expect(on("platform-page").archivos).to.include({ "image/png": 5 * megabyte, "text/plain": 25 * megabyte });
    expect(on("platform-photo").archivos).to.include({ "application/pdf": 25 * megabyte });
    expect(on("platform-photo").archivos).to.not.have.any.keys("text/plain", "audio/mpeg", "video/3gpp");
    expect(on("provider-b").archivos).to.include({ "application/pdf": 16 * megabyte });
    expect(on("provider-b").archivos).to.not.have.any.keys("text/plain", "audio/mp4", "video/3gpp");
    expect(on("provider-b")).to.include({ plantillas: true, responde_a: false });
    expect(on("platform-page")).to.include({ plantillas: false, responde_a: true });
  });

  it("is not refused on a paired phone", async () => {
    const { status, json } = await answer(await chatOn("qr"), { texto: "a".repeat(4_096) });
    expect([status, json.estado]).to.deep.equal([201, "sent"]);
  });

  it("counts bytes on photo accounts", async () => {
    const chatId = await chatOn("photo");
    const { status, json } = await answer(chatId, { texto: "ñ".repeat(501) });
    expect([status, json.code]).to.deep.equal([400, "text_too_long"]);
    expect((await answer(chatId, { texto: "ñ".repeat(500) })).json.estado).to.equal("sent");
  });

  it("is refused if the text of a quick reply or a template does not fit, and leaves the chat as it was", async () => {
    const headers = { "x-api-key": world.appKey(1) };
    const reply = { nombre: "Largo", texto: "a".repeat(1_001) };
    const made = await request(`${world.api}/admin/quick-replies`, { method: "POST", headers, body: reply });
    expect(made.status, made.text).to.equal(201);
    const chatId = await chatOn("photo");
    const authorization = `Bearer ${await world.sessionToken(102)}`;
    for (const body of [{ respuesta_rapida_id: made.json.id }, { plantilla_id: 101, parameters: [] }]) {
      const path = `${world.api}/chats/${chatId}/messages`;
      const { status, json, text } = await request(path, { method: "POST", headers: { authorization }, body });
      expect([status, json.code], text).to.deep.equal([400, "text_too_long"]);
    }
    expect(await stored(chatId)).to.deep.equal([]);
    expect((await world.get(`/chats/${chatId}`)).json.soporte_id).to.equal(null);
  });
});
