import { expect } from "chai";
import { sandboxAccountsOf } from "../../src/fixtures/businesses/platforms.ts";
import { Secrets } from "../../src/infra/crypto/secrets.ts";
import { type ChannelName, cloudChannel, providerBChannel, qrChannel } from "../../src/kernel/channels.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate, masterSecret, startWorld, type World } from "../support/world.ts";
import { addOrder, openShop } from "./shop.ts";

const base = "https://pay.example/checkout";
const link = "/catalogs/orders/payment/link";
const variants = {
  text: { path: link, extra: {} },
  template: { path: `${link}/template`, extra: { plantilla_id: 101, parameters: ["Ana"] } },
  sms: { path: `${link}/sms`, extra: {} },
} as const;
type Variant = keyof typeof variants;
const all = Object.keys(variants) as Variant[];

const internal = { status: 500, json: { message: "Internal server error" } };
const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const providerBPhone = "59120000055";
const firstPhone = 59_178_000_000;
const people = Array.from({ length: 1_000 }, (_, index) => String(firstPhone + index));

const flags = { timezone: "America/La_Paz", "payments-url": base };
const templates = [
  aTemplate(101),
  aTemplate(102, { body: "Hola", structure: { components: [{ type: "BODY", text: "Hola {{1}}" }] } }),
  aTemplate(103, { body: "Paga {{1}}", provider: "ProviderB", providerBId: "HX103" }),
];
const shop = aBusiness(1, { flags, templates });
const neighbour = aBusiness(2, { flags });

interface StoredOrder {
  readonly transaction_id: string | null;
  readonly payment_expires_at: Date | null;
  readonly version: number;
  readonly status: number;
  readonly paid: boolean | null;
}

interface StoredMessage {
  readonly id: number;
  readonly kind: string;
  readonly body: string;
  readonly state: string;
  readonly author: string;
  readonly author_name: string;
  readonly template_id: number | null;
  readonly error_code: number | null;
}

