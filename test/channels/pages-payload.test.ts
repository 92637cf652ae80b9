import { expect } from "chai";
import fc from "fast-check";
import { readPagesWebhook } from "../../src/channels/pages/payload.ts";
import { noNews, type WebhookNews } from "../../src/inbox/public.ts";
import { pageChannel, photoChannel } from "../../src/kernel/channels.ts";

const pageId = "104000000000001";
const customer = "24000000000000001";
const at = 1_760_000_000_123;
const reference = "5ac7f2f8-6f5b-4c43-9a56-3a1a4f3d3d3a";

const inbound = { sender: { id: customer }, recipient: { id: pageId }, timestamp: at };
const outbound = { sender: { id: pageId }, recipient: { id: customer }, timestamp: at };

const read = (object: "page" | "instagram", ...messaging: unknown[]): WebhookNews => {
  const payload = JSON.stringify({ object, entry: [{ id: pageId, time: at, messaging }] });
  return readPagesWebhook(object === "page" ? pageChannel : photoChannel)(payload);
};
const only = <Kind extends keyof WebhookNews>(news: WebhookNews, kind: Kind): WebhookNews[Kind] => {
  expect(news).to.deep.equal({ ...noNews, [kind]: news[kind] });
  return news[kind];
};
const messageOf = (message: object) =>
  only(read("page", { ...inbound, message: { mid: "m_1", ...message } }), "messages");

const from = { sender: pageId, from: customer, platformMessageId: "m_1", occurredAt: new Date(at) };
const cdn = "https://scontent.xx.fbcdn.test/v/t1/9_n.jpg?stp=1&oh=2";
const attached = (type: string, payload: object, more: object = {}) => ({ attachments: [{ type, payload, ...more }] });

