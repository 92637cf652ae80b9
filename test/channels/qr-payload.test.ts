import { expect } from "chai";
import fc from "fast-check";
import { keptAs, keptIn, withoutCustomer } from "../../src/channels/qr/kept.ts";
import { readQrWebhook } from "../../src/channels/qr/payload.ts";
import type { ProvenSender, WebhookNews } from "../../src/inbox/public.ts";
import { storableJson } from "../../src/kernel/text.ts";
import { customer, type Fields, instance, jid, phone, told, upsert } from "./qr-messages.ts";

const owner = { businessId: 1, senderId: 2 };
const about: ProvenSender = { platformId: instance, owner };

const read = (payload: unknown, whom: ProvenSender | null = about): WebhookNews =>
  readQrWebhook(JSON.stringify(payload), whom);
const heard = (message: unknown, changes: Fields = {}) => read(told("messages.upsert", upsert(message, changes)));
const message = (content: unknown, changes: Fields = {}) => heard(content, changes).messages[0];
/** The number of items of each kind in `news`. Kinds without items are left out. */
const counts = (news: WebhookNews) =>
  Object.fromEntries(Object.entries(news).flatMap(([kind, { length }]) => (length > 0 ? [[kind, length]] : [])));

const file = { url: "https://mmg.whatsapp.net/v/x.enc", mimetype: "image/jpeg", fileLength: { low: 20, high: 0 } };
const ownJid = `${phone}@s.whatsapp.net`;
const context = { stanzaId: "3EB0", participant: jid, quotedMessage: { conversation: "Hola" } };