describe(`POST ${link}, and its variants: send a payment link`, () => {
  let world: World;

  before(async () => {
    world = await startWorld({
      businesses: [shop, neighbour],
      environment: { ROLE: "api" },
      configure: (config) => ({
        ...config,
        channels: { ...config.channels, qr: config.messagingPlatform.url, "provider-b": config.messagingPlatform.url },
      }),
    });
    // Without webhooks, a message keeps the state that it has right after the send.
    await world.control("POST", "/webhooks", { paused: true });
    for (const account of sandboxAccountsOf([shop])) await world.control("POST", "/accounts", { ...account, people });
    await world.control("POST", "/qr-instances", { instance: "tienda", apiKey: "secret" });
    const registered = [{ contentId: "HX103", variables: 1 }];
    const account = { accountId: "AC1", token: "secret", phone: providerBPhone, templates: registered };
    await world.control("POST", "/provider-b", account);
    await addSender(qrChannel, "tienda");
    await addSender(providerBChannel, "AC1");
    for (const { id } of [shop, neighbour]) await openShop(world, id);
  });
  after(() => world.stop());
  afterEach(async () => {
    await world.control("DELETE", "/faults");
    await world.rows("update businesses set feature_flags = $1", [JSON.stringify(flags)]);
  });

  const addSender = (channel: ChannelName, id: string) =>
    world.rows(
      `insert into senders (business_id, provider, platform_id, account_id, phone, sealed_token)
       values (1, $1, $2, $2, $3, $4)`,
      [channel, id, providerBPhone, new Secrets(masterSecret).seal("secret", 1)],
    );

  let phones = firstPhone;
  interface Placed {
    readonly orderId: number;
    readonly chatId: number;
    readonly phone: string;
  }
  /** Adds an order of a new contact. The contact's service window is open unless `silent`. */
  async function anOrder(
    changes: Parameters<typeof addOrder>[2] & { provider?: ChannelName; silent?: boolean } = {},
  ): Promise<Placed> {
    const { provider = cloudChannel, silent = false, ...fields } = changes;
    const phone = silent ? "59179999999" : String(++phones);
    const [chat] = await world.rows<{ id: number }>(
      `with contact as (
         insert into contacts (business_id, name, phone, platform_id) values (1, 'Carla', $1, $1) returning id
       )
       insert into chats (business_id, contact_id, provider) select 1, id, $2 from contact returning id`,
      [phone, provider],
    );
    const chatId = chat?.id ?? 0;
    return { orderId: await addOrder(world, 1, { chat_id: chatId, ...fields }), chatId, phone };
  }

  const send = ({ orderId }: Pick<Placed, "orderId">, how: Variant = "text", changes: object = {}, businessId = 1) =>
    world.post(variants[how].path, { businessId: 1, orderId, ...variants[how].extra, ...changes }, businessId);

  const order = async ({ orderId }: Pick<Placed, "orderId">): Promise<StoredOrder> => {
    const [row] = await world.rows<StoredOrder>("select * from orders where id = $1", [orderId]);
    if (!row) throw new Error("no order");
    return row;
  };
  const messages = ({ chatId }: Placed) =>
    world.rows<StoredMessage>("select * from messages where chat_id = $1 order by id", [chatId]);
  const accepted = ({ phone }: Placed): Promise<Answer["json"][]> => world.control("GET", `/messages?to=${phone}`);
  const acceptedSms = ({ phone }: Placed): Promise<Answer["json"][]> => world.control("GET", `/sms?to=${phone}`);
  const statistics = async ({ orderId }: Pick<Placed, "orderId">) =>
    (await world.rows<{ name: string }>("select name from commerce_events where order_id = $1", [orderId])).map(
      ({ name }) => name,
    );
  const linkOf = async (placed: Placed, url = base) =>
    `${url}?tid=${(await order(placed)).transaction_id}&oid=${placed.orderId}`;
  const expectFailed = (answer: Answer) =>
    expect({ status: answer.status, json: answer.json }, answer.text).to.deep.equal(internal);
  const expectSent = (answer: Answer) => {
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.json).to.deep.equal({ message: "ok" });
  };
  const setUrl = (url: unknown) =>
    world.rows("update businesses set feature_flags = $1 where id = 1", [JSON.stringify({ "payments-url": url })]);
  for (const how of all) {
    it(`is refused by ${how} for an order whose contact was erased, and changes nothing`, async () => {
      const placed = await anOrder();
      const [{ contact_id: contactId } = { contact_id: 0 }] = await world.rows<{ contact_id: number }>(
        "select contact_id from chats where id = $1",
        [placed.chatId],
      );
      const erased = await request(`${world.api}/contacts/${contactId}`, {
        method: "DELETE",
        headers: { "x-api-key": world.appKey(1) },
      });
      expect(erased.status).to.equal(204);
      const before = await order(placed);
      expectFailed(await send(placed, how));
      expect(await order(placed)).to.deep.equal(before);
      expect(await messages(placed)).to.deep.equal([]);
      expect(await statistics(placed)).to.deep.equal([]);
    });
  }

  /** The texts that the customer got; of a template, only its last parameter. */
  const received = async (placed: Placed, how: Variant): Promise<string[]> => {
    if (how === "sms") return (await acceptedSms(placed)).map(({ text }) => text);
    return (await accepted(placed)).map(({ text, template }) => text ?? template.parameters?.at(-1) ?? "");
  };

  for (const how of all) {
    describe(`as ${how}`, () => {
      it("answers { message: 'ok' }, and the customer gets the link (§8.6)", async () => {
        const placed = await anOrder();
        expectSent(await send(placed, how));
        const got = JSON.stringify(how === "sms" ? await acceptedSms(placed) : await accepted(placed));
        expect(got).to.include(await linkOf(placed));
      });

      it("fails for a missing order or business or another business's, and changes nothing (§8.1)", async () => {
        const placed = await anOrder();
        const theirs = await addOrder(world, 2);
        expectFailed(await send({ orderId: theirs }, how));
        expectFailed(await send({ orderId: 999_999 }, how));
        expectFailed(await send(placed, how, { businessId: 2 }));
        expectFailed(await send(placed, how, { businessId: 999_999 }));
        expectFailed(await send(placed, how, {}, 2));
        for (const orderId of [placed.orderId, theirs]) {
          expect(await order({ orderId })).to.include({ transaction_id: null, payment_expires_at: null, version: 1 });
          expect(await statistics({ orderId })).to.deep.equal([]);
        }
        expect([...(await accepted(placed)), ...(await acceptedSms(placed))]).to.deep.equal([]);
      });

      it("fails without a payments-url that browsers can open, and changes nothing (§8.1)", async () => {
        const placed = await anOrder();
        for (const url of [undefined, null, "", "pay.example", "ftp://pay.example", "javascript:alert(1)", { a: 1 }]) {
          await setUrl(url);
          expectFailed(await send(placed, how));
        }
        expect(await order(placed)).to.include({ transaction_id: null, version: 1 });
        expect(await messages(placed)).to.deep.equal([]);
        expect([...(await accepted(placed)), ...(await acceptedSms(placed))]).to.deep.equal([]);
      });

      it("goes to the contact of the order's chat, and fails without a chat (§8.2)", async () => {
        const [one, other] = [await anOrder(), await anOrder()];
        expectSent(await send(one, how));
        expect(await messages(one)).to.have.length(1);
        expect(await messages(other)).to.deep.equal([]);
        const orderId = await addOrder(world, 1, { chat_id: null });
        expectFailed(await send({ orderId }, how));
        expect((await order({ orderId })).transaction_id).to.equal(null);
      });

      it("creates a UUID v4 once and keeps it (§8.3)", async () => {
        const placed = await anOrder();
        expectSent(await send(placed, how));
        const first = (await order(placed)).transaction_id;
        expect(first).to.match(uuid4);
        expectSent(await send(placed, how));
        expect((await order(placed)).transaction_id).to.equal(first);
        expect(await messages(placed)).to.have.length(2);
      });

      it("sets paidExpire to two hours from each request (§8.4)", async () => {
        const placed = await anOrder();
        expectSent(await send(placed, how));
        const left = () =>
          world.rows<{ minutes: number }>(
            "select extract(epoch from payment_expires_at - now())::float / 60 as minutes from orders where id = $1",
            [placed.orderId],
          );
        expect((await left())[0]?.minutes).to.be.within(119, 120);
        await world.rows("update orders set payment_expires_at = now() - interval '1 day' where id = $1", [
          placed.orderId,
        ]);
        expectSent(await send(placed, how));
        expect((await left())[0]?.minutes).to.be.within(119, 120);
      });

      it("is counted in the statistics for each request (§8.7)", async () => {
        const placed = await anOrder();
        expectSent(await send(placed, how));
        expectSent(await send(placed, how));
        expect(await statistics(placed)).to.deep.equal(["payment_link_sent", "payment_link_sent"]);
      });

      it("is sent for any status of the order, even if it is paid (§8.8)", async () => {
        for (const fields of [
          { status: 5, paid: false },
          { status: 4, paid: true },
        ]) {
          const placed = await anOrder(fields);
          expectSent(await send(placed, how));
          expect(await order(placed)).to.include(fields);
        }
      });

      it("is stored in the chat in the business's name, and announced in the inbox (§8.6)", async () => {
        const placed = await anOrder();
        const inbox = await world.listen(102);
        expectSent(await send(placed, how));
        const [message, ...others] = await messages(placed);
        expect(others).to.deep.equal([]);
        expect(message).to.include({ kind: how, state: "sent", author: "business", author_name: shop.name });
        expect(message?.body).to.include(await linkOf(placed));
        const { payload } = await inbox.hears(({ name }) => name === "message:new");
        expect(payload).to.include({ chat_id: placed.chatId });
        expect(payload.mensaje).to.include({ id: message?.id, tipo: how, texto: message?.body, estado: "sent" });
      });

      it("changes the order's version and history, and sends order:changed (§8.4)", async () => {
        const placed = await anOrder();
        const inbox = await world.listen(102);
        expectSent(await send(placed, how));
        const { version, transaction_id: transactionId } = await order(placed);
        expect(version).to.equal(2);
        const [change, ...others] = await world.rows<{ changes: Record<string, { from: unknown; to: unknown }> }>(
          "select version, action, actor, changes from order_changes where order_id = $1",
          [placed.orderId],
        );
        expect(others).to.deep.equal([]);
        expect(change).to.include({ version: 2, action: "payment_link_renewed", actor: "key" });
        expect(change?.changes.transactionId).to.deep.equal({ from: null, to: transactionId });
        const { payload } = await inbox.hears(({ name }) => name === "order:changed");
        expect(payload).to.include({ empresa_id: 1, version: 2 });
      });

      it("repeats the answer for an Idempotency-Key", async () => {
        const placed = await anOrder();
        const options = {
          method: "POST",
          headers: { "x-api-key": world.appKey(1), "idempotency-key": `key-${placed.orderId}` },
          body: { businessId: 1, orderId: placed.orderId, ...variants[how].extra },
        };
        const [first, again] = [
          await request(world.api + variants[how].path, options),
          await request(world.api + variants[how].path, options),
        ];
        expectSent(first);
        expectSent(again);
        expect(again.headers["idempotent-replay"]).to.equal("true");
        expect(await messages(placed)).to.have.length(1);
      });

      const wrong: [change: object, message: string][] = [
        [{ businessId: undefined }, "businessId es requerido"],
        [{ businessId: "1" }, "businessId debe ser un número"],
        [{ orderId: undefined }, "orderId es requerido"],
        [{ orderId: 1.5 }, "orderId debe ser un número"],
        [{ orderId: 0 }, "orderId no es válido"],
      ];
      for (const [change, message] of wrong) {
        it(`answers 400 for ${Object.entries(change)}`, async () => {
          const answer = await send({ orderId: 1 }, how, change);
          expect({ status: answer.status, json: answer.json }).to.deep.equal({ status: 400, json: { message } });
        });
      }

      it("answers 401 without the business's key", async () => {
        const answer = await request(world.api + variants[how].path, { method: "POST", body: {} });
        expect({ status: answer.status, json: answer.json }).to.deep.equal({
          status: 401,
          json: { message: "Invalid API key" },
        });
      });
    });
  }

  const operations = { text: "messages", template: "messages", sms: "sms" } as const;
  for (const how of all) {
    it(`answers 500 for a ${how} that the platform refuses, and stores it as failed (§8.9)`, async () => {
      const placed = await anOrder();
      await world.control("POST", "/faults", { code: 100, status: 400, path: operations[how] });
      expectFailed(await send(placed, how));
      const [message] = await messages(placed);
      expect(message).to.include({ state: "failed", error_code: 100 });
      expect(await statistics(placed)).to.deep.equal([]);
      expect((await order(placed)).transaction_id, "it is kept for the next request").to.match(uuid4);
    });

    it(`answers 500 for a ${how} with an unknown outcome, and never sends it again (§8.9)`, async () => {
      const placed = await anOrder();
      for (const fault of [
        { reset: true, accept: true },
        { status: 502, accept: true },
      ]) {
        await world.control("POST", "/faults", { ...fault, path: operations[how] });
        expectFailed(await send(placed, how));
      }
      expect((await messages(placed)).map(({ state }) => state)).to.deep.equal(["unknown", "unknown"]);
      expect(await received(placed, how)).to.have.length(2);
      expect(await statistics(placed), "§8.7").to.deep.equal(["payment_link_sent", "payment_link_sent"]);
    });
  }

  it("sends only the URL as a text, with tid and oid (§8.5)", async () => {
    const placed = await anOrder();
    expectSent(await send(placed));
    expect(await received(placed, "text")).to.deep.equal([await linkOf(placed)]);
  });

  const bases: [url: string, before: string, after: string][] = [
    ["https://pay.example", "https://pay.example/?", ""],
    ["http://pay.example/a/b/", "http://pay.example/a/b/?", ""],
    ["https://pay.example/p?shop=Mi%20tienda&x=a+b", "https://pay.example/p?shop=Mi%20tienda&x=a+b&", ""],
    ["https://pay.example/p?#/pay?x=1", "https://pay.example/p?", "#/pay?x=1"],
    ["https://pay.example/p?a=1&#top", "https://pay.example/p?a=1&", "#top"],
    ["https://pay.example/p?tid=old&oid=7&b=2", "https://pay.example/p?b=2&", ""],
  ];
  for (const [url, before, after] of bases) {
    it(`adds tid and oid to the query of ${url} (§8.5)`, async () => {
      const placed = await anOrder();
      await setUrl(url);
      expectSent(await send(placed));
      const added = `tid=${(await order(placed)).transaction_id}&oid=${placed.orderId}`;
      expect(await received(placed, "text")).to.deep.equal([before + added + after]);
    });
  }

  it("uses the same tid for fifty simultaneous links, and counts each as a change (§8.3)", async () => {
    const placed = await anOrder();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(placed)));
    answers.forEach(expectSent);
    const links = await received(placed, "text");
    expect(links).to.have.length(50);
    expect([...new Set(links)]).to.deep.equal([await linkOf(placed)]);
    expect((await order(placed)).version).to.equal(51);
  });

  it("uses the chat's own channel (§8.6)", async () => {
    for (const how of ["text", "template"] as const) {
      const placed = await anOrder({ provider: qrChannel });
      expectSent(await send(placed, how));
      const [message] = await accepted(placed);
      expect(message).to.include({ channel: qrChannel, type: "text" });
      const url = await linkOf(placed);
      expect(message.text).to.equal(how === "text" ? url : `Hola Ana, tu pedido ${url} está listo.`);
    }
  });

  it("does not change the state of the conversation", async () => {
    const placed = await anOrder();
    await world.rows("insert into conversations (business_id, chat_id, state) values (1, $1, 'pending')", [
      placed.chatId,
    ]);
    expectSent(await send(placed));
    const states = await world.rows("select state from conversations where chat_id = $1", [placed.chatId]);
    expect(states).to.deep.equal([{ state: "pending" }]);
  });

  it("answers 500 for a text outside the customer's service window (§8.9)", async () => {
    const placed = await anOrder({ silent: true });
    expectFailed(await send(placed));
    expect((await messages(placed))[0]).to.include({ state: "failed", error_code: 131047 });
    expectSent(await send(placed, "template"));
  });

  describe("by template", () => {
    it("fills the template with the parameters and then the link, and stores the filled text (§8.10)", async () => {
      const placed = await anOrder();
      expectSent(await send(placed, "template"));
      const url = await linkOf(placed);
      const [message] = await accepted(placed);
      expect(message.template).to.deep.include({ name: "template_101" });
      expect(JSON.stringify(message.template)).to.match(/Ana.*tid=/);
      const [kept] = await messages(placed);
      expect(kept).to.include({ template_id: 101, body: `Hola Ana, tu pedido ${url} está listo.` });
    });

    it("needs no parameters for a template with only the link (§8.10)", async () => {
      const placed = await anOrder();
      expectSent(await send(placed, "template", { plantilla_id: 103, parameters: undefined }));
      const [message] = await accepted(placed);
      expect(message).to.include({ channel: providerBChannel, to: placed.phone });
      expect(message.template).to.deep.equal({ contentId: "HX103", parameters: [await linkOf(placed)] });
    });

    it("lets the platform check the number of parameters (§8.11)", async () => {
      const placed = await anOrder();
      for (const parameters of [[], ["Ana", "Bea"]]) {
        expectFailed(await send(placed, "template", { parameters }));
      }
      expect((await messages(placed)).map(({ error_code: code }) => code)).to.deep.equal([132000, 132000]);
    });

    it("checks the number of parameters on a channel without templates, and then changes nothing (§8.11)", async () => {
      const placed = await anOrder({ provider: qrChannel });
      expectFailed(await send(placed, "template", { parameters: [] }));
      expect(await messages(placed)).to.deep.equal([]);
      expect((await order(placed)).transaction_id).to.equal(null);
    });

    it("fails for a missing template or another business's, and changes nothing (§8.10)", async () => {
      const placed = await anOrder();
      for (const id of [201, 999_999]) expectFailed(await send(placed, "template", { plantilla_id: id }));
      expect((await order(placed)).transaction_id).to.equal(null);
      expect(await messages(placed)).to.deep.equal([]);
    });

    const wrong: [change: object, message: string][] = [
      [{ plantilla_id: undefined }, "plantilla_id es requerido"],
      [{ plantilla_id: "101" }, "plantilla_id debe ser un número"],
      [{ parameters: "Ana" }, "parameters debe ser un arreglo de textos"],
      [{ parameters: [1] }, "parameters debe ser un arreglo de textos"],
    ];
    for (const [change, message] of wrong) {
      it(`answers 400 for ${Object.entries(change)}`, async () => {
        const answer = await send({ orderId: 1 }, "template", change);
        expect({ status: answer.status, json: answer.json }).to.deep.equal({ status: 400, json: { message } });
      });
    }
  });

  it("is sent by SMS to the contact's number, even from a chat of another channel (§8.12)", async () => {
    const placed = await anOrder({ provider: qrChannel });
    expectSent(await send(placed, "sms"));
    const [sms] = await acceptedSms(placed);
    const [message] = await world.rows<{ reference: string; platform_message_id: string }>(
      "select reference, platform_message_id from messages where chat_id = $1",
      [placed.chatId],
    );
    expect(sms).to.include({ to: placed.phone, text: await linkOf(placed), reference: message?.reference });
    expect(message?.platform_message_id).to.equal(sms.id);
    expect(await accepted(placed)).to.deep.equal([]);
  });

  describe("in an incomplete installation", () => {
    let bare: World;
    before(async () => {
      bare = await startWorld({ businesses: [shop], environment: { ROLE: "api", SMS_PROVIDER_URL: "" } });
      await openShop(bare, 1);
    });
    after(() => bare.stop());
    const ask = async (path: string, changes: Parameters<typeof addOrder>[2] = {}) => {
      const orderId = await addOrder(bare, 1, changes);
      return { orderId, answer: await bare.post(path, { businessId: 1, orderId }) };
    };

    it("fails by SMS without a provider, and changes nothing (§8.12)", async () => {
      const { orderId, answer } = await ask(variants.sms.path);
      expectFailed(answer);
      expect(await bare.rows("select transaction_id from orders where id = $1", [orderId])).to.deep.equal([
        { transaction_id: null },
      ]);
    });

    it("fails on a channel without a sender of the business, and changes nothing (§8.6)", async () => {
      const [chat] = await bare.rows<{ id: number }>(
        "insert into chats (business_id, contact_id, provider) values (1, 101, 'qr') returning id",
      );
      const { orderId, answer } = await ask(link, { chat_id: chat?.id ?? 0 });
      expectFailed(answer);
      expect(await bare.rows("select transaction_id from orders where id = $1", [orderId])).to.deep.equal([
        { transaction_id: null },
      ]);
    });

    it("is sent even if the statistics cannot be stored (§8.7)", async () => {
      await bare.control("POST", "/customers/59170000101/say", { to: "number-1", text: "Hola" });
      await eventually(async () => (await bare.rows("select from messages where body = 'Hola'")).length > 0);
      await bare.rows("drop table commerce_events cascade");
      const { answer } = await ask(link);
      expectSent(answer);
    });
  });
});
