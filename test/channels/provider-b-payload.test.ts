import { expect } from "chai";
import fc from "fast-check";
import { type KeptForm, readProviderBWebhook, withoutCustomer } from "../../src/channels/provider-b/payload.ts";
import { fileKinds } from "../../src/inbox/domain/incoming.ts";
import { noNews, type WebhookNews } from "../../src/inbox/public.ts";

const account = "AC0123456789abcdef0123456789abcdef";
const about = { platformId: account, owner: { businessId: 1, senderId: 2 } };
const reference = "5ac7f2f8-6f5b-4c43-9a56-3a1a4f3d3d3a";
const at = 1_760_000_000_123;
const sid = "SM0123456789abcdef0123456789abcdef";

/** An incoming message with the fields of the provider's documentation. */
const incoming = {
  SmsMessageSid: sid,
  NumMedia: "0",
  ProfileName: "Ana 😀",
  MessageType: "text",
  SmsSid: sid,
  WaId: "59170000001",
  SmsStatus: "received",
  Body: "",
  To: "whatsapp:+59120000009",
  NumSegments: "1",
  ReferralNumMedia: "0",
  MessageSid: sid,
  AccountSid: account,
  ChannelMetadata: '{"type":"whatsapp","data":{"context":{"ProfileName":"Ana 😀","WaId":"59170000001"}}}',
  From: "whatsapp:+59170000001",
  ApiVersion: "2010-04-01",
};

/** The status callback of a sent message. */
const callback = {
  ChannelPrefix: "whatsapp",
  ApiVersion: "2010-04-01",
  MessageStatus: "delivered",
  SmsSid: sid,
  SmsStatus: "delivered",
  ChannelInstallSid: "XE0123456789abcdef0123456789abcdef",
  To: "whatsapp:+59170000001",
  From: "whatsapp:+59120000009",
  MessageSid: sid,
  StructuredMessage: "false",
  AccountSid: account,
  ChannelToAddress: "+5917000XXXX",
};

const keep = (fields: Record<string, string>, changes: Partial<KeptForm> = {}): string =>
  JSON.stringify({ at, reference: "", fields, ...changes });
const read = (fields: Record<string, string>, changes: Partial<KeptForm> = {}): WebhookNews =>
  readProviderBWebhook(keep(fields, changes), about);
const messagesOf = (fields: Record<string, string>) => {
  const news = read({ ...incoming, ...fields });
  expect(news).to.deep.equal({ ...noNews, messages: news.messages });
  return news.messages;
};
const statusesOf = (fields: Record<string, string>, changes: Partial<KeptForm> = {}) => {
  const news = read({ ...callback, ...fields }, changes);
  expect(news).to.deep.equal({ ...noNews, statuses: news.statuses });
  return news.statuses;
};

const ana = { sender: account, from: "59170000001", name: "Ana 😀", platformMessageId: sid, occurredAt: new Date(at) };
const place = (url: string) => ({ at: "url", url });
const media = (n: number) => `https://api.twilio.com/2010-04-01/Accounts/${account}/Messages/${sid}/Media/ME${n}`;