describe("the reader of messages of paired phones", () => {
  it("reads a text with its author and time", () => {
    expect(heard({ conversation: "¿Tienen talla M?", messageContextInfo: {} }).messages).to.deep.equal([
      {
        sender: instance,
        from: customer,
        name: "Ana",
        platformMessageId: "3A01",
        kind: "text",
        body: "¿Tienen talla M?",
        occurredAt: new Date(1_760_000_000_000),
      },
    ]);
  });

  const kinds: [what: string, content: Fields, kind: string, body: string, details: unknown][] = [
    ["a text with more around it", { extendedTextMessage: { text: "Hola", title: "x" } }, "text", "Hola", undefined],
    [
      "an image",
      { imageMessage: { ...file, caption: "Este" } },
      "image",
      "Este",
      { image: { mime_type: "image/jpeg" } },
    ],
    ["a video", { videoMessage: { mimetype: "video/mp4" } }, "video", "", { video: { mime_type: "video/mp4" } }],
    ["a round video", { ptvMessage: { mimetype: "video/mp4" } }, "video", "", { video: { mime_type: "video/mp4" } }],
    [
      "a voice message",
      { audioMessage: { mimetype: "audio/ogg; codecs=opus", ptt: true, seconds: 3 } },
      "audio",
      "",
      { audio: { mime_type: "audio/ogg; codecs=opus", voice: true } },
    ],
    [
      "music",
      { audioMessage: { mimetype: "audio/mpeg", ptt: false } },
      "audio",
      "",
      { audio: { mime_type: "audio/mpeg" } },
    ],
    [
      "a document",
      { documentMessage: { mimetype: "application/pdf", fileName: "precios.pdf", title: "Precios" } },
      "document",
      "precios.pdf",
      { document: { mime_type: "application/pdf", filename: "precios.pdf" } },
    ],
    [
      "a document with a caption",
      {
        documentWithCaptionMessage: {
          message: { documentMessage: { mimetype: "application/pdf", title: "a.pdf", caption: "Mira" } },
        },
      },
      "document",
      "Mira",
      { document: { mime_type: "application/pdf", filename: "a.pdf" } },
    ],
    [
      "a sticker",
      { stickerMessage: { mimetype: "image/webp", isAnimated: true } },
      "sticker",
      "",
      { sticker: { mime_type: "image/webp", animated: true } },
    ],
    [
      "a place",
      { locationMessage: { degreesLatitude: -17.78, degreesLongitude: -63.18, name: "Plaza", address: "Centro" } },
      "location",
      "Plaza",
      { location: { latitude: -17.78, longitude: -63.18, name: "Plaza", address: "Centro" } },
    ],
    [
      "a live place",
      { liveLocationMessage: { degreesLatitude: -17, degreesLongitude: -63, caption: "Voy" } },
      "location",
      "Voy",
      { location: { latitude: -17, longitude: -63 } },
    ],
    [
      "a button",
      { buttonsResponseMessage: { selectedButtonId: "yes", selectedDisplayText: "Sí" } },
      "interactive",
      "Sí",
      { interactive: { type: "button_reply", button_reply: { id: "yes", title: "Sí" } } },
    ],
    [
      "a button of a template",
      { templateButtonReplyMessage: { selectedId: "yes", selectedDisplayText: "Sí", selectedIndex: 0 } },
      "button",
      "Sí",
      { button: { payload: "yes", text: "Sí" } },
    ],
    [
      "a row of a list",
      { listResponseMessage: { title: "Azul", description: "M", singleSelectReply: { selectedRowId: "blue" } } },
      "interactive",
      "Azul",
      { interactive: { type: "list_reply", list_reply: { id: "blue", title: "Azul", description: "M" } } },
    ],
    [
      "an answer in a flow",
      {
        interactiveResponseMessage: {
          body: { text: "Listo" },
          nativeFlowResponseMessage: { name: "flow", paramsJson: '{"id":"1"}' },
        },
      },
      "interactive",
      "Listo",
      {
        interactive: { type: "nfm_reply", nfm_reply: { name: "flow", body: "Listo", response_json: '{"id":"1"}' } },
      },
    ],
    [
      "an order, without its products",
      {
        orderMessage: {
          ...{ orderId: "77", itemCount: 2, orderTitle: "Tienda", message: "Para hoy" },
          ...{ token: "AR4x", totalAmount1000: "25500", totalCurrencyCode: "BOB" },
        },
      },
      "order",
      "Para hoy",
      {
        order: {
          ...{ id: "77", title: "Tienda", text: "Para hoy", amount: 25.5, currency: "BOB" },
          ...{ item_count: 2, product_items: [] },
        },
      },
    ],
    [
      "a poll's question and options",
      { pollCreationMessageV3: { name: "¿Cuál?", options: [{ optionName: "A" }, { optionName: "B" }], encKey: "x" } },
      "unsupported",
      "¿Cuál?\nA\nB",
      {
        unsupported: {
          type: "pollCreationMessageV3",
          content: { name: "¿Cuál?", options: [{ optionName: "A" }, { optionName: "B" }] },
        },
      },
    ],
    [
      "an unknown type of message",
      { newsMessage: { text: "Hola", more: 1 }, messageContextInfo: {} },
      "unsupported",
      "Hola",
      { unsupported: { type: "newsMessage", content: { text: "Hola", more: 1 } } },
    ],
    [
      "a picture that can be viewed once, in a chat with disappearing messages",
      {
        ephemeralMessage: {
          message: { viewOnceMessageV2: { message: { imageMessage: { ...file, viewOnce: true } } } },
        },
      },
      "image",
      "",
      { image: { mime_type: "image/jpeg" } },
    ],
  ];
  for (const [what, content, kind, body, details] of kinds) {
    it(`reads ${what}`, () => {
      const { kind: readKind, body: readBody, details: readDetails } = message(content) ?? {};
      expect({ kind: readKind, body: readBody, details: readDetails }).to.deep.equal({ kind, body, details });
    });
  }

  it("reads contacts from their cards", () => {
    const vcard = [
      ...["BEGIN:VCARD", "VERSION:3.0", "N:Rojas;Luis;;;", "FN:Luis Rojas", "item1.TEL;waid=59170000099:+591 70000099"],
      ...["item1.X-ABLabel:Celular", "TEL;type=WORK;type=VOICE:+591 3 33", " 44", "ORG:Tienda\\, S.A.;Ventas"],
      ...["EMAIL;type=WORK:luis@b.test", "PHOTO;BASE64:AAAA", "END:VCARD"],
    ].join("\r\n");
    const luis = {
      name: { formatted_name: "Luis Rojas", first_name: "Luis", last_name: "Rojas" },
      phones: [
        { phone: "+591 70000099", wa_id: "59170000099" },
        { phone: "+591 3 3344", type: "WORK" },
      ],
      emails: [{ email: "luis@b.test", type: "WORK" }],
      org: { company: "Tienda, S.A." },
    };
    const one = message({ contactMessage: { displayName: "Luis", vcard } });
    expect(one).to.deep.include({ kind: "contacts", body: "", details: { contacts: [luis] } });
    const contacts = [{ displayName: "Luis", vcard }, { displayName: "Eva" }, null];
    const named = (formatted_name: string) => ({ name: { formatted_name }, phones: [] });
    expect(message({ contactsArrayMessage: { contacts } })?.details).to.deep.equal({
      contacts: [luis, named("Eva"), named("")],
    });
  });

  it("reads where a file can be requested, or its content if that is included", () => {
    expect(message({ imageMessage: file })?.file).to.deep.equal({
      kind: "image",
      place: { at: "message", messageId: "3A01" },
    });
    const document = { documentMessage: { fileName: "a.pdf", mimetype: "application/pdf" } };
    const payload = keptAs({ told: told("messages.upsert", upsert(document)), file: "AAAA" }, instance);
    expect(readQrWebhook(payload, about).messages[0]?.file).to.deep.equal({
      kind: "document",
      name: "a.pdf",
      place: { at: "here", base64: "AAAA" },
    });
    const text = keptAs({ told: told("messages.upsert", upsert({ conversation: "a" })), file: "AAAA" }, instance);
    expect(readQrWebhook(text, about).messages[0]).not.to.have.property("file");
  });

  it("reads the quoted message, named by the message or by its surrounding fields", () => {
    expect(message({ extendedTextMessage: { text: "Sí", contextInfo: context } })?.replyTo).to.equal("3EB0");
    expect(message({ conversation: "Sí" }, { contextInfo: context })?.replyTo).to.equal("3EB0");
    expect(message({ imageMessage: { ...file, contextInfo: context } })?.replyTo).to.equal("3EB0");
    expect(message({ conversation: "Sí" }, { contextInfo: { stanzaId: 7 } })).not.to.have.property("replyTo");
  });

  it("reads the ad that a message came from", () => {
    const externalAdReply = {
      ...{ title: "Oferta", body: "50 %", sourceType: "ad", sourceId: "120", sourceUrl: "https://fb.me/x" },
      ...{ ctwaClid: "Af", thumbnail: { 0: 255 }, showAdAttribution: true },
    };
    const text = { extendedTextMessage: { text: "Info", contextInfo: { externalAdReply } } };
    expect(message(text)?.referral).to.deep.equal({
      adId: "120",
      details: {
        ...{ source_url: "https://fb.me/x", source_id: "120", source_type: "ad", headline: "Oferta", body: "50 %" },
        ctwa_clid: "Af",
      },
    });
    const of = (changes: Fields) =>
      message({ conversation: "Info" }, { contextInfo: { externalAdReply: { ...externalAdReply, ...changes } } });
    expect(of({ sourceId: "" })).not.to.have.property("referral");
    expect(of({ sourceType: "post" })).not.to.have.property("referral");
  });

  it("reads the time in each of the provider's formats", () => {
    const at = (messageTimestamp: unknown) =>
      message({ conversation: "a" }, { messageTimestamp })?.occurredAt.getTime();
    const long = { low: 1_760_000_000, high: 0, unsigned: true };
    for (const time of [1_760_000_000, "1760000000", long]) expect(at(time)).to.equal(1_760_000_000_000);
    for (const time of [undefined, null, "x", {}, 9e12, -1]) expect(at(time)).to.be.closeTo(Date.now(), 5_000);
  });

  it("omits a name that is empty or equals the customer's number", () => {
    for (const pushName of [customer, jid, " ", "", null, 7]) {
      expect(message({ conversation: "a" }, { pushName }), `${pushName}`).not.to.have.property("name");
    }
  });

  it("finds the customer's number, also beside a hidden one", () => {
    const from = (key: Fields) => message({ conversation: "a" }, { key: { fromMe: false, id: "3A01", ...key } })?.from;
    const hidden = "18000000@lid";
    const known: Fields[] = [
      { remoteJid: jid },
      { remoteJid: `${customer}@c.us` },
      { remoteJid: `${customer}:12@s.whatsapp.net` },
      { remoteJid: hidden, senderPn: jid },
      { remoteJid: hidden, remoteJidAlt: jid, addressingMode: "lid" },
      { remoteJid: hidden, participantPn: jid },
      { remoteJid: jid, remoteJidAlt: hidden },
    ];
    for (const key of known) expect(from(key), JSON.stringify(key)).to.equal(customer);
    const dropped: Fields[] = [
      { remoteJid: hidden },
      { remoteJid: hidden, senderPn: "18000000@lid" },
      { remoteJid: hidden, senderPn: `${phone}@s.whatsapp.net` },
      { remoteJid: "120363000@g.us", participant: jid, participantPn: jid },
      { remoteJid: "status@broadcast", participant: jid },
      { remoteJid: "123@newsletter" },
      { remoteJid: "0@s.whatsapp.net" },
      { remoteJid: customer },
      { remoteJid: jid, id: "" },
      { remoteJid: jid, id: "x".repeat(600) },
    ];
    for (const key of dropped) expect(from(key), JSON.stringify(key)).to.equal(undefined);
  });

  it("reads several messages of one webhook", () => {
    const second = upsert({ conversation: "b" }, { key: { remoteJid: jid, fromMe: false, id: "3A02" } });
    const { messages } = read(told("MESSAGES_UPSERT", [upsert({ conversation: "a" }), second, null]));
    expect(messages.map(({ body }) => body)).to.deep.equal(["a", "b"]);
  });

  it("reads a reaction and its removal", () => {
    const reaction = (text: unknown) => ({
      reactionMessage: { key: { remoteJid: jid, fromMe: true, id: "3EB0" }, text },
    });
    const occurredAt = new Date(1_760_000_000_000);
    const expected = { sender: instance, from: customer, name: "Ana", messageId: "3EB0", emoji: "👍", occurredAt };
    expect(heard(reaction("👍")).reactions).to.deep.equal([expected]);
    expect(heard(reaction("")).reactions).to.deep.equal([{ ...expected, emoji: "" }]);
    expect(counts(heard(reaction("👍")))).to.deep.equal({ reactions: 1 });
    expect(counts(heard({ reactionMessage: { text: "👍" } }))).to.deep.equal({});
  });

  it("reads a withdrawal", () => {
    const withdrawal = { sender: instance, from: customer, messageId: "3A00" };
    for (const type of ["REVOKE", 0]) {
      const news = heard({ protocolMessage: { type, key: { remoteJid: jid, fromMe: true, id: "3A00" } } });
      expect(news.withdrawals).to.deep.equal([withdrawal]);
    }
    const key = { remoteJid: jid, fromMe: false, id: "3A00" };
    for (const data of [key, { key, status: "DELETED", messageType: "conversation" }, [key]]) {
      expect(read(told("messages.delete", data)).withdrawals).to.deep.equal([withdrawal]);
    }
    for (const others of [{ ...key, fromMe: true }, { ...key, remoteJid: "120363000@g.us" }, null]) {
      expect(counts(read(told("messages.delete", others)))).to.deep.equal({});
    }
  });

  it("reads an edit by the author", () => {
    const key = { remoteJid: ownJid, fromMe: true, id: "3A00" };
    const change = { type: "MESSAGE_EDIT", key, editedMessage: { conversation: "Dos" }, timestampMs: "1760000005000" };
    const at = new Date(1_760_000_005_000);
    const edit = { sender: instance, author: "customer", messageId: "3A00", body: "Dos", occurredAt: at };
    for (const content of [{ protocolMessage: change }, { editedMessage: { message: { protocolMessage: change } } }]) {
      const news = heard(content);
      expect(news.edits).to.deep.equal([{ ...edit, customer }]);
      expect(counts(news)).to.deep.equal({ edits: 1 });
      const own = heard(content, { key: { remoteJid: jid, fromMe: true, id: "3A05" } });
      expect(own.edits).to.deep.equal([{ ...edit, customer, author: "business" }]);
    }
    const caption = { imageMessage: { ...file, caption: "Tres" } };
    expect(heard({ protocolMessage: { ...change, type: 14, editedMessage: caption } }).edits[0]?.body).to.equal("Tres");
    // The author's phone writes the message key with `fromMe: true`, so the key does not name the customer.
    expect(read(told("messages.edited", change)).edits).to.deep.equal([{ ...edit, customer: null }]);
    const named = { ...change, key: { remoteJid: jid, fromMe: false, id: "3A00" } };
    expect(read(told("MESSAGES_EDITED", named)).edits).to.deep.equal([{ ...edit, customer }]);
    for (const others of [
      { ...change, key: { ...key, remoteJid: "120363000@g.us" } },
      { ...change, type: "REVOKE" },
    ]) {
      expect(counts(read(told("messages.edited", others)))).to.deep.equal({});
    }
  });

  it("ignores messages without a text or a choice, and invalid changes", () => {
    const nothing: unknown[] = [
      { messageContextInfo: {} },
      { senderKeyDistributionMessage: {}, messageContextInfo: {} },
      { protocolMessage: { type: "MESSAGE_EDIT", editedMessage: { conversation: "b" } } },
      { protocolMessage: { type: "MESSAGE_EDIT", key: { id: "3A00" }, editedMessage: { albumMessage: {} } } },
      { secretEncryptedMessage: { targetMessageKey: { id: "3A00" }, secretEncType: "MESSAGE_EDIT" } },
      { protocolMessage: { type: 14, key: { id: "3A00" } } },
      { protocolMessage: { type: "EPHEMERAL_SETTING" } },
      { editedMessage: { message: { protocolMessage: { type: 14 } } } },
      { pollUpdateMessage: {} },
      { albumMessage: { expectedImageCount: 2 } },
      { conversation: "" },
      ...[{}, null, "text", 7, []],
    ];
    for (const content of nothing) expect(counts(heard(content)), JSON.stringify(content)).to.deep.equal({});
    let deep: Fields = { conversation: "a" };
    for (let level = 0; level < 60; level += 1) deep = { ephemeralMessage: { message: deep } };
    expect(counts(heard(deep))).to.deep.equal({});
  });
});

