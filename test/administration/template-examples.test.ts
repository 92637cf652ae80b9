import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { listen } from "../../src/infra/http/server.ts";
import { formOf, multipart, png, takenFiles } from "../messaging/media-files.ts";
import { request } from "../support/http.ts";
import { content, Templates } from "./template-support.ts";

const base = "https://media.test/media/";

describe("Examples of templates' media headers", () => {
  let templates: Templates;
  let folder: string;
  let outside: string;
  const server = createServer((req, res) => {
    res.statusCode = req.url === "/nothing.png" ? 404 : 200;
    res.end(png(req.url === "/large.png" ? 5 * 1024 * 1024 : 0));
  });
  before(async () => {
    outside = `http://127.0.0.1:${await listen(server, 0, "127.0.0.1")}`;
    folder = await mkdtemp(join(tmpdir(), "recado-examples-"));
    templates = await Templates.start({ MEDIA_DIR: folder, MEDIA_BASE_URL: base, ALLOW_PRIVATE_MEDIA_URLS: "true" });
    await templates.review({ outcome: "APPROVED", delay_ms: 0 });
  });
  after(async () => {
    await templates?.stop();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const stored = async (bytes: Buffer, name: string): Promise<string> => {
    const { json, text } = await request(`${templates.world.api}/media`, {
      method: "POST",
      rawBody: formOf({ content: bytes, name }),
      headers: { ...multipart, "x-api-key": templates.world.appKey(1) },
    });
    expect(json?.media_url, text).to.be.a("string");
    return json.media_url;
  };
  let count = 0;
  const withHeader = async (format: string, address: string): Promise<number> => {
    const header = { type: "HEADER", format, example: { header_handle: [address] } };
    const template = { ...content(), components: [header, ...content().components] };
    return (await templates.make({ nombre: `Con archivo ${++count}`, template })).id;
  };
  const fileOf = (type: string): Buffer => takenFiles.find(([, , each]) => each === type)?.[1] ?? Buffer.alloc(0);
  const refusedWith = async (id: number, words: string) => {
    const { status, json } = await templates.submit(id);
    expect([status, json.code]).to.deep.equal([400, "sample_unusable"]);
    expect(json.error).to.include(words);
    expect((await templates.get(id)).state).to.equal("no_status");
  };

  for (const [format, type, name] of [
    ["IMAGE", "image/jpeg", "menu.jpg"],
    ["VIDEO", "video/mp4", "receta.mp4"],
    ["DOCUMENT", "application/pdf", "factura.pdf"],
  ] as const) {
    it(`are uploaded if they are stored here: ${type} (Admin.Submit.5)`, async () => {
      const address = await stored(fileOf(type), name);
      const id = await withHeader(format, address);
      const submitted = await templates.submit(id);
      expect(submitted.status, submitted.text).to.equal(200);
      const { template } = await templates.becomes(id, "APPROVED");
      expect(template.components[0].example.header_handle).to.deep.equal([address]);
    });
  }

  it("are read from other public URLs", async () => {
    const id = await withHeader("IMAGE", `${outside}/menu.png`);
    const submitted = await templates.submit(id);
    expect(submitted.status, submitted.text).to.equal(200);
  });

  it("are sent unchanged if they are not URLs, since the platform knows its handles", async () => {
    const id = await withHeader("IMAGE", "4::invented");
    const { status, json } = await templates.submit(id);
    expect([status, json.code]).to.deep.equal([400, "template_refused"]);
    expect(json.error).to.include("header_handle is not a handle");
  });

  it("are refused without a submission if the file cannot be used", async () => {
    await refusedWith(await withHeader("IMAGE", `${base}m_nothing`), "no se puede leer");
    await refusedWith(await withHeader("IMAGE", "https://"), "no se puede leer");
    await refusedWith(await withHeader("VIDEO", await stored(png(), "foto.png")), "no es del tipo del encabezado");
    await refusedWith(await withHeader("IMAGE", `${outside}/nothing.png`), "no se puede leer");
    await refusedWith(await withHeader("IMAGE", `${outside}/large.png`), "demasiado grande");
  });

  it("leave the template unchanged if the upload to the platform fails", async () => {
    const id = await withHeader("IMAGE", await stored(png(), "foto.png"));
    for (const path of ["app", "uploads", "upload"]) {
      await templates.world.control("POST", "/faults", { path, code: 2, status: 500 });
      const away = await templates.submit(id);
      expect([away.status, away.json.code], `${path} ${away.text}`).to.deep.equal([502, "platform_unavailable"]);
      expect((await templates.get(id)).state).to.equal("no_status");
    }
    expect((await templates.submit(id)).status).to.equal(200);
  });
});
