import { expect } from "chai";
import { readCloudWebhook } from "../../src/channels/cloud/payload.ts";

const account = "102290129340398";
const business = "59122000000";
const customer = "59170000001";
const sender = "106540352242922";
const at = new Date(1_760_000_000_000);

const aboutAccount = (field: string, value: object) =>
  JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{ id: account, time: 1_760_000_000, changes: [{ field, value }] }],
  });
const aboutNumber = (value: object, field = "messages") =>
  aboutAccount(field, {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: business, phone_number_id: sender },
    ...value,
  });
const contacts = [{ profile: { name: "Ana" }, wa_id: customer, user_id: "BO.13491208655302741918" }];
const from = { from: customer, id: "wamid.in", timestamp: "1760000000" };
const own = { sender, from: customer, name: "Ana", platformMessageId: "wamid.in", occurredAt: at };
const context = { from: business, id: "wamid.asked" };
const media = { mime_type: "image/jpeg", sha256: "4654+8g=", id: "65463453" };

/** Messages in the platform's format, with the expected results. Fields that all messages have are omitted. */
const kinds: readonly (readonly [title: string, message: object, expected: object])[] = [
  ["a text", { type: "text", text: { body: "Hola" } }, { kind: "text", body: "Hola" }],
  [
    "an answer",
    { type: "text", text: { body: "Sí" }, context },
    { kind: "text", body: "Sí", replyTo: "wamid.asked", details: { context } },
  ],
  [
    "a forwarded text",
    { type: "text", text: { body: "Mira" }, context: { frequently_forwarded: true } },
    { kind: "text", body: "Mira", details: { context: { frequently_forwarded: true } } },
  ],
  [
    "a question about a product",
    { type: "text", text: { body: "¿Hay?" }, context: { ...context, referred_product: { catalog_id: "1" } } },
    {
      ...{ kind: "text", body: "¿Hay?", replyTo: "wamid.asked" },
      details: { context: { ...context, referred_product: { catalog_id: "1" } } },
    },
  ],
  [
    "an image with a caption",
    { type: "image", image: { ...media, caption: "Así" } },
    {
      ...{ kind: "image", body: "Así", details: { image: { ...media, caption: "Así" } } },
      file: { kind: "image", place: { at: "id", id: "65463453" } },
    },
  ],
  [
    "a document",
    { type: "document", document: { ...media, filename: "menú.pdf", mime_type: "application/pdf" } },
    {
      ...{ kind: "document", body: "menú.pdf" },
      details: { document: { ...media, filename: "menú.pdf", mime_type: "application/pdf" } },
      file: { kind: "document", name: "menú.pdf", place: { at: "id", id: "65463453" } },
    },
  ],
  [
    "a location",
    { type: "location", location: { latitude: -16.5, longitude: -68.1, name: "Oficina", address: "Av. Arce" } },
    {
      ...{ kind: "location", body: "Oficina" },
      details: { location: { latitude: -16.5, longitude: -68.1, name: "Oficina", address: "Av. Arce" } },
    },
  ],
  [
    "contacts",
    {
      type: "contacts",
      contacts: [{ name: { formatted_name: "Eva Luz" }, phones: [{ phone: "+591 7", type: "CELL" }] }],
    },
    {
      ...{ kind: "contacts", body: "Eva Luz" },
      details: { contacts: [{ name: { formatted_name: "Eva Luz" }, phones: [{ phone: "+591 7", type: "CELL" }] }] },
    },
  ],
  [
    "a button of a template",
    { type: "button", button: { payload: "si-1", text: "Sí, quiero" }, context },
    {
      ...{ kind: "button", body: "Sí, quiero", replyTo: "wamid.asked" },
      details: { button: { payload: "si-1", text: "Sí, quiero" }, context },
    },
  ],
  [
    "a reply button",
    { type: "interactive", interactive: { type: "button_reply", button_reply: { id: "b1", title: "Pagar" } } },
    {
      ...{ kind: "interactive", body: "Pagar" },
      details: { interactive: { type: "button_reply", button_reply: { id: "b1", title: "Pagar" } } },
    },
  ],
  [
    "a row of a list",
    {
      type: "interactive",
      interactive: { type: "list_reply", list_reply: { id: "r1", title: "Centro", description: "Av. Arce" } },
    },
    {
      ...{ kind: "interactive", body: "Centro" },
      details: {
        interactive: { type: "list_reply", list_reply: { id: "r1", title: "Centro", description: "Av. Arce" } },
      },
    },
  ],
  [
    "a form that was filled in",
    {
      type: "interactive",
      interactive: { type: "nfm_reply", nfm_reply: { name: "flow", body: "Sent", response_json: '{"rating":"4"}' } },
    },
    {
      ...{ kind: "interactive", body: "Sent" },
      details: {
        interactive: { type: "nfm_reply", nfm_reply: { name: "flow", body: "Sent", response_json: '{"rating":"4"}' } },
      },
    },
  ],
  [
    "a number that changed",
    { type: "system", system: { type: "user_changed_number", body: "Ana cambió de número", wa_id: "59170000009" } },
    {
      ...{ kind: "system", body: "Ana cambió de número" },
      details: { system: { type: "user_changed_number", body: "Ana cambió de número", wa_id: "59170000009" } },
    },
  ],
  [
    "what the platform does not support",
    { type: "unsupported", errors: [{ code: 131051, title: "Message type unknown" }] },
    { kind: "unsupported", body: "", details: { errors: [{ code: 131051, title: "Message type unknown" }] } },
  ],
  ["a kind that is named like a part of objects", { type: "constructor" }, { kind: "constructor", body: "" }],
  ["a kind that is named like a prototype", { type: "__proto__" }, { kind: "__proto__", body: "" }],
];