describe("the reader of other webhooks of paired phones", () => {
  const key = { remoteJid: jid, fromMe: true, id: "3EB1" };
  const occurredAt = new Date(1_760_000_000_000);

  it("reads messages that the owner wrote or we sent, without a customer's name", () => {
    const data = upsert({ conversation: "Ya va" }, { key, pushName: "Você" });
    const echo = { sender: instance, to: customer, platformMessageId: "3EB1", kind: "text", body: "Ya va", occurredAt };
    for (const event of ["messages.upsert", "send.message", "SEND_MESSAGE"]) {
      const news = read(told(event, data));
      expect(news.echoes).to.deep.equal([echo]);
      expect(counts(news)).to.deep.equal({ echoes: 1 });
    }
  });

  it("does not use the business's own number beside a hidden one as the customer", () => {
    const own = `${phone}@s.whatsapp.net`;
    const to = (changes: Fields) => heard({ conversation: "a" }, { key: { ...key, ...changes } }).echoes[0]?.to;
    expect(to({ remoteJid: "1@lid", senderPn: own, remoteJidAlt: jid })).to.equal(customer);
    expect(to({ remoteJid: "1@lid", senderPn: own })).to.equal(undefined);
    expect(to({ remoteJid: "1@lid", senderPn: jid })).to.equal(undefined);
    expect(to({ remoteJid: "1@lid", remoteJidAlt: own })).to.equal(undefined);
    expect(to({ remoteJid: own })).to.equal(undefined);
  });

  it("ignores the business's own reactions and withdrawals", () => {
    expect(counts(heard({ reactionMessage: { key: { id: "3A01" }, text: "👍" } }, { key }))).to.deep.equal({});
    expect(counts(heard({ protocolMessage: { type: 0, key: { id: "3EB0" } } }, { key }))).to.deep.equal({});
  });

  it("reads statuses in the fields of every version of the provider", () => {
    const update = { keyId: "3EB0", messageId: "cm1", remoteJid: jid, fromMe: true, participant: jid };
    const statusOf = (data: unknown) => read(told("messages.update", data)).statuses;
    const status = { sender: instance, platformMessageId: "3EB0", recipientId: customer };
    const states: [unknown, string][] = [
      ...([
        ["PENDING", "sent"],
        ["SERVER_ACK", "sent"],
        ["DELIVERY_ACK", "delivered"],
      ] as [string, string][]),
      ...([
        ["READ", "read"],
        ["PLAYED", "read"],
        [1, "sent"],
        [2, "sent"],
      ] as [unknown, string][]),
      ...([
        [3, "delivered"],
        [4, "read"],
        [5, "read"],
      ] as [unknown, string][]),
    ];
    for (const [given, state] of states) {
      expect(statusOf({ ...update, status: given })).to.deep.equal([{ ...status, state }]);
    }
    for (const given of ["ERROR", 0]) {
      expect(statusOf({ ...update, status: given })).to.deep.equal([
        { ...status, state: "failed", error: { code: 0, reason: "the provider tells no reason", optedOut: false } },
      ]);
    }
    const named = { remoteJid: jid, fromMe: true, id: "3EB0" };
    const read4 = [{ ...status, state: "read" }];
    expect(statusOf({ key: named, status: "READ", instanceId: "x" })).to.deep.equal(read4);
    expect(statusOf([{ key: named, update: { status: 4 } }])).to.deep.equal(read4);
    expect(statusOf({ ...named, status: "READ", datetime: 1 })).to.deep.equal(read4);
    expect(statusOf([{ ...update, status: "READ" }, null, { ...update, status: "DELETED" }])).to.deep.equal(read4);
    expect(statusOf({ ...update, remoteJid: "1@lid", status: "READ" })).to.deep.equal([
      { sender: instance, platformMessageId: "3EB0", state: "read" },
    ]);
    const nothing: Fields[] = [
      ...[{ fromMe: false }, { fromMe: "true" }, { status: "DELETED" }, { status: "constructor" }, { status: "4" }],
      ...[{ status: null }, { status: ["READ"] }, { keyId: undefined }, { keyId: 7 }],
    ];
    for (const changes of nothing) expect(statusOf({ ...update, status: "READ", ...changes })).to.deep.equal([]);
  });

  it("needs the sender's own secret, except for connection states", () => {
    const ofName = { platformId: instance, owner: null };
    expect(counts(read(told("messages.upsert", upsert({ conversation: "a" })), ofName))).to.deep.equal({});
    expect(counts(read(told("connection.update", { state: "open" }), ofName))).to.deep.equal({ connections: 1 });
    expect(counts(read(told("messages.upsert", upsert({ conversation: "a" })), null))).to.deep.equal({});
  });

  it("ignores other events", () => {
    for (const event of ["messages.edited", "messages.set", "constructor", "__proto__", "", null, 7]) {
      expect(counts(read(told(event as string, upsert({ conversation: "a" }))))).to.deep.equal({});
    }
  });
});