describe("the reader of webhooks of ProviderB", () => {
  describe("for customers' messages", () => {
    it("reads a text", () => {
      expect(messagesOf({ Body: "Hola\n¿qué tal?" })).to.deep.equal([
        { ...ana, kind: "text", body: "Hola\n¿qué tal?" },
      ]);
    });

    const files: [mime: string, type: string, kind: string][] = [
      ["image/jpeg", "image", "image"],
      ["video/mp4", "video", "video"],
      ["audio/ogg; codecs=opus", "audio", "audio"],
      ["application/pdf", "document", "document"],
      ["image/webp", "sticker", "sticker"],
      ["image/png", "document", "document"],
      ["application/x-unknown", "", "document"],
      ["IMAGE/JPEG", "image", "image"],
    ];
    for (const [mime, type, kind] of files) {
      it(`reads a file of type ${mime} in a message of type ${type || "unknown"}`, () => {
        const told = { NumMedia: "1", MediaUrl0: media(0), MediaContentType0: mime, MessageType: type };
        const known = mime.split(";")[0]?.toLowerCase();
        expect(messagesOf(told)).to.deep.equal([
          {
            ...ana,
            kind,
            body: "",
            details: { [kind]: { mime_type: known } },
            file: { kind, place: place(media(0)) },
          },
        ]);
      });
    }

    it("reads several files as one message each, with the text at the first", () => {
      const told = messagesOf({
        Body: "Estos tres",
        NumMedia: "3",
        ...{ MediaUrl0: media(0), MediaContentType0: "image/jpeg" },
        ...{ MediaUrl1: media(1), MediaContentType1: "image/png" },
        ...{ MediaUrl2: media(2), MediaContentType2: "video/mp4" },
      });
      expect(
        told.map(({ platformMessageId, kind, body, file }) => [platformMessageId, kind, body, file?.place]),
      ).to.deep.equal([
        [sid, "image", "Estos tres", place(media(0))],
        [`${sid}:1`, "image", "", place(media(1))],
        [`${sid}:2`, "video", "", place(media(2))],
      ]);
      expect(told[0]?.details).to.deep.equal({ image: { mime_type: "image/jpeg", caption: "Estos tres" } });
    });

    it("reads at most ten files, whatever number the form names", () => {
      const many = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`MediaUrl${n}`, media(n)]));
      expect(messagesOf({ ...many, NumMedia: "99" })).to.have.length(10);
      expect(messagesOf({ ...many, NumMedia: "1e9", Body: "Hola" })).to.have.length(1);
      expect(messagesOf({ NumMedia: "2", Body: "Hola" })).to.deep.equal([{ ...ana, kind: "text", body: "Hola" }]);
    });

    it("reads a document's name", () => {
      const told = {
        NumMedia: "1",
        MediaUrl0: media(0),
        MediaContentType0: "application/pdf",
        MessageType: "document",
      };
      const [named] = messagesOf({ ...told, Body: "Lista de precios.pdf" });
      expect(named).to.deep.include({
        body: "Lista de precios.pdf",
        details: { document: { mime_type: "application/pdf", filename: "Lista de precios.pdf" } },
      });
      expect(named?.file?.name).to.equal("Lista de precios.pdf");
      const [described] = messagesOf({ ...told, Body: "Mira esto. Es barato" });
      expect(described?.file).not.to.have.property("name");
      expect(described?.details).to.deep.equal({
        document: { mime_type: "application/pdf", caption: "Mira esto. Es barato" },
      });
    });

    it("reads a place", () => {
      const [told] = messagesOf({
        ...{
          Latitude: "-16.4897",
          Longitude: "-68.1193",
          Label: "Plaza",
          Address: "Av. Arce 1",
          MessageType: "location",
        },
      });
      const location = { latitude: -16.4897, longitude: -68.1193, name: "Plaza", address: "Av. Arce 1" };
      expect(told).to.deep.equal({ ...ana, kind: "location", body: "Plaza", details: { location } });
    });

    it("ignores a place with invalid coordinates", () => {
      const at = (Latitude: string, Longitude: string) => messagesOf({ Latitude, Longitude, Body: "x" })[0]?.kind;
      expect(at("90", "-180")).to.equal("location");
      for (const [latitude, longitude] of [
        ["91", "0"],
        ["0", "181"],
        ["1e1", "0"],
        ["", "0"],
        ["NaN", "0"],
        ["0x1", "1"],
      ]) {
        expect(at(latitude as string, longitude as string)).to.equal("text");
      }
    });

    it("reads the button of a template", () => {
      const told = { MessageType: "button", Body: "Sí", ButtonText: "Sí", ButtonPayload: "yes" };
      expect(messagesOf(told)).to.deep.equal([
        { ...ana, kind: "button", body: "Sí", details: { button: { payload: "yes", text: "Sí" } } },
      ]);
    });

    it("reads the button of an interactive message", () => {
      const told = { MessageType: "interactive", Body: "Sí", ButtonText: "Sí", ButtonPayload: "yes" };
      const interactive = { type: "button_reply", button_reply: { id: "yes", title: "Sí" } };
      expect(messagesOf(told)).to.deep.equal([{ ...ana, kind: "interactive", body: "Sí", details: { interactive } }]);
    });

    it("reads the row of a list", () => {
      const told = {
        MessageType: "interactive",
        Body: "Talla M",
        ListId: "m",
        ListTitle: "Talla M",
        ListDescription: "Azul",
      };
      const interactive = { type: "list_reply", list_reply: { id: "m", title: "Talla M", description: "Azul" } };
      expect(messagesOf(told)).to.deep.equal([
        { ...ana, kind: "interactive", body: "Talla M", details: { interactive } },
      ]);
    });

    it("reads a contact's card", () => {
      const told = {
        NumMedia: "1",
        MediaUrl0: media(0),
        MediaContentType0: "text/vcard",
        MessageType: "contacts",
        Body: "Eva Paz",
      };
      expect(messagesOf(told)).to.deep.equal([
        {
          ...ana,
          kind: "contacts",
          body: "Eva Paz",
          details: { contacts: [{ name: { formatted_name: "Eva Paz" } }] },
          file: { kind: "document", place: place(media(0)) },
        },
      ]);
    });

    it("reads which message is quoted", () => {
      const told = {
        Body: "Ese",
        OriginalRepliedMessageSid: "SMasked",
        OriginalRepliedMessageSender: "whatsapp:+59120000009",
      };
      expect(messagesOf(told)).to.deep.equal([
        {
          ...{ ...ana, kind: "text", body: "Ese", replyTo: "SMasked" },
          details: { context: { from: "59120000009", id: "SMasked" } },
        },
      ]);
    });

    it("reads the ad that the customer came from", () => {
      const told = {
        Body: "Hola",
        ReferralBody: "Todo a mitad de precio",
        ReferralHeadline: "Ofertas",
        ReferralSourceId: "120210000000000001",
        ReferralSourceType: "ad",
        ReferralSourceUrl: "https://fb.me/1",
        ReferralCtwaClid: "ARA1",
      };
      const referral = {
        adId: "120210000000000001",
        details: {
          source_url: "https://fb.me/1",
          source_id: "120210000000000001",
          source_type: "ad",
          headline: "Ofertas",
          body: "Todo a mitad de precio",
          ctwa_clid: "ARA1",
        },
      };
      expect(messagesOf(told)).to.deep.equal([{ ...ana, kind: "text", body: "Hola", referral }]);
      expect(messagesOf({ ...told, ReferralSourceType: "post" })[0]).not.to.have.property("referral");
    });

    it("reads an unknown type as unsupported, with its fields", () => {
      expect(messagesOf({ MessageType: "flow", FlowData: "{}" })).to.deep.equal([
        { ...ana, kind: "unsupported", body: "", details: { unsupported: { MessageType: "flow", FlowData: "{}" } } },
      ]);
    });

    it("omits an empty name, and shortens a long one", () => {
      expect(messagesOf({ ProfileName: "", Body: "Hola" })[0]).not.to.have.property("name");
      expect(messagesOf({ ProfileName: "😀".repeat(200), Body: "Hola" })[0]?.name).to.equal("😀".repeat(100));
    });

    it("ignores other channels, and messages without an id", () => {
      for (const changes of [{ From: "messenger:1234" }, { From: "+59170000001" }, { From: "" }, { MessageSid: "" }]) {
        expect(messagesOf({ Body: "Hola", ...changes })).to.deep.equal([]);
      }
    });

    it("limits future times to now", () => {
      const before = Date.now();
      const [told] = read({ ...incoming, Body: "Hola" }, { at: 8e15 }).messages;
      expect(told?.occurredAt.getTime()).to.be.within(before, Date.now());
    });
  });

  describe("for our own messages", () => {
    const words: [word: string, state: string][] = [
      ...[
        ["accepted", "sent"],
        ["queued", "sent"],
        ["sending", "sent"],
        ["sent", "sent"],
      ],
      ...[
        ["delivered", "delivered"],
        ["read", "read"],
        ["undelivered", "failed"],
        ["failed", "failed"],
      ],
    ] as [string, string][];
    for (const [word, state] of words) {
      it(`reads the status ${word}`, () => {
        const [told] = statusesOf({ MessageStatus: word, SmsStatus: word });
        expect(told).to.include({ sender: account, platformMessageId: sid, state });
      });
    }

    it("reads our reference, and ignores an invalid one", () => {
      const found = { sender: account, platformMessageId: sid, state: "delivered" };
      expect(statusesOf({}, { reference })).to.deep.equal([{ ...found, reference }]);
      for (const other of ["", "1", `${reference}'`, "x".repeat(36)]) {
        expect(statusesOf({}, { reference: other })).to.deep.equal([found]);
      }
    });

    it("reads why a message failed, and whether the customer opted out", () => {
      const failure = (fields: Record<string, string>) =>
        statusesOf({ MessageStatus: "undelivered", ...fields })[0]?.error;
      expect(failure({ ErrorCode: "63016", ErrorMessage: "outside the window" })).to.deep.equal({
        ...{ code: 63016, reason: "outside the window", optedOut: false },
      });
      for (const ErrorCode of ["21610", "63033"]) expect(failure({ ErrorCode })?.optedOut).to.equal(true);
      for (const ErrorCode of ["", "x", "99999999999", "-1"]) expect(failure({ ErrorCode })?.code).to.equal(0);
      expect(failure({ ErrorMessage: "x".repeat(600) })?.reason).to.have.length(500);
    });

    it("ignores other statuses", () => {
      for (const word of ["scheduled", "canceled", "partially_delivered", "constructor", "__proto__"]) {
        expect(read({ ...callback, MessageStatus: word, SmsStatus: word })).to.deep.equal(noNews);
      }
    });
  });

  it("ignores a webhook without a proven account", () => {
    expect(readProviderBWebhook(keep({ ...incoming, Body: "Hola" }), null)).to.deep.equal(noNews);
  });

  const odd = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom(
      "\0",
      "\ud800",
      "__proto__",
      "10",
      "-1",
      "whatsapp:+1",
      "x".repeat(3_000),
      media(0),
      "image/webp",
      "ad",
    ),
  );
  const names = [
    ...Object.keys(incoming),
    ...Object.keys(callback),
    "MediaUrl0",
    "MediaContentType0",
    "Latitude",
    "Longitude",
  ];
  const named = fc.constantFrom(
    ...[...names, "ButtonText", "ListId", "ReferralSourceId", "ReferralSourceType", "OriginalRepliedMessageSid"],
    ...["__proto__", "constructor", "toString"],
  );

  it("never fails for any payload, and returns only data that can be stored", () => {
    const spoilt = fc.array(fc.tuple(named, odd), { maxLength: 8 }).map((pairs) => {
      const base = pairs.length % 2 === 0 ? incoming : callback;
      return { at, reference, fields: Object.fromEntries([...Object.entries(base), ...pairs]) };
    });
    fc.assert(
      fc.property(fc.oneof({ weight: 3, arbitrary: spoilt }, fc.jsonValue()), (payload) => {
        const news = readProviderBWebhook(JSON.stringify(payload), about);
        for (const { platformMessageId, file, details, kind, from } of news.messages) {
          expect(platformMessageId.length).to.be.within(1, 520);
          expect(from).to.match(/^\d+$/);
          expect(kind).to.be.a("string").and.not.equal("");
          if (file) expect(fileKinds).to.include(file.kind);
          expect(details === undefined || Object.getPrototypeOf(details) === Object.prototype).to.equal(true);
        }
        const written = JSON.stringify(news);
        expect(/\\u0000|\\ud[89a-f]/i.test(written), written).to.equal(false);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a stored webhook of ProviderB at the erasure of a customer", () => {
  const forgotten = { ids: ["59170000001"], senders: [account] };
  const theirs = [keep(incoming), keep(callback), keep({ ...incoming, From: "whatsapp:+1", To: "whatsapp:+2" })];

  it("is deleted if it contains a message from or to the customer", () => {
    for (const payload of theirs) expect(withoutCustomer(payload, forgotten)).to.equal(null);
  });

  it("is kept if it is about others, even if their text contains the number", () => {
    for (const payload of [
      keep({ ...incoming, From: "whatsapp:+591700000012", WaId: "591700000012", Body: "59170000001" }),
      keep({ ...callback, To: "whatsapp:+5917000000" }),
    ]) {
      expect(withoutCustomer(payload, forgotten)).to.equal(payload);
    }
  });

  it("is kept if it is another business's", () => {
    for (const payload of theirs) {
      expect(withoutCustomer(payload, { ...forgotten, senders: ["AC2"] })).to.equal(payload);
      expect(withoutCustomer(payload, { ...forgotten, senders: [] })).to.equal(payload);
    }
  });

  it("is deleted if it is not readable", () => {
    expect(withoutCustomer("{", forgotten)).to.equal(null);
  });
});