describe("the reader of webhooks of pages and photo accounts", () => {
  describe("for customers' messages", () => {
    it("reads a text", () => {
      expect(messageOf({ text: "Hola 😀" })).to.deep.equal([{ ...from, kind: "text", body: "Hola 😀" }]);
    });

    for (const [type, kind] of [
      ["image", "image"],
      ["video", "video"],
      ["audio", "audio"],
    ] as const) {
      it(`reads a file: ${type}`, () => {
        expect(messageOf(attached(type, { url: cdn }))).to.deep.equal([
          { ...from, kind, body: "", file: { kind, place: { at: "url", url: cdn } } },
        ]);
      });
    }

    it("reads a document with the name from its URL", () => {
      const url = "https://cdn.fbsbx.test/v/t59/9_n.pdf/lista%20de%20precios.pdf?_nc_cat=1";
      expect(messageOf(attached("file", { url }))).to.deep.equal([
        {
          ...from,
          kind: "document",
          body: "lista de precios.pdf",
          file: { kind: "document", name: "lista de precios.pdf", place: { at: "url", url } },
        },
      ]);
    });

    it("removes characters that cannot be stored from a document's name", () => {
      const [told] = messageOf(attached("file", { url: "https://cdn.fbsbx.test/a%00b.pdf" }));
      expect([told?.body, told?.file?.name]).to.deep.equal(["ab.pdf", "ab.pdf"]);
    });

    it("reads a sticker, which comes as an image", () => {
      expect(messageOf(attached("image", { url: cdn, sticker_id: 369239263222822 }))).to.deep.equal([
        {
          ...from,
          kind: "sticker",
          body: "",
          details: { sticker: { id: "369239263222822" } },
          file: { kind: "sticker", place: { at: "url", url: cdn } },
        },
      ]);
    });

    it("reads several files as one message each, with the text at the first", () => {
      const [first, second, ...others] = messageOf({
        text: "Estos dos",
        attachments: [
          { type: "image", payload: { url: cdn } },
          { type: "video", payload: { url: `${cdn}&n=2` } },
        ],
      });
      expect(first).to.deep.include({ platformMessageId: "m_1", kind: "image", body: "Estos dos" });
      expect(second).to.deep.include({ platformMessageId: "m_1:1", kind: "video", body: "" });
      expect(others).to.deep.equal([]);
      const many = Array.from({ length: 500 }, () => ({ type: "image", payload: { url: cdn } }));
      expect(messageOf({ attachments: many })).to.have.length(30);
    });

    it("reads a place", () => {
      const place = { coordinates: { lat: -17.39, long: -66.15 } };
      const more = { title: "Ana's Location", url: "https://www.facebook.test/l.php?u=1" };
      expect(messageOf(attached("location", place, more))).to.deep.equal([
        {
          ...from,
          kind: "location",
          body: "Ana's Location",
          details: { location: { latitude: -17.39, longitude: -66.15, name: more.title, url: more.url } },
        },
      ]);
    });

    it("reads a quick reply and a postback as buttons", () => {
      const details = { button: { payload: "SIZE_M", text: "Talla M" } };
      const expected = [{ ...from, kind: "button", body: "Talla M", details }];
      expect(messageOf({ text: "Talla M", quick_reply: { payload: "SIZE_M" } })).to.deep.equal(expected);
      const postback = { mid: "m_1", title: "Talla M", payload: "SIZE_M" };
      expect(only(read("page", { ...inbound, postback }), "messages")).to.deep.equal(expected);
      expect(only(read("instagram", { ...inbound, postback }), "messages")).to.deep.equal(expected);
    });

    it("reads shared content as a text with its link", () => {
      const url = "https://www.facebook.test/posts/1";
      expect(messageOf({ text: "¿Lo tienen?", ...attached("fallback", { url, title: "Oferta" }) })).to.deep.equal([
        { ...from, kind: "text", body: "¿Lo tienen?", details: { link: { type: "fallback", title: "Oferta", url } } },
      ]);
      for (const type of ["share", "story_mention", "ig_reel"]) {
        const [told] = only(
          read("instagram", { ...inbound, message: { mid: "m_1", ...attached(type, { url }) } }),
          "messages",
        );
        expect(told).to.deep.equal({ ...from, kind: "text", body: url, details: { link: { type, url } } });
      }
      const product = { elements: [{ id: "1", retailer_id: "SKU-7", title: "Vestido", subtitle: "Bs 90" }] };
      expect(messageOf(attached("template", { product }))).to.deep.equal([
        {
          ...from,
          kind: "text",
          body: "Vestido",
          details: {
            link: { type: "template", title: "Vestido" },
            context: { referred_product: { product_retailer_id: "SKU-7" } },
          },
        },
      ]);
    });

    it("reads an answer to a message or to a story", () => {
      const [reply] = messageOf({ text: "Ese", reply_to: { mid: "m_0" } });
      expect(reply).to.deep.equal({ ...from, kind: "text", body: "Ese", replyTo: "m_0" });
      const story = { id: "17900", url: cdn };
      const told = read("instagram", { ...inbound, message: { mid: "m_1", text: "¡Linda!", reply_to: { story } } });
      expect(only(told, "messages")).to.deep.equal([
        { ...from, kind: "text", body: "¡Linda!", details: { context: { story } } },
      ]);
    });

    it("reads unknown content as unsupported, with its type", () => {
      const unsupported = (type: string) => [
        { ...from, kind: "unsupported", body: "", details: { unsupported: { type } } },
      ];
      expect(messageOf({ is_unsupported: true })).to.deep.equal(unsupported("unknown"));
      expect(messageOf(attached("ephemeral", {}))).to.deep.equal(unsupported("ephemeral"));
      expect(messageOf(attached("image", { url: "javascript:alert(1)" }))).to.deep.equal(unsupported("image"));
    });

    it("reads the ad that the customer came from, with a message, with a button, or alone", () => {
      const referral = {
        ref: "r",
        source: "ADS",
        type: "OPEN_THREAD",
        ad_id: "6045246247433",
        ads_context_data: { ad_title: "x" },
      };
      const expected = { adId: "6045246247433", details: referral };
      expect(messageOf({ text: "Hola", referral })[0]).to.deep.include({ referral: expected });
      const postback = { mid: "m_1", title: "Empezar", payload: "START", referral };
      expect(read("page", { ...inbound, postback }).messages[0]).to.deep.include({ referral: expected });
      expect(only(read("instagram", { ...inbound, referral }), "clicks")).to.deep.equal([
        { sender: pageId, from: customer, referral: expected, occurredAt: new Date(at) },
      ]);
      const link = { ref: "r", source: "SHORTLINK", type: "OPEN_THREAD" };
      expect(read("page", { ...inbound, referral: link })).to.deep.equal(noNews);
    });

    it("reads an edit by the author", () => {
      const about = { sender: pageId, customer, author: "customer", messageId: "m_1", occurredAt: new Date(at) };
      for (const object of ["page", "instagram"] as const) {
        const told = read(object, { ...inbound, message_edit: { mid: "m_1", text: "Dos", num_edit: 1 } });
        expect(only(told, "edits")).to.deep.equal([{ ...about, body: "Dos" }]);
        for (const odd of [
          { mid: "m_1" },
          { text: "Dos" },
          { mid: 7, text: "Dos" },
          { mid: "m_1", text: null },
          null,
        ]) {
          expect(read(object, { ...inbound, message_edit: odd })).to.deep.equal(noNews);
        }
      }
    });

    it("reads a withdrawal, with all parts of the message", () => {
      const told = read("instagram", { ...inbound, message: { mid: "m_1", is_deleted: true } });
      const withdrawn = only(told, "withdrawals").map(({ messageId }) => messageId);
      expect(withdrawn.slice(0, 3)).to.deep.equal(["m_1", "m_1:1", "m_1:2"]);
      expect(told.withdrawals[0]).to.deep.equal({ sender: pageId, from: customer, messageId: "m_1" });
      expect(told.withdrawals[1]).to.include({ isGuess: true });
    });
  });

  it("reads reactions and their removal", () => {
    const react = (reaction: object) =>
      only(read("page", { ...inbound, reaction: { mid: "m_0", ...reaction } }), "reactions");
    const about = { sender: pageId, from: customer, messageId: "m_0", occurredAt: new Date(at) };
    expect(react({ action: "react", reaction: "love", emoji: "❤️" })).to.deep.equal([{ ...about, emoji: "❤️" }]);
    expect(react({ action: "react", reaction: "like" })).to.deep.equal([{ ...about, emoji: "👍" }]);
    expect(react({ action: "unreact" })).to.deep.equal([{ ...about, emoji: "" }]);
    for (const odd of [{ action: "react", reaction: "constructor" }, { action: "react", reaction: "other" }, {}]) {
      expect(react(odd)).to.deep.equal([]);
    }
  });

  describe("for messages to customers", () => {
    const echoed = { sender: pageId, to: customer, platformMessageId: "m_1", occurredAt: new Date(at) };
    const echo = (object: "page" | "instagram", message: object) =>
      only(read(object, { ...outbound, message: { mid: "m_1", is_echo: true, ...message } }), "echoes");

    it("finds our own message by its reference", () => {
      expect(echo("page", { text: "Sí", app_id: 1517776481860111, metadata: reference })).to.deep.equal([
        { ...echoed, kind: "text", body: "Sí", reference },
      ]);
      const document = attached("file", { url: "https://cdn.fbsbx.test/precios.pdf" });
      expect(echo("instagram", document)[0]).to.include({ kind: "document", body: "" });
      expect(echo("page", { text: "Sí", metadata: "of another app" })[0]).not.to.have.property("reference");
    });

    it("reads a message that was written in the platform's app", () => {
      expect(echo("instagram", { text: "Hola" })).to.deep.equal([{ ...echoed, kind: "text", body: "Hola" }]);
      expect(echo("instagram", { text: "", ...attached("image", { url: cdn }) })[0]).to.deep.include({ kind: "image" });
    });

    it("ignores withdrawals, and notes of the account to itself", () => {
      expect(echo("instagram", { is_deleted: true })).to.deep.equal([]);
      const self = { sender: { id: pageId }, recipient: { id: pageId }, timestamp: at };
      for (const message of [
        { mid: "m_1", is_echo: true, is_self: true, text: "nota" },
        { mid: "m_1", text: "nota" },
      ]) {
        expect(read("instagram", { ...self, message })).to.deep.equal(noNews);
      }
    });
  });

  describe("for reports about our messages", () => {
    it("reads deliveries of named messages, and of all up to a time", () => {
      const news = read("page", { ...inbound, delivery: { mids: ["m_1", "m_2"], watermark: at } });
      expect(news).to.deep.equal({
        ...noNews,
        statuses: ["m_1", "m_2"].map((platformMessageId) => ({
          sender: pageId,
          platformMessageId,
          state: "delivered",
        })),
        marks: [{ sender: pageId, customer, state: "delivered", upTo: new Date(at) }],
      });
    });

    it("reads read reports, on a page up to a time and on a photo account for one message", () => {
      expect(only(read("page", { ...inbound, read: { watermark: at } }), "marks")).to.deep.equal([
        { sender: pageId, customer, state: "read", upTo: new Date(at) },
      ]);
      expect(only(read("instagram", { ...inbound, read: { mid: "m_1" } }), "statuses")).to.deep.equal([
        { sender: pageId, platformMessageId: "m_1", state: "read" },
      ]);
    });

    it("ignores invalid times, and limits future ones to now", () => {
      for (const watermark of [undefined, null, "1", 0, -1, "no time", {}]) {
        expect(read("page", { ...inbound, read: { watermark } })).to.deep.equal(noNews);
      }
      const [mark] = read("page", { ...inbound, read: { watermark: 9e15 } }).marks;
      expect(mark?.upTo.getTime()).to.be.at.most(Date.now());
    });
  });

  it("keeps the order of messages for several pages", () => {
    const entry = (id: string, ...texts: string[]) => ({
      id,
      time: at,
      messaging: texts.map((text) => ({ ...inbound, recipient: { id }, message: { mid: `m_${text}`, text } })),
    });
    const payload = JSON.stringify({ object: "page", entry: [entry("1", "a", "b"), entry("2", "c")] });
    const { messages } = readPagesWebhook(pageChannel)(payload);
    expect(messages.map(({ sender, body }) => [sender, body])).to.deep.equal([
      ["1", "a"],
      ["1", "b"],
      ["2", "c"],
    ]);
  });

  it("ignores other objects, events for other apps, and messages without a customer or an id", () => {
    const message = { mid: "m_1", text: "Hola" };
    const whole = { object: "page", entry: [{ id: pageId, messaging: [{ ...inbound, message }] }] };
    expect(readPagesWebhook(pageChannel)(JSON.stringify(whole)).messages).to.have.length(1);
    expect(readPagesWebhook(photoChannel)(JSON.stringify(whole))).to.deep.equal(noNews);
    const standby = { object: "page", entry: [{ id: pageId, standby: [{ ...inbound, message }] }] };
    expect(readPagesWebhook(pageChannel)(JSON.stringify(standby))).to.deep.equal(noNews);
    for (const odd of [
      { ...inbound, sender: {}, message },
      { ...inbound, sender: { id: 24 }, message },
      { ...inbound, sender: { id: "x".repeat(129) }, message },
      { ...inbound, message: { text: "without an id" } },
      { ...inbound, message: { mid: "x".repeat(600), text: "Hola" } },
    ]) {
      expect(read("page", odd)).to.deep.equal(noNews);
    }
  });

  describe("for malformed webhooks", () => {
    const names = [
      ...["message", "postback", "reaction", "delivery", "read", "referral", "sender", "recipient", "timestamp"],
      ...["mid", "text", "attachments", "type", "payload", "url", "sticker_id", "coordinates", "is_echo", "is_deleted"],
      ...[
        "reply_to",
        "story",
        "quick_reply",
        "ad_id",
        "mids",
        "watermark",
        "emoji",
        "action",
        "constructor",
        "toString",
        "valueOf",
        "__proto__",
      ],
      ...["elements", "product", "title", "lat", "long", "id"],
    ];
    const words = ["image", "location", "fallback", "react", "ADS", cdn, "\0", "\ud83d", "m_1", reference, customer];
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        fc.constantFrom<unknown>(null, true, false, 0, -1, at, 1e308, ...words),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 6 }),
      ),
    }));
    const event = fc.record({
      sender: fc.oneof(fc.constant({ id: customer }), value),
      recipient: fc.oneof(fc.constant({ id: pageId }), value),
      timestamp: fc.oneof(value, fc.constant({ toString: 1, valueOf: 1 })),
      message: fc.oneof(
        value,
        fc.record({ mid: fc.constant("m_1"), text: value, attachments: value, reply_to: value }),
      ),
      postback: value,
      reaction: value,
      delivery: value,
      read: value,
      referral: value,
    });

    it("never fails, and returns only data that can be stored", () => {
      fc.assert(
        fc.property(
          fc.constantFrom("page" as const, "instagram" as const),
          fc.array(event, { maxLength: 3 }),
          (object, events) => {
            const news = read(object, ...events);
            const stored = JSON.stringify(news);
            expect(stored).not.to.include("\\u0000");
            expect(stored).not.to.match(/\\ud[89a-f]/i);
            for (const { occurredAt } of [...news.messages, ...news.echoes]) {
              expect(occurredAt.getTime()).to.be.within(0, Date.now());
            }
          },
        ),
        { numRuns: 500 },
      );
    });

    it("accepts any JSON", () => {
      fc.assert(
        fc.property(fc.json(), (payload) => {
          expect(readPagesWebhook(pageChannel)(payload)).to.be.an("object");
        }),
      );
      expect(() => readPagesWebhook(pageChannel)("no JSON")).to.throw(SyntaxError);
    });
  });
});