describe("the reader of any webhook of paired phones", () => {
  const words = fc.constantFrom(
    ...[
      "key",
      "remoteJid",
      "id",
      "fromMe",
      "message",
      "conversation",
      "imageMessage",
      "caption",
      "contextInfo",
      "text",
    ],
    ...["stanzaId", "externalAdReply", "sourceId", "protocolMessage", "reactionMessage", "type", "status", "keyId"],
    ...[
      "contactMessage",
      "vcard",
      "contactsArrayMessage",
      "contacts",
      "orderMessage",
      "totalAmount1000",
      "low",
      "high",
    ],
    ...["pollCreationMessage", "options", "ephemeralMessage", "__proto__", "constructor", "toString", "base64", "name"],
  );
  const values = fc.oneof(
    fc.constantFrom(
      jid,
      "1@lid",
      "1@g.us",
      "3A01",
      "READ",
      "REVOKE",
      "\0",
      "\ud800",
      "a\0b",
      true,
      false,
      null,
      0,
      1e300,
    ),
    fc.string({ unit: "binary" }),
  );
  const { anything } = fc.letrec((tie) => ({
    anything: fc.oneof(
      { depthSize: "large", withCrossShrink: true },
      values,
      fc.array(tie("anything"), { maxLength: 3 }),
      fc.array(fc.tuple(words, tie("anything")), { maxLength: 5 }).map((pairs) => Object.fromEntries(pairs)),
    ),
  }));
  const events = fc.constantFrom("messages.upsert", "messages.update", "messages.delete", "send.message");
  const messages = fc.record({ key: fc.constant({ remoteJid: jid, fromMe: false, id: "3A01" }), message: anything });

  it("never fails, and returns only data that can be stored", () => {
    fc.assert(
      fc.property(events, fc.oneof(anything, messages, fc.array(messages, { maxLength: 3 })), (event, data) => {
        const news = read(told(event, data));
        const plain = JSON.parse(JSON.stringify(news));
        expect(storableJson(plain)).to.deep.equal(plain);
      }),
      { numRuns: 1_000 },
    );
    for (const payload of ["[]", "null", "7", '"text"', "{}"]) {
      expect(counts(readQrWebhook(payload, about))).to.deep.equal({});
    }
    expect(() => readQrWebhook("{", about)).to.throw();
  });

  it("limits the length of texts and details", () => {
    const long = "x".repeat(100_000);
    const contents: Fields[] = [
      ...[
        { conversation: long },
        { imageMessage: { caption: long, mimetype: long } },
        { documentMessage: { title: long } },
      ],
      ...[
        { locationMessage: { name: long, address: long } },
        { contactMessage: { displayName: long, vcard: `FN:${long}` } },
      ],
      ...[
        { contactMessage: { vcard: "TEL:1\n".repeat(100_000) } },
        { orderMessage: { message: long, orderTitle: long } },
      ],
      ...[
        { pollCreationMessage: { name: long, options: Array(100).fill({ optionName: long }) } },
        { [`${long}Message`]: {} },
      ],
      { contactsArrayMessage: { contacts: Array(5_000).fill({ displayName: "x" }) } },
      { listResponseMessage: { title: long, description: long, singleSelectReply: { selectedRowId: long } } },
    ];
    for (const content of contents) {
      const { body = "", details = {} } = message(content, { pushName: long }) ?? {};
      expect(body.length).to.be.at.most(65_536);
      expect(JSON.stringify(details).length).to.be.below(32_768);
    }
  });
});

