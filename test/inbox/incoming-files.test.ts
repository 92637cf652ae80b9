import type { ServerResponse } from "node:http";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { noNews } from "../../src/inbox/public.ts";
import { png, refusedFiles, takenFiles, zip } from "../messaging/media-files.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aWebhook } from "../support/world.ts";
import { Files, mediaBase } from "./files-support.ts";

const riff = (kind: string) => Buffer.concat([Buffer.from(`RIFF\0\0\0\0${kind}`, "latin1"), Buffer.alloc(600)]);
const ftyp = (brand: string) =>
  Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${brand}\0\0\0\0${brand}mif1`), Buffer.alloc(600)]);

/** Files that customers may send and businesses may not. Browsers get them with this content type and disposition. */
const receivedFiles: readonly (readonly [
  what: string,
  content: Buffer,
  type: string,
  shown: "inline" | "attachment",
])[] = [
  ["a sticker", riff("WEBPVP8 "), "image/webp", "inline"],
  ["an animated picture", Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(600)]), "image/gif", "inline"],
  ["a contact card", Buffer.from("BEGIN:VCARD\nFN:Ana\nEND:VCARD\n"), "text/vcard", "attachment"],
  ["an archive", zip({ "a.txt": "a" }), "application/zip", "attachment"],
  ["a phone's picture", ftyp("heic"), "image/heic", "attachment"],
  ["a QuickTime film", ftyp("qt  "), "video/quicktime", "attachment"],
];

/** Files that are refused from customers as well as from businesses. */
const harmful = [
  "a page",
  "a page without its beginning",
  "a drawing",
  "a drawing that is declared as XML",
  "a program",
];

describe("files from customers", () => {
  let files: Files;
  before(async () => {
    files = await Files.start("all");
  });
  after(() => files?.stop());
  afterEach(() => files.world.rows("delete from incoming_files"));

  it("are shown in the inbox before they are fetched, and announced when they are available", async () => {
    const { platform, world } = files;
    const listener = await world.listen(101);
    const id = files.newId();
    const asked = new Promise<() => void>((asks) => {
      platform.has(id, (response) => asks(() => response.end(png(700))));
    });
    const wamid = await files.says({ id, mime_type: "image/png", caption: "Mi casa" });
    const { payload: told } = await listener.hears(({ name }) => name === "message:new");
    expect(told.mensaje).to.deep.include({ tipo: "image", texto: "Mi casa", adjunto: null, media_url: null });
    const archivo = { estado: "pendiente", tipo: "image", nombre: null, motivo: null };
    expect(told.mensaje.detalles.archivo).to.deep.equal(archivo);
    const give = await asked;
    give();
    const { payload } = await listener.hears(({ name }) => name === "message:changed");
    const { adjunto, media_url, detalles } = payload.mensaje;
    expect(media_url.startsWith(mediaBase)).to.equal(true);
    expect(adjunto).to.deep.equal({ url: media_url, tipo: "image", nombre: "media.png", bytes: png(700).length });
    expect(detalles.archivo).to.deep.equal({ ...archivo, estado: "listo", nombre: "media.png" });
    expect(detalles.image).to.deep.include({ id, caption: "Mi casa" });
    expect((await files.message(wamid)).adjunto).to.deep.equal(adjunto);
    const served = await files.read(media_url);
    expect([served.status, served.type]).to.deep.equal([200, "image/png"]);
    expect(await files.waiting()).to.deep.equal([]);
  });

  for (const type of ["image", "video", "audio", "voice", "document", "sticker"]) {
    it(`of type ${type} are fetched`, async () => {
      const id = files.newId();
      files.platform.has(id, png(10));
      const { tipo, adjunto } = await files.messageIn(await files.says({ id }, { type }), "listo");
      const kind = type === "voice" ? "audio" : type;
      expect([tipo, adjunto.tipo]).to.deep.equal([kind, kind]);
    });
  }

  it("keep the customer's file name, with the extension of their real type", async () => {
    const [, pdf] = takenFiles.find(([name]) => name === "carta.pdf") ?? [];
    const id = files.newId();
    files.platform.has(id, pdf ?? Buffer.alloc(0));
    const wamid = await files.says({ id, filename: "../Lista <b> de precios.exe" }, { type: "document" });
    const { adjunto } = await files.messageIn(wamid, "listo");
    expect(adjunto.nombre).to.equal(".. Lista b de precios.pdf");
  });

  for (const [what, content, type, shown] of receivedFiles) {
    it(`are stored and served as ${type} that no browser runs, if they are ${what}`, async () => {
      const id = files.newId();
      files.platform.has(id, content);
      const { adjunto } = await files.messageIn(await files.says({ id }, { type: "document" }), "listo");
      const served = await files.read(adjunto.url);
      expect([served.status, served.type]).to.deep.equal([200, type]);
      expect(served.headers["content-disposition"]).to.match(new RegExp(`^${shown};`));
      expect(served.headers["x-content-type-options"]).to.equal("nosniff");
      expect(served.headers["content-security-policy"]).to.equal("default-src 'none'; sandbox");
    });
  }

  for (const what of harmful) {
    it(`are not stored if they are ${what}, whatever type the platform names`, async () => {
      const before = await files.stored();
      const id = files.newId();
      files.platform.has(id, (response) => response.setHeader("content-type", "image/png").end(refusedFiles[what]));
      const wamid = await files.says({ id, mime_type: "image/png", filename: "foto.png" }, { type: "document" });
      const { adjunto, media_url, detalles } = await files.messageIn(wamid, "no_disponible");
      expect([adjunto, media_url]).to.deep.equal([null, null]);
      expect(detalles.archivo.motivo).to.equal("El archivo es de un tipo que no se guarda");
      expect(await files.stored()).to.deep.equal(before);
      expect(await files.waiting()).to.deep.equal([]);
    });
  }

  it("are requested with the token of the number that received them", async () => {
    const { platform } = files;
    const id = files.newId();
    platform.has(id, png(20));
    await files.messageIn(await files.says({ id }, { businessId: 2 }), "listo");
    const asked = platform.asked.filter(({ path }) => path.endsWith(id));
    expect(asked.map(({ token }) => token)).to.deep.equal(["Bearer token-2", "Bearer token-2"]);
  });

  it("are unavailable at once if they are empty", async () => {
    const { platform } = files;
    for (const [how, give] of Object.entries({
      "with their length": (response: ServerResponse) => response.end(),
      "without their length": (response: ServerResponse) => {
        response.flushHeaders();
        response.end();
      },
    })) {
      const id = files.newId();
      platform.has(id, give);
      const { adjunto, detalles } = await files.messageIn(await files.says({ id }), "no_disponible");
      expect([adjunto, detalles.archivo.motivo], how).to.deep.equal([null, "El archivo está vacío"]);
      expect(platform.timesServed(id), how).to.equal(1);
    }
    expect(await files.waiting()).to.deep.equal([]);
  });

  it("count towards the quota of the business that received them, and another one cannot delete them", async () => {
    const id = files.newId();
    files.platform.has(id, png(30));
    const usage = async (businessId: number) => (await files.world.get("/media/usage", businessId)).json.used_bytes;
    const before = [await usage(2), await usage(3)];
    const { adjunto } = await files.messageIn(await files.says({ id }, { businessId: 2 }), "listo");
    expect([await usage(2), await usage(3)]).to.deep.equal([(before[0] ?? 0) + png(30).length, before[1]]);
    const name = adjunto.url.slice(mediaBase.length);
    const remove = { method: "DELETE", headers: { "x-api-key": files.world.appKey(3) } };
    expect((await request(`${files.world.api}/media/${name}`, remove)).status).to.equal(404);
  });

  it("are not mixed up if messages of two businesses have the same id", async () => {
    const [one, two] = [files.newId(), files.newId()];
    files.platform.has(one, png(31));
    files.platform.has(two, png(32));
    const wamid = `wamid.${files.newId()}`;
    const told = [one, two].map((id, index) => {
      const message = { from: "59171110001", id: wamid, timestamp: "1760000000", type: "document" };
      const value = { metadata: { phone_number_id: `number-${index + 1}` } };
      const messages = [{ ...message, document: { id, filename: `de-${index + 1}.png` } }];
      return { field: "messages", value: { ...value, messages } };
    });
    await files.world.webhook({ object: "whatsapp_business_account", entry: [{ id: "a", changes: told }] });
    const sql = `select business_id, attachment from messages
                 where platform_message_id = $1 and attachment->>'state' = 'done' order by business_id`;
    const stored = await eventually(async () => {
      const rows = await files.world.rows<{ business_id: number; attachment: { bytes?: number } }>(sql, [wamid]);
      return rows.length === 2 && rows;
    });
    expect(stored.map(({ business_id }) => business_id)).to.deep.equal([1, 2]);
    const sizes = await files.world.rows<{ business_id: number; file_name: string; size: number }>(
      `select file.business_id, file.file_name, file.size from media_files as file
       join messages as message on message.business_id = file.business_id and public.media_name(message.media_url) = file.name
       where message.platform_message_id = $1 order by file.business_id`,
      [wamid],
    );
    expect(sizes.map(({ file_name: name, size }) => [name, size])).to.deep.equal([
      ["de-1.png", png(31).length],
      ["de-2.png", png(32).length],
    ]);
  });

  it("are fetched once even if their message is delivered twice", async () => {
    const { platform, world } = files;
    const id = files.newId();
    platform.has(id, png(40));
    const wamid = await files.says({ id });
    const message = await files.messageIn(wamid, "listo");
    const events = () =>
      world.rows("select from realtime_events where payload #>> '{message,id}' = $1", [`${message.id}`]);
    const { length } = await events();
    const again = { from: "59171110001", id: wamid, timestamp: "1760000000", type: "image", image: { id } };
    const sql = "select from incoming_webhooks";
    await world.webhook({
      object: "whatsapp_business_account",
      entry: [
        {
          id: "a",
          changes: [{ field: "messages", value: { metadata: { phone_number_id: "number-1" }, messages: [again] } }],
        },
      ],
    });
    await eventually(async () => (await world.rows(sql)).length === 0);
    expect(platform.timesServed(id)).to.equal(1);
    expect(await files.waiting()).to.deep.equal([]);
    expect((await events()).length).to.equal(length);
  });

  it("are unavailable at once if the platform does not know them", async () => {
    const wamid = await files.says({ id: files.newId() });
    const { adjunto, detalles } = await files.messageIn(wamid, "no_disponible");
    expect([adjunto, detalles.archivo.motivo]).to.deep.equal([null, "La plataforma no tiene el archivo"]);
    expect(await files.waiting()).to.deep.equal([]);
  });

  for (const [what, refusal] of [
    ["refuses the token", { status: 401, code: 190 }],
    ["has an internal error", { status: 500, code: 2 }],
    ["is overloaded", { status: 429, code: 80007 }],
  ] as const) {
    it(`are fetched later if the platform ${what}`, async () => {
      const { platform } = files;
      const id = files.newId();
      platform.has(id, png(50));
      platform.refuses(id, refusal);
      const wamid = await files.says({ id });
      const { error } = await files.postponed();
      expect(error).to.equal(`the platform answered ${refusal.status}, code ${refusal.code}`);
      await files.messageIn(wamid, "pendiente");
      platform.refuses(id, null);
      await files.retryNow();
      await files.messageIn(wamid, "listo");
    });
  }

  it("are fetched again from the beginning after an interruption, and nothing of the first attempt remains", async () => {
    const { platform } = files;
    const before = await files.stored();
    const id = files.newId();
    platform.has(id, (response) => {
      response.writeHead(200, { "content-length": "100000" });
      response.write(png(50_000), () => response.destroy());
    });
    const wamid = await files.says({ id });
    expect((await files.postponed()).error).to.match(/^it broke off/);
    expect(await files.stored()).to.deep.equal(before);
    platform.has(id, png(60));
    await files.retryNow();
    const { adjunto } = await files.messageIn(wamid, "listo");
    expect(adjunto.bytes).to.equal(png(60).length);
    expect(await files.stored()).to.have.length(before.length + 1);
  });

  it("are refused above the limit of their kind, even if they do not announce their size", async () => {
    const { platform, world } = files;
    const before = await files.stored();
    const { json: usage } = await world.get("/media/usage");
    const large = png(5 * 1024 * 1024);
    const announcing = files.newId();
    platform.has(announcing, large);
    const silent = files.newId();
    platform.has(silent, (response) => {
      response.write(large.subarray(0, 1_000_000));
      response.end(large.subarray(1_000_000));
    });
    for (const id of [announcing, silent]) {
      const { detalles } = await files.messageIn(await files.says({ id }), "no_disponible");
      expect(detalles.archivo.motivo).to.equal("El archivo es más grande de lo que se admite");
    }
    expect(await files.stored()).to.deep.equal(before);
    expect((await world.get("/media/usage")).json).to.deep.equal(usage);
  });

  it("wait until the business's quota has room", async () => {
    const { platform, world } = files;
    const setQuota = (bytes: number) =>
      world.rows("update businesses set feature_flags = feature_flags || $1 where id = 3", [
        JSON.stringify({ media_quota_bytes: bytes }),
      ]);
    await setQuota(1_000);
    const id = files.newId();
    platform.has(id, png(2_000));
    const wamid = await files.says({ id }, { businessId: 3 });
    expect((await files.postponed()).error).to.equal("no room within 1000 bytes");
    await setQuota(1_000_000);
    await files.retryNow();
    await files.messageIn(wamid, "listo");
  });

  it("wait while their sender is deleted, and are given up after a day", async () => {
    const { platform, world } = files;
    const id = files.newId();
    platform.has(id, png(70));
    platform.refuses(id, { status: 500, code: 1 });
    const wamid = await files.says({ id }, { businessId: 3 });
    await files.postponed();
    platform.refuses(id, null);
    await world.rows("update senders set platform_id = 'gone' where business_id = 3");
    await world.rows("update incoming_files set error = null");
    await files.retryNow();
    expect((await files.postponed()).error).to.equal("the sender was deleted");
    await world.rows("update incoming_files set expires_at = now()");
    await files.retryNow();
    const { detalles } = await files.messageIn(wamid, "no_disponible");
    expect(detalles.archivo.motivo).to.equal("El canal por el que llegó ya no está conectado");
    expect(await files.waiting()).to.deep.equal([]);
    await world.rows("update senders set platform_id = 'number-3' where business_id = 3");
  });

  it("are deleted with their contact, whether they wait, are being fetched or are stored", async () => {
    const { platform, world } = files;
    const before = await files.stored();
    const from = "59171119999";
    const [done, failing, slow] = [files.newId(), files.newId(), files.newId()];
    platform.has(done, png(80));
    const stored = await files.messageIn(await files.says({ id: done }, { from }), "listo");
    platform.has(failing, png(81));
    platform.refuses(failing, { status: 500, code: 1 });
    await files.says({ id: failing, filename: "secreto-de-carla.png" }, { from });
    await files.postponed();
    const asked = new Promise<() => void>((asks) => {
      platform.has(slow, (response) => asks(() => response.end(png(82))));
    });
    const wamid = await files.says({ id: slow }, { from });
    const give = await asked;
    const { chat_id } = await eventually(async () => {
      const sql = "select chat_id from messages where platform_message_id = $1";
      return (await world.rows<{ chat_id: number }>(sql, [wamid]))[0];
    });
    const { json: chat } = await world.get(`/chats/${chat_id}`);
    const token = await world.sessionToken(101);
    const erased = await request(`${world.api}/contacts/${chat.contacto.id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${token}` },
    });
    expect(erased.status, erased.text).to.equal(204);
    expect(await files.waiting()).to.deep.equal([]);
    give();
    await eventually(async () => (await files.stored()).join() === before.join());
    expect((await files.read(stored.adjunto.url)).status).to.equal(404);
    const { json } = await world.get(`/chats/${chat_id}/messages`);
    for (const message of json.data) expect([message.adjunto, message.detalles]).to.deep.equal([null, null]);
  });

  it("are deleted if the customer withdraws their message, before or after the download", async () => {
    const { platform, world } = files;
    const before = await files.stored();
    const withdraw = async (wamid: string) => {
      const revoke = { from: "59171110001", id: `${wamid}.revoke`, timestamp: "1760000000", type: "revoke" };
      const messages = [{ ...revoke, revoke: { original_message_id: wamid } }];
      await world.webhook(aWebhook(1, { messages }));
      await eventually(async () => (await files.message(wamid)).detalles?.eliminado);
    };
    const [waits, done] = [files.newId(), files.newId()];
    platform.has(waits, png(91));
    platform.refuses(waits, { status: 500, code: 1 });
    const waiting = await files.says({ id: waits });
    await files.postponed();
    await withdraw(waiting);
    expect(await files.waiting()).to.deep.equal([]);
    platform.has(done, png(92));
    const stored = await files.says({ id: done });
    const { adjunto } = await files.messageIn(stored, "listo");
    await withdraw(stored);
    for (const wamid of [waiting, stored]) {
      expect(await files.message(wamid)).to.deep.include({
        adjunto: null,
        media_url: null,
        detalles: { eliminado: true },
      });
    }
    expect((await files.read(adjunto.url)).status).to.equal(404);
    await eventually(async () => (await files.stored()).join() === before.join());
  });

  it("are deleted at once by a withdrawal that arrived before their message", async () => {
    const { platform, world } = files;
    const before = await files.stored();
    const id = files.newId();
    platform.has(id, png(94));
    const wamid = await files.says({ id });
    await files.messageIn(wamid, "listo");
    // A withdrawal that arrives while its message is being stored leaves such a row.
    await world.rows(
      `insert into early_news (business_id, platform_message_id, provider, kind, customer, answer, sender, emoji, body, at)
       values (1, $1, 'platform-apicloud', 'withdrawal', '59171110001', '', 'number-1', '', '', now())`,
      [wamid],
    );
    await resolve(world.container, tokens.applyEarlyStatuses).execute();
    // The worker may have taken the row before this test did, and may still be applying the withdrawal.
    await eventually(async () => (await files.message(wamid)).adjunto === null);
    await eventually(async () => (await files.stored()).join() === before.join());
  });

  it("are fetched if the business sent them in another app", async () => {
    const { platform, world } = files;
    const id = files.newId();
    platform.has(id, png(93));
    const unitOfWork = resolve(world.container, tokens.incomingUnitOfWork);
    const echo = {
      ...{ sender: "number-1", to: "59171110001", platformMessageId: "wamid.echo", kind: "image", body: "" },
      ...({ file: { kind: "image", place: { at: "id", id } }, occurredAt: new Date() } as const),
    };
    await unitOfWork.run(1, ({ incoming }) => incoming("platform-apicloud").record({ ...noNews, echoes: [echo] }));
    resolve(world.container, tokens.fetchFiles).nudge();
    const { direccion, adjunto } = await files.messageIn("wamid.echo", "listo");
    expect([direccion, adjunto.bytes]).to.deep.equal(["saliente", png(93).length]);
  });

  it("are counted in the metrics, by outcome and by state", async () => {
    const { platform, world } = files;
    const id = files.newId();
    platform.has(id, png(90));
    platform.refuses(id, { status: 500, code: 1 });
    await files.says({ id });
    await files.postponed();
    const text = await resolve(world.container, tokens.metrics).text();
    expect(text).to.match(/incoming_files_total\{channel="platform-apicloud",outcome="stored"\} [1-9]/);
    expect(text).to.match(/incoming_files_total\{channel="platform-apicloud",outcome="later"\} [1-9]/);
    expect(text).to.match(/incoming_files_waiting\{state="postponed"\} /);
  });
});
