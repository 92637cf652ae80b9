import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { formOf, multipart, takenFiles } from "../messaging/media-files.ts";
import { onEveryChannel, startChannelWorld } from "../support/channels.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aTemplate, aThread, type World } from "../support/world.ts";

const [, pdf = Buffer.alloc(0)] = takenFiles.find(([name]) => name === "carta.pdf") ?? [];
const document = {
  body: "Hola",
  headerType: "DOCUMENT",
  structure: {
    language: "es",
    components: [
      { type: "HEADER", format: "DOCUMENT" },
      { type: "BODY", text: "Hola" },
    ],
  },
};

describe("names of documents that the business sends", () => {
  let directory: string;
  let world: World;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "recado-names-"));
    const templates = [aTemplate(101, document)];
    const threads = [aThread(101), aThread(102, { channel: "qr" }), aThread(103)];
    world = await startChannelWorld({
      businesses: [onEveryChannel(1, { templates, threads }), onEveryChannel(2)],
      environment: { MEDIA_DIR: directory, MEDIA_BASE_URL: "https://media.test/media/" },
    });
    await world.control("POST", "/customers/59170000101/say", { to: "number-1", text: "Hola" });
    await world.rows("update chats set last_inbound_at = now() where business_id = 1");
  });
  after(async () => {
    await world.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const upload = async (name: string, businessId = 1): Promise<string> => {
    const { json, text } = await request(`${world.api}/media`, {
      method: "POST",
      rawBody: formOf({ name, content: pdf }),
      headers: { ...multipart, "x-api-key": world.appKey(businessId) },
    });
    expect(json.media_url, text).to.be.a("string");
    return json.media_url;
  };
  const messagesTo = (chatId: number): Promise<Answer["json"]> =>
    world.control("GET", `/messages?to=5917000${String(chatId).padStart(4, "0")}`);
  /** Sends a message. Returns it as the platform received it. */
  const sent = async (chatId: number, body: object): Promise<Answer["json"]> => {
    const { status, json, text } = await world.post(`/chats/${chatId}/messages`, body);
    expect(status, text).to.equal(201);
    expect(json.estado, text).to.equal("sent");
    return (await messagesTo(chatId)).at(-1);
  };

  it("reach the customer on the channels that have names", async () => {
    const link = await upload("Cotización de Ana.pdf");
    const cloud = await sent(101, { media_url: link, texto: "La cotización" });
    expect(cloud.media).to.deep.equal({ link, filename: "Cotización de Ana.pdf", caption: "La cotización" });
    const qr = await sent(102, { media_url: link });
    expect(qr.media).to.deep.equal({ link, fileName: "Cotización de Ana.pdf" });
  });

  it("reach the customer in the header of a template that an answer or a campaign sends", async () => {
    const link = await upload("Catálogo.pdf");
    const header = { type: "document", value: link, filename: "Catálogo.pdf" };
    const answered = await sent(101, { plantilla_id: 101, parameters: [], media_url: link });
    expect(answered.template.header).to.deep.equal(header);

    await world.rows("update templates set file_name = $1 where business_id = 1 and id = 101", [
      link.split("/").at(-1),
    ]);
    const { status, text } = await world.post("/chats/enviar/masivo/plantilla", {
      ...{ empresa_id: 1, plantilla_id: 101, user_id: 101, nombre: "Catálogo", step: 101, contacts_id: [103] },
      ...{ contacts: [{ nombre: "Carla", numero: "59170000103" }], paramMapping: {} },
    });
    expect(status, text).to.equal(200);
    await eventually(async () => {
      const [message] = await messagesTo(103);
      expect(message?.template.header).to.deep.equal(header);
      return true;
    });
  });

  it("are the last part of the address if another business stored the file", async () => {
    const link = await upload("Ajeno.pdf", 2);
    const { media } = await sent(101, { media_url: link });
    expect(media).to.deep.equal({ link, filename: link.split("/").at(-1) });
  });
});