describe("a stored webhook of paired phones", () => {
  const ids = [customer];
  const senders = [instance];
  const kept = (event: string, data: unknown, file = "") => keptAs({ told: told(event, data), file }, instance);
  const other = { remoteJid: "59170000002@s.whatsapp.net", fromMe: true, id: "3EB9" };
  const update = (key: Fields) => ({ keyId: key.id, remoteJid: key.remoteJid, fromMe: true, status: "READ" });

  it("loses the data of an erased customer", () => {
    const image = upsert({ imageMessage: file });
    for (const payload of [
      kept("messages.upsert", image, "AAAA"),
      kept("send.message", upsert({ conversation: "a" }, { key: { remoteJid: jid, fromMe: true, id: "3EB0" } })),
      kept(
        "messages.upsert",
        upsert({ conversation: "a" }, { key: { remoteJid: "1@lid", senderPn: jid, id: "3A01" } }),
      ),
      kept("messages.update", update({ remoteJid: jid, id: "3EB0" })),
      kept("messages.delete", { remoteJid: jid, fromMe: false, id: "3A01" }),
      "{",
    ]) {
      expect(withoutCustomer(payload, { ids, senders })).to.equal(null);
    }
    const both = kept("messages.update", [update({ remoteJid: jid, id: "3EB0" }), update(other)]);
    const left = withoutCustomer(both, { ids, senders }) ?? "";
    expect(readQrWebhook(left, about).statuses.map(({ platformMessageId }) => platformMessageId)).to.deep.equal([
      "3EB9",
    ]);
    expect(left).not.to.include(customer);
  });

  it("stays unchanged if it is about others or for other senders", () => {
    const quoting = upsert({ conversation: `Llama a ${customer}` }, { key: other });
    for (const payload of [
      kept("messages.upsert", quoting, "AAAA"),
      kept("connection.update", { state: "open" }),
      keptAs({ told: told("messages.upsert", upsert({ conversation: "a" })), file: "" }, "another"),
    ]) {
      expect(withoutCustomer(payload, { ids, senders })).to.equal(payload);
    }
  });

  it("contains neither the provider's key nor another instance than the URL's", () => {
    const payload = keptAs(
      { told: { ...told("messages.upsert", upsert({ conversation: "a" })), instance: "x" }, file: "" },
      "y",
    );
    expect(payload).not.to.include("key-1");
    expect(keptIn(payload).told.instance).to.equal("y");
  });
});
