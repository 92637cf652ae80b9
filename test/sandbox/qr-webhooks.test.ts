import { expect } from "chai";
import { eventually } from "../support/wait.ts";
import { Bench, customer } from "./support.ts";
import { WebhookReceiver } from "./webhook-receiver.ts";

interface News {
  readonly event: string;
  readonly instance: string;
  readonly data: Record<string, unknown>;
  readonly date_time: string;
}

const file = Buffer.from("not really a picture");
const picture = { type: "image", mime: "image/jpeg", base64: file.toString("base64") };

describe("the sandbox's webhooks of the QR provider", () => {
  let bench: Bench;
  let receiver: WebhookReceiver;

  before(async () => {
    receiver = await WebhookReceiver.start();
    const webhook = { url: `${receiver.url}/own`, headers: { authorization: "Bearer s" } };
    bench = await Bench.start({
      qrInstances: [
        { instance: "tienda", apiKey: "key-1", phone: "59120000001", webhook },
        { instance: "old", apiKey: "key-1", webhook, wraps: true, updates: "key", echo: "messages.upsert" },
        { instance: "list", apiKey: "key-1", webhook, updates: "list", echo: "both" },
        { instance: "first", apiKey: "key-1", webhook, updates: "id" },
        { instance: "asked", apiKey: "key-1" },
        { instance: "off", apiKey: "key-1", connected: false },
      ],
    });
  });
  after(async () => {
    await bench.stop();
    receiver.stop();
  });
  beforeEach(async () => {
    await bench.control("DELETE");
    receiver.clear();
  });

  const say = (input: object, id = customer) =>
    bench.control("POST", `/customers/${id}/say`, { channel: "qr", ...input });
  const react = (input: object) => bench.control("POST", `/customers/${customer}/react`, { channel: "qr", ...input });
  const post = (path: string, body: unknown, instance = "tienda") =>
    bench.call("POST", `/${path}/${instance}`, body, { apikey: "key-1" });
  const sendText = async (instance = "tienda") => {
    const { body } = await post("message/sendText", { number: customer, text: "Hola" }, instance);
    return (body.key as { id: string }).id;
  };
  const news = (event?: string): News[] =>
    receiver.arrived.map(({ body }) => JSON.parse(body) as News).filter((each) => !event || each.event === event);
  const written = async (input: object): Promise<Record<string, unknown>> => {
    const { status, body } = await say(input);
    expect(body, JSON.stringify(body)).to.include({ delivered: true });
    expect(status).to.equal(200);
    return news("messages.upsert").at(-1)?.data ?? {};
  };

  it("contain a customer's text, at the instance's URL and with the requested headers", async () => {
    const { body } = await say({ text: "¿Tienen talla M?", name: "Ana", timestamp: 1_760_000_000 });
    expect(body).to.deep.equal({ id: body.id, delivered: true });
    const [first, ...others] = receiver.arrived;
    expect(others).to.deep.equal([]);
    expect(first?.url).to.equal(`${receiver.url}/own`);
    expect(first?.headers).to.include({ authorization: "Bearer s", "content-type": "application/json" });
    const [told] = news();
    expect(told).to.deep.equal({
      event: "messages.upsert",
      instance: "tienda",
      data: {
        key: { remoteJid: `${customer}@s.whatsapp.net`, fromMe: false, id: body.id },
        pushName: "Ana",
        status: "DELIVERY_ACK",
        message: { messageContextInfo: { deviceListMetadataVersion: 2 }, conversation: "¿Tienen talla M?" },
        messageType: "conversation",
        messageTimestamp: 1_760_000_000,
        instanceId: "tienda",
        source: "android",
      },
      destination: `${receiver.url}/own`,
      date_time: told?.date_time,
      sender: "59120000001@s.whatsapp.net",
      server_url: "http://localhost:8080",
      apikey: "key-1",
    });
  });

  it("name the quoted message and its author", async () => {
    const ours = await sendText();
    const answer = await written({ text: "Sí", reply_to: ours });
    expect(answer.contextInfo).to.deep.equal({
      stanzaId: ours,
      participant: "59120000001@s.whatsapp.net",
      quotedMessage: { conversation: "Hola" },
    });
    expect(answer.message).to.include({ conversation: "Sí" });
    const again = await written({ text: "O no", reply_to: (answer.key as { id: string }).id });
    expect(again.contextInfo).to.include({ participant: `${customer}@s.whatsapp.net` });
    const wrapped = await written({ to: "old", text: "Sí", reply_to: "3EB0" });
    expect(wrapped.messageType).to.equal("extendedTextMessage");
    expect(wrapped).to.have.nested.property("message.extendedTextMessage.text", "Sí");
    expect(wrapped).to.have.nested.property("message.extendedTextMessage.contextInfo.stanzaId", "3EB0");
  });

  it("contain a reaction and its removal", async () => {
    const id = await sendText();
    await react({ message_id: id, emoji: "👍" });
    const [reaction] = news("messages.upsert");
    expect(reaction?.data).to.include({ messageType: "reactionMessage" });
    expect(reaction?.data).to.have.nested.property("message.reactionMessage.text", "👍");
    expect(reaction?.data).to.have.deep.nested.property("message.reactionMessage.key", {
      remoteJid: `${customer}@s.whatsapp.net`,
      fromMe: true,
      id,
    });
    await react({ message_id: id, emoji: "" });
    expect(news("messages.upsert")[1]?.data).to.have.nested.property("message.reactionMessage.text", "");
  });

  it("contain the withdrawal of a message", async () => {
    const { key } = await written({ text: "Perdón" });
    const { id } = key as { id: string };
    expect((await say({ unsend: id })).body).to.deep.equal({ id, delivered: true });
    expect(news("messages.delete").map(({ data }) => data)).to.deep.equal([key]);
  });

  it("contain the ad that a customer came from", async () => {
    const externalAdReply = { sourceType: "ad", sourceId: "7", title: "Oferta" };
    const { contextInfo } = await written({ text: "Hola", context: { externalAdReply } });
    expect(contextInfo).to.deep.equal({ externalAdReply });
  });

  const base64Of = async (id: unknown, instance = "tienda") =>
    post("chat/getBase64FromMediaMessage", { message: { key: { id } }, convertToMp4: false }, instance);

  it("describe a file, which the provider then returns", async () => {
    const { key, message, messageType } = await written({ media: picture, text: "Este" });
    expect(messageType).to.equal("imageMessage");
    expect(message).not.to.have.property("base64");
    expect(message).to.have.nested.property("imageMessage.mimetype", "image/jpeg");
    expect(message).to.have.nested.property("imageMessage.caption", "Este");
    expect(message).to.have.deep.nested.property("imageMessage.fileLength", { low: 20, high: 0, unsigned: true });
    const { id } = key as { id: string };
    const { status, body } = await base64Of(id);
    expect(status).to.equal(201);
    expect(body).to.deep.equal({
      mediaType: "imageMessage",
      fileName: `${id}.jpeg`,
      caption: "Este",
      size: { fileLength: "20" },
      mimetype: "image/jpeg",
      base64: picture.base64,
    });
    for (const answer of [await base64Of("another"), await base64Of(id, "old"), await base64Of({ $ne: 1 })]) {
      expect(answer.body).to.deep.equal({
        status: 400,
        error: "Bad Request",
        response: { message: ["Message not found"] },
      });
    }
    expect((await bench.call("POST", "/chat/getBase64FromMediaMessage/tienda", {}, { apikey: "x" })).status).to.equal(
      401,
    );
    await bench.control("POST", "/faults", { path: "media_base64", code: 503 });
    expect((await base64Of(id)).status).to.equal(503);
  });

  it("include the file itself if that was requested", async () => {
    const asked = { enabled: true, url: receiver.url, base64: true, events: ["MESSAGES_UPSERT"] };
    expect((await post("webhook/set", { webhook: asked }, "asked")).status).to.equal(201);
    expect((await written({ to: "asked", media: picture })).message).to.include({ base64: picture.base64 });
    const once = await written({ to: "asked", media: picture, view_once: true });
    expect(once.message).not.to.have.property("base64");
    await bench.control("POST", "/qr-instances", { instance: "asked", apiKey: "key-1", webhookBase64: false });
    expect((await written({ to: "asked", media: picture })).message).not.to.have.property("base64");
  });

  const files: [what: string, input: object, type: string, path: string, value: unknown][] = [
    ["a voice message", { media: { ...picture, type: "audio", mime: "audio/ogg" } }, "audioMessage", "ptt", true],
    ["music", { media: { ...picture, type: "audio", mime: "audio/mpeg" } }, "audioMessage", "ptt", false],
    [
      "a video",
      { media: { ...picture, type: "video", mime: "video/mp4" }, text: "Mira" },
      "videoMessage",
      "caption",
      "Mira",
    ],
    [
      "a document",
      { media: { ...picture, type: "document", mime: "application/pdf", filename: "a.pdf" }, text: "Mira" },
      "documentMessage",
      "fileName",
      "a.pdf",
    ],
    [
      "a document of an older version",
      { to: "old", media: { ...picture, type: "document", mime: "application/pdf", filename: "a.pdf" }, text: "Mira" },
      "documentWithCaptionMessage",
      "message.documentMessage.caption",
      "Mira",
    ],
    [
      "a sticker",
      { media: { ...picture, type: "sticker", mime: "image/webp" } },
      "stickerMessage",
      "mimetype",
      "image/webp",
    ],
    [
      "a picture that can be viewed once",
      { media: picture, view_once: true },
      "viewOnceMessageV2",
      "message.imageMessage.viewOnce",
      true,
    ],
    ["a place", { type: "location", content: { degreesLatitude: -16.5 } }, "locationMessage", "degreesLatitude", -16.5],
    ["a live place", { type: "liveLocationMessage" }, "liveLocationMessage", "sequenceNumber", "1"],
    ["a contact", { type: "contacts" }, "contactMessage", "displayName", "Luis Rojas"],
    ["contacts", { type: "contactsArrayMessage" }, "contactsArrayMessage", "contacts.length", 1],
    ["a template's button", { type: "button" }, "templateButtonReplyMessage", "selectedId", "yes"],
    ["a button", { type: "buttonsResponseMessage" }, "buttonsResponseMessage", "selectedButtonId", "yes"],
    ["a row of a list", { type: "interactive" }, "listResponseMessage", "singleSelectReply.selectedRowId", "blue"],
    ["an order", { type: "order" }, "orderMessage", "itemCount", 2],
    [
      "the withdrawal of a message",
      { type: "protocolMessage", content: { type: "REVOKE", key: { id: "3EB0" } } },
      "protocolMessage",
      "key.id",
      "3EB0",
    ],
  ];
  for (const [what, input, type, path, value] of files) {
    it(`contain ${what}`, async () => {
      const { message, messageType } = await written(input);
      expect(messageType).to.equal(type);
      expect(message).to.have.nested.property(`${type}.${path}`, value);
    });
  }

  it("can be followed by read receipts, which the sandbox lists", async () => {
    const { key } = await written({ text: "Hola" });
    const { id } = key as { id: string };
    expect((await post("chat/markMessageAsRead", { readMessages: [key] })).status).to.equal(201);
    const [read, ...others] = (await bench.control<Record<string, unknown>[]>("GET", "/reads")).body;
    expect(others).to.deep.equal([]);
    expect(read).to.include({ message_id: id });
    for (const wrong of [{}, { readMessages: [7] }, { readMessages: [{ id }] }]) {
      expect((await post("chat/markMessageAsRead", wrong)).status).to.equal(400);
    }
  });

  it("come from groups and hidden numbers if the control request says so", async () => {
    const lid = { remoteJid: "18000000@lid", senderPn: `${customer}@s.whatsapp.net` };
    expect((await written({ text: "a", key: lid })).key).to.include(lid);
    const group = { remoteJid: "120363000@g.us", participant: `${customer}@s.whatsapp.net` };
    expect((await written({ text: "a", key: group })).key).to.include({ ...group, fromMe: false });
  });

  it("contain what the phone's owner writes", async () => {
    const path = `/qr/tienda/customers/${customer}/write`;
    const { body } = await bench.control("POST", path, { text: "Ya va" });
    const [told] = news("messages.upsert");
    const key = { remoteJid: `${customer}@s.whatsapp.net`, fromMe: true, id: body.id };
    expect(told?.data.key).to.deep.equal(key);
    expect(told?.data.message).to.include({ conversation: "Ya va" });
  });

  const echoes: [instance: string, events: string[]][] = [
    ["tienda", ["send.message"]],
    ["old", ["messages.upsert"]],
    ["list", ["messages.upsert", "send.message"]],
  ];
  for (const [instance, events] of echoes) {
    it(`echo messages of the API as ${events.join(" and ")}`, async () => {
      await bench.control("POST", "/webhooks", { paused: true });
      const id = await sendText(instance);
      await eventually(() => receiver.arrived.length === events.length);
      expect(news().map(({ event }) => event)).to.have.members(events);
      for (const { data } of news()) {
        expect(data.key).to.deep.equal({ remoteJid: `${customer}@s.whatsapp.net`, fromMe: true, id });
        expect(data).to.deep.include({ status: "PENDING", message: { conversation: "Hola" } });
      }
    });
  }

  const updates = () => news("messages.update").map(({ data }) => data as Record<string, unknown>);

  it("report each status of a message", async () => {
    const id = await sendText();
    await eventually(() => updates().length === 3);
    expect(updates().map(({ status }) => status)).to.deep.equal(["SERVER_ACK", "DELIVERY_ACK", "READ"]);
    const [first] = updates();
    const remoteJid = `${customer}@s.whatsapp.net`;
    expect(first).to.deep.equal({
      messageId: first?.messageId,
      ...{ keyId: id, remoteJid, fromMe: true, participant: remoteJid, status: "SERVER_ACK", instanceId: "tienda" },
    });
    expect(first?.messageId).not.to.equal(id);
    await eventually(async () => (await bench.accepted())[0]?.statuses?.toString() === "SERVER_ACK,DELIVERY_ACK,READ");
  });

  it("name the message in the fields of other versions", async () => {
    const ids = { old: await sendText("old"), list: await sendText("list"), first: await sendText("first") };
    await eventually(() => updates().length === 9);
    const key = (id: string) => ({ remoteJid: `${customer}@s.whatsapp.net`, fromMe: true, id });
    const of = (instance: string) => news("messages.update").find((each) => each.instance === instance)?.data;
    expect(of("old")).to.deep.equal({ key: key(ids.old), status: "SERVER_ACK", instanceId: "old" });
    const listed = { key: key(ids.list), update: { status: "SERVER_ACK" }, instanceId: "list" };
    expect(of("list")).to.deep.equal([listed]);
    expect(of("first")).to.deep.include({ ...key(ids.first), status: "SERVER_ACK" });
  });

  it("report failures, are repeated, shuffled or left out as on the other channels", async () => {
    await bench.control("POST", "/webhooks", { fail_numbers: [customer], repeat: 2 });
    await sendText();
    await eventually(() => updates().length === 4);
    expect(updates().map(({ status }) => status)).to.deep.equal(["SERVER_ACK", "SERVER_ACK", "ERROR", "ERROR"]);
    await bench.control("DELETE");
    receiver.clear();
    await bench.control("POST", "/webhooks", { mute: [customer] });
    await sendText();
    await bench.control("POST", "/webhooks", { mute: [], shuffled: true, seed: 3 });
    const id = await sendText();
    await eventually(() => updates().length === 3);
    expect(updates().map(({ keyId }) => keyId)).to.deep.equal([id, id, id]);
    // The event `send.message` of the muted message is also missing.
    expect(news("send.message").map(({ data }) => (data.key as { id: string }).id)).to.deep.equal([id]);
  });

  it("are sent again until they are accepted", async () => {
    receiver.answer = (nth) => (nth < 3 ? 500 : 200);
    expect((await say({ text: "a" })).body).to.include({ delivered: false });
    await eventually(() => receiver.arrived.length === 3);
    expect(new Set(receiver.arrived.map(({ body }) => body)).size).to.equal(1);
  });

  it("are not delivered if a requested header cannot be sent", async () => {
    const asked = { enabled: true, url: receiver.url, headers: { price: "5 €" }, events: [] };
    expect((await post("webhook/set", { webhook: asked }, "asked")).status).to.equal(201);
    const { status, body } = await say({ to: "asked", text: "Hola" });
    expect([status, body.delivered]).to.deep.equal([200, false]);
    expect((await post("webhook/set", { webhook: { enabled: false } }, "asked")).status).to.equal(201);
    expect(receiver.arrived).to.deep.equal([]);
  });

  it("contain only the requested events, at the requested URL", async () => {
    const set = (webhook: object) => post("webhook/set", { webhook }, "fresh");
    await bench.control("POST", "/qr-instances", { instance: "fresh", apiKey: "key-1" });
    expect((await say({ to: "fresh", text: "a" })).body).to.include({ delivered: false });
    await sendText("fresh");
    expect((await bench.control("GET", "/webhooks")).body).to.include({ pending: 0 });
    await set({ enabled: true, url: `${receiver.url}/new`, events: ["MESSAGES_UPDATE"] });
    await say({ to: "fresh", text: "a" });
    await sendText("fresh");
    await eventually(() => updates().length === 3);
    expect(news().map(({ event }) => event)).to.deep.equal(Array(3).fill("messages.update"));
    expect(receiver.arrived[0]?.url).to.equal(`${receiver.url}/new`);
    expect((await set({ enabled: true, url: "x", events: [] })).status).to.equal(400);
    expect((await set({ enabled: true, url: receiver.url, headers: { a: 1 }, events: [] })).status).to.equal(400);
    await set({ enabled: true, url: receiver.url, events: [] });
    expect((await say({ to: "fresh", text: "a" })).body).to.include({ delivered: true });
    await set({ enabled: false });
    expect((await say({ to: "fresh", text: "a" })).body).to.include({ delivered: false });
  });

  it("report that a phone is connected after it scans the requested code", async () => {
    const webhook = { url: receiver.url };
    await bench.control("POST", "/qr-instances", { instance: "paired", apiKey: "key-1", connected: false, webhook });
    const connectionState = async () =>
      (await bench.call("GET", "/instance/connectionState/paired", undefined, { apikey: "key-1" })).body.instance;
    const scan = (instance = "paired") => bench.control("POST", `/qr/${instance}/scan`);
    expect((await scan()).body.error).to.match(/no code of paired/);
    await bench.call("GET", "/instance/connect/paired", undefined, { apikey: "key-1" });
    expect((await scan()).body).to.deep.equal({ instance: "paired", delivered: true });
    expect(await connectionState()).to.include({ state: "open" });
    await eventually(() => news("connection.update").length === 2);
    const inOrder = news("connection.update").sort((one, other) => one.date_time.localeCompare(other.date_time));
    expect(inOrder.map(({ data }) => data.state)).to.deep.equal(["connecting", "open"]);
    expect((await scan()).status).to.equal(400);
    expect((await scan("nobody")).body.error).to.match(/instance must be/);
  });

  it("are not sent for invalid input", async () => {
    for (const [input, complaint] of [
      [{}, /text must be given/],
      [{ text: "a", to: "nobody" }, /to must be an instance/],
      [{ text: "a", to: "off" }, /the phone of off is off/],
      [{ type: "pollCreationMessage" }, /content must be given/],
      [{ type: "constructor" }, /content must be given/],
    ] as const) {
      const { status, body } = await say(input);
      expect([status, complaint.test(String(body.error))], JSON.stringify(body)).to.deep.equal([400, true]);
    }
    expect((await say({ text: "a" }, "ana")).status).to.equal(400);
  });
});
