import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { formOf, multipart, png } from "../messaging/media-files.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate, aThread, startWorld, type World } from "../support/world.ts";

/** A campaign's template with a picture as its header. */
const pictured = {
  body: "Hola",
  headerType: "IMAGE",
  fileName: "https://files.test/oferta.jpg",
  structure: {
    language: "es",
    components: [
      { type: "HEADER", format: "IMAGE" },
      { type: "BODY", text: "Hola" },
    ],
  },
};

describe("attachments of messages", () => {
  let directory: string;
  let world: World;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "recado-attachments-"));
    world = await startWorld({
      businesses: [
        aBusiness(1, { templates: [aTemplate(101, pictured)], threads: [aThread(101), aThread(102)] }),
        aBusiness(2),
      ],
      environment: { MEDIA_DIR: directory, MEDIA_BASE_URL: "https://media.test/media/" },
    });
  });
  after(async () => {
    await world.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const upload = async (name: string, content: Buffer, businessId = 1): Promise<string> => {
    const { json, text } = await request(`${world.api}/media`, {
      method: "POST",
      rawBody: formOf({ name, content }),
      headers: { ...multipart, "x-api-key": world.appKey(businessId) },
    });
    expect(json.media_url, text).to.be.a("string");
    return json.media_url;
  };
  const answer = async (chatId: number, body: object): Promise<Answer["json"]> => {
    const { status, json, text } = await world.post(`/chats/${chatId}/messages`, body);
    expect(status, text).to.equal(201);
    return json;
  };
  const latest = async (chatId: number): Promise<Answer["json"]> =>
    (await world.get(`/chats/${chatId}/messages?limit=1`)).json.data[0];
  const openWindow = (chatId: number) =>
    world.rows("update chats set last_inbound_at = now() where business_id = 1 and id = $1", [chatId]);

  it("show the name and size of the business's stored file in the answer, the thread and the event", async () => {
    await openWindow(101);
    const picture = png(1_234);
    const url = await upload("lista de precios.png", picture);
    const listener = await world.listen(101);
    const sent = await answer(101, { media_url: url, texto: "Los precios" });
    const adjunto = { url, tipo: "image", nombre: "lista de precios.png", bytes: picture.length };
    expect(sent.adjunto).to.deep.equal(adjunto);
    expect((await latest(101)).adjunto).to.deep.equal(adjunto);
    const { payload } = await listener.hears(({ name }) => name === "message:new");
    expect(payload.mensaje.adjunto).to.deep.equal(adjunto);
    const inCapitals = await answer(101, { media_url: url.replace("https:", "HTTPS:") });
    expect(inCapitals.adjunto).to.deep.equal(adjunto);
  });

  it("show neither name nor size if the business did not store the file", async () => {
    const foreign = await upload("ajeno.png", png(100), 2);
    await world.rows(
      `insert into messages (business_id, chat_id, conversation_id, direction, kind, body, media_url, author, author_name,
                             state, reference)
       values (1, 101, 101, 'out', 'image', '', $1, 'business', 'Negocio', 'sent', gen_random_uuid())`,
      [foreign],
    );
    expect((await latest(101)).adjunto).to.deep.equal({ url: foreign, tipo: "image", nombre: null, bytes: null });
  });

  it("have the kind of the template's header if a campaign sent them", async () => {
    const { status, text } = await world.post("/chats/enviar/masivo/plantilla", {
      ...{ empresa_id: 1, plantilla_id: 101, user_id: 101, nombre: "Oferta", step: 101, contacts_id: [102] },
      ...{ contacts: [{ nombre: "Carla", numero: "59170000102" }], paramMapping: {} },
    });
    expect(status, text).to.equal(200);
    const message = await eventually(async () => {
      const found = await latest(102);
      expect(found.tipo).to.equal("template");
      return found;
    }, 8_000);
    expect(message.adjunto).to.deep.equal({ url: pictured.fileName, tipo: "image", nombre: null, bytes: null });
  });
});
