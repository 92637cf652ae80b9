import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { startWorld, type World } from "../support/world.ts";
import { customer, type Fields, jid, told, upsert } from "./qr-messages.ts";

const megabyte = 1024 * 1024;
/** A PNG of one pixel, in base64. */
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("/webhooks/qr/{instance}: messages", () => {
  let world: World;
  let directory: string;
  /** The `Authorization` header of webhooks of the instance `tienda`. */
  let secret: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "qr-files-"));
    world = await startWorld({
      environment: { MEDIA_DIR: directory, MEDIA_BASE_URL: "https://media.test/media/" },
      configure: (config) => ({ ...config, metricsKey: "metrics key for tests" }),
    });
    secret = `Bearer ${secretOf("tienda", await paired("tienda"))}`;
  });
  after(async () => {
    await world.stop();
    await rm(directory, { recursive: true });
  });

  let count = 1;
  const newNumber = (): string => `5917777${String(count++).padStart(4, "0")}`;
  const newId = (): string => `3ATEST${count++}`;
  const keyOf = (instance: string) => `key-of-${instance}`;
  const ask = (method: string, path: string, body?: object, businessId = 1): Promise<Answer> =>
    request(`${world.api}${path}`, {
      method,
      headers: { "x-api-key": world.appKey(businessId) },
      ...(body && { body }),
    });
  const newSender = async (instance: string, businessId = 1): Promise<number> => {
    await world.control("POST", "/qr-instances", { instance, apiKey: keyOf(instance), connected: false });
    const sender = { provider: "qr", platform_id: instance, phone: "59120000001", token: keyOf(instance) };
    const made = await ask("POST", "/admin/senders", sender, businessId);
    expect(made.status, made.text).to.equal(201);
    return made.json.id;
  };
  /** Creates a sender for the instance and pairs its phone. Returns the sender's id. */
  const paired = async (instance: string): Promise<number> => {
    const id = await newSender(instance);
    expect((await ask("GET", `/admin/senders/${id}/qr.png`)).status).to.equal(200);
    await world.control("POST", "/qr-instances", { instance, apiKey: keyOf(instance), connected: true });
    return id;
  };
  const secretOf = (platformId: string, senderId: number, businessId = 1): string =>
    resolve(world.container, tokens.instanceWebhook)({ businessId, senderId, platformId }).secret;

  const deliver = (instance: string, payload: string | Buffer, authorization: string) =>
    request(`${world.api}/webhooks/qr/${instance}`, { method: "POST", rawBody: payload, headers: { authorization } });
  const stored = { status: 200, text: '{"success":true}' };
  const allProcessed = () => eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
  // The next test may count or list waiting webhooks.
  afterEach(allProcessed);
  const ignored = async (): Promise<number> => {
    const headers = { authorization: "Bearer metrics key for tests" };
    const { text } = await request(`${world.api}/metrics`, { headers });
    return Number(/^webhooks_ignored_total\{channel="qr"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const threadOf = async (number: string, businessId = 1): Promise<Answer["json"][]> => {
    const [chat] = await world.rows<{ id: number }>(
      `select chat.id from chats as chat join contacts as contact
         on contact.business_id = chat.business_id and contact.id = chat.contact_id
       where chat.business_id = $1 and contact.phone = $2 and chat.provider = 'qr'`,
      [businessId, number],
    );
    return chat ? (await world.get(`/chats/${chat.id}/messages`, businessId)).json.data : [];
  };
  /** Webhooks that arrive during `work` are processed only after `work` has ended. */
  async function held(work: () => Promise<void>): Promise<void> {
    await world.rows(`
      create function given_up() returns trigger language plpgsql
        as $$ begin new.gave_up_at := now(); return new; end $$;
      create trigger given_up before insert on incoming_webhooks for each row execute function given_up()`);
    try {
      await work();
    } finally {
      await world.rows("drop function given_up cascade");
    }
    await resolve(world.container, tokens.incomingUpkeep).retryGivenUp();
    resolve(world.container, tokens.incomingLoop).nudge();
  }
  const kept = () => world.rows<{ payload: string }>("select payload from incoming_webhooks order by id");

  describe("of a paired phone", () => {
    const tell = (event: string, data: unknown, changes: Fields = {}, authorization = secret) =>
      deliver("tienda", JSON.stringify(told(event, data, changes)), authorization);
    const says = async (number: string, input: object): Promise<Answer["json"]> => {
      const { id } = await world.control("POST", `/customers/${number}/say`, { to: "tienda", channel: "qr", ...input });
      return await eventually(async () => (await threadOf(number)).find((each) => each.platform_message_id === id));
    };

    it("are requested from the provider together with the phone's code, but without their files (QrWebhook.10)", async () => {
      const number = newNumber();
      expect(await says(number, { text: "¿Tienen talla M?", name: "Eva" })).to.include({
        tipo: "text",
        direccion: "entrante",
        texto: "¿Tienen talla M?",
      });
      await held(async () => {
        const base64 = Buffer.from("a picture").toString("base64");
        const media = { type: "image", mime: "image/jpeg", base64 };
        await world.control("POST", `/customers/${number}/say`, { to: "tienda", channel: "qr", media });
        expect((await kept()).map(({ payload }) => payload.includes(base64))).to.deep.equal([false]);
      });
    });

    it("are also requested for a phone that was paired before, when its code is requested again", async () => {
      const id = await newSender("antes");
      await world.control("POST", "/qr-instances", { instance: "antes", apiKey: keyOf("antes"), connected: true });
      const say = (text: string) =>
        world.control("POST", `/customers/${customer}/say`, { to: "antes", channel: "qr", text });
      expect(await say("nobody hears")).to.include({ delivered: false });
      expect((await ask("GET", `/admin/senders/${id}/qr.png`)).json.code).to.equal("connected");
      expect(await say("somebody hears")).to.include({ delivered: true });
    });

    it("are shown in the chat with that number, each kind as on the cloud channel (QrWebhook.6)", async () => {
      const number = newNumber();
      const text = await says(number, { text: "Hola", name: "Eva" });
      const answer = await says(number, { text: "Sí", reply_to: text.platform_message_id });
      expect(answer.responde_a).to.equal(text.id);
      expect(await says(number, { type: "location" })).to.deep.include({
        tipo: "location",
        texto: "Plaza 24 de Septiembre",
      });
      expect((await says(number, { type: "contacts" })).detalles.contacts[0].phones[0].wa_id).to.equal("59170000099");
      expect(await says(number, { type: "button" })).to.include({ tipo: "button", texto: "Sí" });
      expect(await says(number, { type: "interactive" })).to.include({ tipo: "interactive", texto: "Azul" });
      expect(await says(number, { type: "order" })).to.include({ tipo: "order" });
      const poll = { type: "pollCreationMessage", content: { name: "¿Cuál?", options: [{ optionName: "A" }] } };
      expect(await says(number, poll)).to.include({ tipo: "unsupported", texto: "¿Cuál?\nA" });
      const bytes = Buffer.from("a voice").toString("base64");
      const voice = await says(number, { media: { type: "audio", mime: "audio/ogg", base64: bytes } });
      expect(voice.tipo).to.equal("audio");
      expect(voice.detalles.audio).to.deep.equal({ mime_type: "audio/ogg", voice: true });
      expect((await threadOf(number)).length).to.equal(9);
    });

    it("are shown once, even if they are delivered several times", async () => {
      const number = newNumber();
      const data = upsert({ conversation: "once" }, { key: { remoteJid: `${number}@s.whatsapp.net`, id: newId() } });
      const answers = await Promise.all(Array.from({ length: 5 }, () => tell("messages.upsert", data)));
      for (const answer of answers) expect(answer).to.include(stored);
      await allProcessed();
      expect(await threadOf(number)).to.have.length(1);
    });

    it("show reactions at their message (QrWebhook.8)", async () => {
      const number = newNumber();
      const message = await says(number, { text: "Hola" });
      const react = (emoji: string) =>
        world.control("POST", `/customers/${number}/react`, {
          ...{ to: "tienda", channel: "qr", message_id: message.platform_message_id, emoji },
        });
      const emojis = async () => (await threadOf(number))[0].reacciones.map((each: { emoji: string }) => each.emoji);
      await react("👍");
      await eventually(async () => (await emojis()).join() === "👍");
      await react("");
      await eventually(async () => (await emojis()).length === 0);
      expect(await threadOf(number)).to.have.length(1);
    });

    it("are accepted from hidden numbers that the provider reveals, while those of groups are counted as ignored", async () => {
      const number = newNumber();
      const lid = { remoteJid: "18000000@lid", senderPn: `${number}@s.whatsapp.net` };
      expect(await says(number, { text: "hidden", key: lid })).to.include({ texto: "hidden" });
      const before = await ignored();
      await held(async () => {
        for (const remoteJid of ["18000000@lid", "120363000@g.us", "status@broadcast", "1@newsletter"]) {
          const key = { remoteJid, participant: jid, fromMe: false, id: newId() };
          expect(await tell("messages.upsert", upsert({ conversation: "no" }, { key }))).to.include(stored);
        }
        for (const [event, data] of [
          ["messages.upsert", upsert({ messageContextInfo: {} })],
          ["messages.update", { keyId: "3EB0", fromMe: false, status: "READ" }],
          ["presence.update", { id: jid }],
        ] as const) {
          expect(await tell(event, data)).to.include(stored);
        }
        expect(await kept()).to.deep.equal([]);
      });
      expect((await ignored()) - before).to.equal(7);
    });

    it("get their statuses in any order (QrWebhook.7)", async () => {
      const number = newNumber();
      const { id } = await says(number, { text: "Hola" });
      const [{ chat_id: chatId }] = (await world.rows<{ chat_id: number }>(
        "select chat_id from messages where business_id = 1 and id = $1",
        [id],
      )) as [{ chat_id: number }];
      const sent = await ask("POST", `/chats/${chatId}/messages`, { texto: "Buenas" });
      expect(sent.status, sent.text).to.equal(201);
      await eventually(
        async () => (await threadOf(number)).find((each) => each.id === sent.json.id)?.estado === "read",
      );
    });

    it("show the owner's messages on the phone, and our own ones once (QrWebhook.6)", async () => {
      const number = newNumber();
      const { id } = await says(number, { text: "Hola" });
      const path = `/qr/tienda/customers/${number}/write`;
      const written = await world.control("POST", path, { text: "Ya va" });
      const echoed = await eventually(async () =>
        (await threadOf(number)).find((each) => each.platform_message_id === written.id),
      );
      expect(echoed).to.include({ direccion: "saliente", texto: "Ya va" });
      const chat = await world.rows<{ id: number }>(
        "select chat_id as id from messages where business_id = 1 and id = $1",
        [id],
      );
      expect((await ask("POST", `/chats/${chat[0]?.id}/messages`, { texto: "Listo" })).status).to.equal(201);
      await eventually(async () =>
        (await threadOf(number)).find(({ texto, estado }) => texto === "Listo" && estado === "read"),
      );
      expect((await threadOf(number)).map(({ texto }) => texto)).to.deep.equal(["Listo", "Ya va", "Hola"]);
    });

    it("can be withdrawn (QrWebhook.7)", async () => {
      const number = newNumber();
      const message = await says(number, { text: "secret" });
      const key = { remoteJid: `${number}@s.whatsapp.net`, fromMe: false, id: message.platform_message_id };
      expect(await tell("messages.delete", key)).to.include(stored);
      await eventually(async () => (await threadOf(number))[0].detalles?.eliminado === true);
    });

    it("send the customer a read receipt", async () => {
      const number = newNumber();
      const { id, platform_message_id: messageId } = await says(number, { text: "Hola" });
      const chat = await world.rows<{ id: number }>(
        "select chat_id as id from messages where business_id = 1 and id = $1",
        [id],
      );
      expect((await ask("POST", `/chats/${chat[0]?.id}/read`, { hasta: id })).status).to.equal(200);
      await eventually(async () => JSON.stringify(await world.control("GET", "/reads")).includes(messageId));
    });

    it("are stored with their file only until they are handled, and never with the provider's key (QrWebhook.9)", async () => {
      const number = newNumber();
      const base64 = "QUJD".repeat(100_000);
      const key = { remoteJid: `${number}@s.whatsapp.net`, fromMe: false, id: newId() };
      const image = upsert({ imageMessage: { mimetype: "image/jpeg", caption: "Este" }, base64 }, { key });
      await held(async () => {
        expect(await tell("messages.upsert", image)).to.include(stored);
        expect(await tell("messages.upsert", upsert({ conversation: '"base64":"AAAA"', base64 }, { key }))).to.include(
          stored,
        );
        expect(await tell("send.message", { ...image, key: { ...key, fromMe: true } })).to.include(stored);
        const [first, ...others] = (await kept()).map(({ payload }) => payload);
        expect(first?.endsWith(`\n${base64}`)).to.equal(true);
        for (const payload of [first, ...others]) expect(payload).not.to.include("key-1");
        for (const payload of others) expect(payload).not.to.include("QUJDQUJD");
        expect(others).to.have.length(2);
      });
      await allProcessed();
      expect((await threadOf(number)).map(({ texto }) => texto)).to.include("Este");
      const rows = await world.rows(
        "select from messages where details::text like '%QUJDQUJD%' or body like '%QUJDQUJD%'",
      );
      expect(rows).to.deep.equal([]);
    });

    it("have their file, whether it is included or must be fetched (QrWebhook.9)", async () => {
      const number = newNumber();
      const media = { type: "image", mime: "image/png", base64: picture };
      const arrives = async () => {
        const { id } = await says(number, { media });
        const shown = await eventually(async () =>
          (await threadOf(number)).find((each) => each.id === id && each.adjunto),
        );
        expect(shown.adjunto).to.include({ tipo: "image", bytes: Buffer.from(picture, "base64").length });
      };
      await arrives();
      const instance = { instance: "tienda", apiKey: keyOf("tienda"), connected: true };
      await world.control("POST", "/qr-instances", { ...instance, webhookBase64: true });
      await arrives();
      await world.control("POST", "/qr-instances", instance);
    });

    it("may have a file of 25 MB", async () => {
      const number = newNumber();
      const key = { remoteJid: `${number}@s.whatsapp.net`, fromMe: false, id: newId() };
      const message = {
        documentMessage: { mimetype: "application/pdf", fileName: "a.pdf" },
        base64: "Q".repeat(34 * megabyte),
      };
      await held(async () => {
        expect(await tell("messages.upsert", upsert(message, { key }))).to.include(stored);
        const [row] = await world.rows<{ size: number }>("select octet_length(payload) as size from incoming_webhooks");
        expect(row?.size).to.be.above(34 * megabyte);
        await world.rows("delete from incoming_webhooks");
      });
    });

    it("need the secret of the instance's sender", async () => {
      const number = newNumber();
      const key = { remoteJid: `${number}@s.whatsapp.net`, fromMe: false, id: newId() };
      const data = upsert({ conversation: "forged" }, { key });
      const before = await ignored();
      const ofName = `Bearer ${resolve(world.container, tokens.secrets).instanceNameSecret("tienda")}`;
      expect(await tell("messages.upsert", data, {}, ofName)).to.include(stored);
      expect((await ignored()) - before).to.equal(1);
      expect((await tell("messages.upsert", data, {}, `${secret}x`)).status).to.equal(401);
      await allProcessed();
      expect(await threadOf(number)).to.deep.equal([]);
    });
  });

  it("are refused with the secret of a sender that now belongs to another business", async () => {
    const before = await newSender("movida");
    const ofBefore = `Bearer ${secretOf("movida", before)}`;
    expect((await ask("DELETE", `/admin/senders/${before}`)).status).to.equal(204);
    const number = newNumber();
    const tell = (text: string, authorization: string) => {
      const key = { remoteJid: `${number}@s.whatsapp.net`, fromMe: false, id: newId() };
      return deliver(
        "movida",
        JSON.stringify(told("messages.upsert", upsert({ conversation: text }, { key }))),
        authorization,
      );
    };
    const taken = await newSender("movida", 2);
    expect(await tell("from the one before", ofBefore)).to.include(stored);
    await allProcessed();
    expect(await threadOf(number, 1)).to.deep.equal([]);
    expect(await threadOf(number, 2)).to.deep.equal([]);
    expect(await tell("from the one of today", `Bearer ${secretOf("movida", taken, 2)}`)).to.include(stored);
    await allProcessed();
    expect((await threadOf(number, 2)).map(({ texto }) => texto)).to.deep.equal(["from the one of today"]);
  });

  it("keep nothing of an erased customer in stored webhooks", async () => {
    const ofInstance = `Bearer ${secretOf("olvido", await newSender("olvido"))}`;
    const [gone, stays] = [newNumber(), newNumber()];
    const tell = (number: string, text: string) => {
      const key = { remoteJid: `${number}@s.whatsapp.net`, fromMe: false, id: newId() };
      const message = { imageMessage: { mimetype: "image/jpeg", caption: text }, base64: "AAAA" };
      return deliver("olvido", JSON.stringify(told("messages.upsert", upsert(message, { key }))), ofInstance);
    };
    await tell(gone, "first");
    await allProcessed();
    const [contact] = await world.rows<{ id: number }>("select id from contacts where phone = $1", [gone]);
    let left: { payload: string }[] = [];
    await held(async () => {
      for (const number of [gone, stays]) await tell(number, `second of ${number}`);
      expect((await ask("DELETE", `/contacts/${contact?.id}`)).status).to.equal(204);
      left = await kept();
      await world.rows("delete from incoming_webhooks");
    });
    expect(left.map(({ payload }) => payload.includes(stays))).to.deep.equal([true]);
    expect(left[0]?.payload.endsWith("\nAAAA")).to.equal(true);
  });

  describe("have a size that", () => {
    /** Sends only the headers. `status` returns the start of the answer, or an empty text before it arrives. */
    const sendHead = (authorization: string, length: number) => {
      const { hostname, port } = new URL(world.api);
      const socket = connect({ host: hostname, port: Number(port) });
      let answer = "";
      socket.on("data", (chunk) => {
        answer += chunk;
      });
      socket.on("error", () => {});
      socket.write(
        `POST /webhooks/qr/tamano HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${length}\r\n\r\n`,
      );
      return { status: () => answer.slice(0, 12), close: () => socket.destroy() };
    };

    it("does not matter before their secret is checked, which does not wait for the body", async () => {
      const { status, close } = sendHead("Bearer wrong", 30 * megabyte);
      await eventually(() => status() === "HTTP/1.1 401");
      close();
    });

    it("is 40 MB at most", async () => {
      const { status, close } = sendHead(`Bearer ${secretOf("tamano", 1)}`, 40 * megabyte + 1);
      await eventually(() => status() === "HTTP/1.1 413");
      close();
    });

    it("takes no memory from other businesses, and small webhooks have their own", async () => {
      const bearerOf = (businessId: number) => `Bearer ${secretOf("tamano", 1, businessId)}`;
      const open = [sendHead(bearerOf(1), 20 * megabyte), sendHead(bearerOf(1), 20 * megabyte)];
      await eventually(() => open.some(({ status }) => status() === "HTTP/1.1 429"));
      const payload = (text: string) => JSON.stringify(told("connection.update", { state: "open", text }));
      const tell = (businessId: number, size: number) =>
        deliver("tamano", payload("x".repeat(size)), bearerOf(businessId));
      expect((await tell(1, 100)).status).to.equal(200);
      expect((await tell(2, megabyte)).status).to.equal(200);
      for (const { close } of open) close();
    });
  });
});