describe("webhooks of the cloud channel", () => {
  for (const [title, message, expected] of kinds) {
    it(`contain ${title}`, () => {
      const { messages, ...rest } = readCloudWebhook(aboutNumber({ contacts, messages: [{ ...from, ...message }] }));
      expect(messages).to.deep.equal([{ ...own, ...expected }]);
      for (const [news, list] of Object.entries(rest)) expect(list, news).to.deep.equal([]);
    });
  }

  it("include the reason if a message has no content", () => {
    const errors = [{ code: 131000, title: "Something went wrong" }];
    const told = readCloudWebhook(aboutNumber({ contacts, messages: [{ ...from, type: "interactive" }], errors }));
    expect(told.messages).to.deep.equal([{ ...own, kind: "interactive", body: "", details: { errors } }]);
  });

  it("contain the ad that the customer came from, but not a post", () => {
    const referral = { source_url: "https://a.test", source_id: "120", source_type: "ad", headline: "2x1" };
    const read = (source: object) =>
      readCloudWebhook(
        aboutNumber({ contacts, messages: [{ ...from, type: "text", text: { body: "Hola" }, referral: source }] }),
      ).messages;
    expect(read(referral)[0]?.referral).to.deep.equal({ adId: "120", details: referral });
    expect(read({ ...referral, source_type: "post" })[0]).to.not.have.property("referral");
  });

  describe("an order", () => {
    const item = (product_retailer_id: unknown, changes: object = {}) => ({
      product_retailer_id,
      ...{ quantity: 3, item_price: 30, currency: "ILS" },
      ...changes,
    });
    const ordered = (product_items: unknown) => {
      const order = { catalog_id: "354160437058781", text: "Sin sal", product_items };
      return readCloudWebhook(aboutNumber({ contacts, messages: [{ ...from, type: "order", order }] })).messages[0];
    };
    const line = (retailerId: string, changes: object = {}) => ({
      ...{ retailerId, quantity: 3, price: "30", currency: "ILS" },
      ...changes,
    });

    it("has its products, the prices that were shown, and the customer's text", () => {
      const items = [
        item("HAMBURGER"),
        item("SODA", { quantity: "2", item_price: 10.5 }),
        item("SODA", { item_price: "7.25" }),
      ];
      expect(ordered(items)).to.deep.equal({
        ...own,
        ...{ kind: "order", body: "Sin sal" },
        details: { order: { catalog_id: "354160437058781", text: "Sin sal", product_items: items } },
        order: {
          lines: [line("HAMBURGER"), line("SODA", { quantity: 2, price: "10.5" }), line("SODA", { price: "7.25" })],
        },
      });
    });

    it("drops amounts and quantities that it cannot represent exactly", () => {
      const prices = [1e21, -1, 0.1 + 0.2, "1,5", "NaN", null, {}, "12345678901234"];
      expect(ordered(prices.map((item_price) => item("A", { item_price })))?.order?.lines).to.deep.equal(
        prices.map(() => line("A", { price: null })),
      );
      const quantities = [0, -1, 1.5, 10_001, "x", null, [], 1e30];
      const read = ordered([...quantities.map((quantity) => item("A", { quantity })), item("B", { quantity: 10_000 })]);
      const shown = ["0", "-1", "1.5", "10001", "x", null, null, "1e+30"];
      expect(read?.order?.lines).to.deep.equal([
        ...shown.map((shownQuantity) => line("A", { quantity: null, shownQuantity })),
        line("B", { quantity: 10_000 }),
      ]);
      for (const currency of ["bob", "BOLIVIANOS", 7, null]) {
        expect(ordered([item("A", { currency })])?.order?.lines).to.deep.equal([line("A", { currency: null })]);
      }
    });

    it("has at most 100 lines, keeps unreadable ones without a quantity, and is ignored without lines", () => {
      const many = Array.from({ length: 300 }, (_, n) => item(`A-${n}`));
      expect(ordered(many)?.order?.lines.map(({ retailerId }) => retailerId)).to.deep.equal(
        many.slice(0, 100).map(({ product_retailer_id }) => product_retailer_id),
      );
      const odd = ordered([item(7), item(""), item("x".repeat(201)), null, "SODA"])?.order?.lines;
      expect(odd?.map(({ retailerId, quantity }) => [retailerId, quantity])).to.deep.equal(
        ["7", null, "x".repeat(200), null, null].map((retailerId) => [retailerId, null]),
      );
      for (const nothing of [[], {}, null, undefined, "SODA"]) expect(ordered(nothing)).to.not.have.property("order");
    });
  });

  it("contain an edit, which is not a message", () => {
    const edited = (message: object) => ({ type: "edit", edit: { original_message_id: "wamid.first", message } });
    const edit = { sender, customer, author: "customer", messageId: "wamid.first", occurredAt: at };
    const bodies: [object, string][] = [
      [{ type: "text", text: { body: "Dos" } }, "Dos"],
      [{ type: "image", image: { ...media, caption: "Listo" } }, "Listo"],
    ];
    for (const [message, body] of bodies) {
      const { edits, messages } = readCloudWebhook(
        aboutNumber({ contacts, messages: [{ ...from, ...edited(message) }] }),
      );
      expect([edits, messages]).to.deep.equal([[{ ...edit, body }], []]);
    }
    for (const nothing of [{ edit: { message: { type: "text" } } }, { edit: { original_message_id: "wamid.first" } }]) {
      const { edits } = readCloudWebhook(aboutNumber({ messages: [{ ...from, type: "edit", ...nothing }] }));
      expect(edits).to.deep.equal([]);
    }
  });

  describe("about a number that is in the business app, too", () => {
    const echoed = { from: business, to: customer, id: "wamid.echo", timestamp: "1760000000" };
    const echoes = (...messages: readonly object[]) =>
      readCloudWebhook(
        aboutNumber(
          { contacts, message_echoes: messages.map((each) => ({ ...echoed, ...each })) },
          "smb_message_echoes",
        ),
      );
    const read = { sender, to: customer, platformMessageId: "wamid.echo", occurredAt: at };

    it("contain an edit there, which is not a message", () => {
      const edited = { type: "text", text: { body: "Ya salió" } };
      const { edits, ...rest } = echoes({
        type: "edit",
        edit: { original_message_id: "wamid.first", message: edited },
      });
      expect(edits).to.deep.equal([
        ...[{ sender, customer, author: "business", messageId: "wamid.first", body: "Ya salió", occurredAt: at }],
      ]);
      for (const [news, list] of Object.entries(rest)) expect(list, news).to.deep.equal([]);
    });

    it("contain the messages written there, with their files", () => {
      const { echoes: told, ...rest } = echoes(
        { type: "text", text: { body: "Ya sale" }, context },
        { type: "image", image: { ...media, caption: "Listo" } },
        { type: "unsupported", errors: [{ code: 131060 }] },
      );
      expect(told).to.deep.equal([
        { ...read, kind: "text", body: "Ya sale", replyTo: "wamid.asked", details: { context } },
        {
          ...{ ...read, kind: "image", body: "Listo", details: { image: { ...media, caption: "Listo" } } },
          file: { kind: "image", place: { at: "id", id: "65463453" } },
        },
        { ...read, kind: "unsupported", body: "", details: { errors: [{ code: 131060 }] } },
      ]);
      for (const [news, list] of Object.entries(rest)) expect(list, news).to.deep.equal([]);
    });

    it("contain no reactions and withdrawals of the business, and no empty recipients", () => {
      const { echoes: told } = echoes(
        { type: "reaction", reaction: { message_id: "wamid.in", emoji: "👍" } },
        { type: "revoke", revoke: { original_message_id: "wamid.out" } },
        { type: "text", text: { body: "a" }, to: undefined },
        { type: "text", text: { body: "a" }, to: "BO.134912086" },
        { text: { body: "a" }, type: 7 },
      );
      expect(told).to.deep.equal([]);
    });

    it("contain nothing from before its connection", () => {
      const messages = [{ ...from, type: "text", text: { body: "de ayer" } }];
      const history = [{ metadata: { phase: 0 }, threads: [{ id: customer, messages }] }];
      const stateSync = [{ type: "contact", contact: { full_name: "Ana", phone_number: customer }, action: "add" }];
      for (const [field, value] of [
        ["history", { history, messages }],
        ["smb_app_state_sync", { state_sync: stateSync, messages }],
      ] as const) {
        for (const [news, list] of Object.entries(readCloudWebhook(aboutNumber(value, field)))) {
          expect(list, `${field}: ${news}`).to.deep.equal([]);
        }
      }
    });
  });

  it("contain a message that its customer withdrew", () => {
    const revoke = { original_message_id: "wamid.first" };
    const { withdrawals, messages } = readCloudWebhook(
      aboutNumber({
        contacts,
        messages: [
          { ...from, type: "revoke", revoke },
          { ...from, type: "revoke" },
        ],
      }),
    );
    expect(withdrawals).to.deep.equal([{ sender, from: customer, messageId: "wamid.first" }]);
    expect(messages).to.deep.equal([]);
  });

  describe("about an account", () => {
    const told = (value: object, field = "account_update") => readCloudWebhook(aboutAccount(field, value)).accounts;

    for (const [event, details] of [
      ["ACCOUNT_RESTRICTION", { restriction_info: [{ restriction_type: "RESTRICTED_ADD_PHONE_NUMBER_ACTION" }] }],
      ["ACCOUNT_VIOLATION", { violation_info: { violation_type: "ADULT" } }],
      ["DISABLED_UPDATE", { ban_info: { waba_ban_state: "SCHEDULE_FOR_DISABLE", waba_ban_date: "April 17, 2025" } }],
      ["ACCOUNT_DELETED", {}],
    ] as const) {
      it(`contain ${event}`, () => {
        expect(told({ event, ...details })).to.deep.equal([{ account, event, details, at }]);
      });
    }

    it("contain nothing without an event, and only the stored details", () => {
      for (const event of [undefined, 7, "", "a b", "X".repeat(65)]) expect(told({ event })).to.deep.equal([]);
      expect(told({ event: "ACCOUNT_DELETED" }, "account_review_update")).to.deep.equal([]);
      expect(told({ event: "ACCOUNT_VIOLATION", more: "x".repeat(8_000) })).to.deep.equal([
        { account, event: "ACCOUNT_VIOLATION", details: {}, at },
      ]);
    });
  });

  it("never fail for values of an unexpected type", () => {
    for (const odd of [null, 7, "x", [], [[]], {}, true]) {
      for (const message of [
        odd,
        { ...from, type: "order", order: odd },
        { ...from, type: "contacts", contacts: odd },
      ]) {
        readCloudWebhook(aboutNumber({ contacts: odd, messages: [message], message_echoes: [odd], statuses: [odd] }));
        readCloudWebhook(aboutNumber({ contacts: odd, message_echoes: [message] }, "smb_message_echoes"));
      }
      readCloudWebhook(JSON.stringify({ entry: odd }));
      readCloudWebhook(JSON.stringify({ entry: [{ changes: odd }] }));
      readCloudWebhook(
        JSON.stringify({ entry: [{ id: account, changes: [{ field: "account_update", value: odd }] }] }),
      );
    }
  });
});
