import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { getExpectedTwilioSignature, validateRequest } from "twilio/lib/webhooks/webhooks.js";
import { formIn, signaturesOf } from "../../src/channels/provider-b/form.ts";
import type { SenderFixture } from "../../src/fixtures/businesses/business.ts";
import { Secrets } from "../../src/infra/crypto/secrets.ts";
import { providerBChannel } from "../../src/kernel/channels.ts";
import { png } from "../messaging/media-files.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate, masterSecret, startWorld, type World } from "../support/world.ts";

const account = "AC0123456789abcdef0123456789abcdef";
const unknownAccount = "AC00000000000000000000000000000000";
const otherAccount = "ACffffffffffffffffffffffffffffffff";
const phone = "59120000009";
const customer = "59170000077";
const sender: SenderFixture = {
  channel: providerBChannel,
  platformId: account,
  accountId: account,
  phone,
  token: "auth token 1",
} as const;

const path = "/webhooks/provider-b";

type Fields = Readonly<Record<string, string | readonly string[]>>;

const written = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => [value].flat().map((each) => [name, each] as [string, string])),
  ).toString();

let count = 0;
const incoming = (changes: Fields = {}): Fields => {
  const sid = `SM${String(++count).padStart(32, "0")}`;
  return {
    SmsMessageSid: sid,
    NumMedia: "0",
    ProfileName: "Ana Ñandú",
    MessageType: "text",
    SmsSid: sid,
    WaId: customer,
    SmsStatus: "received",
    Body: "Hola & adiós + 😀",
    To: `whatsapp:+${phone}`,
    NumSegments: "1",
    MessageSid: sid,
    AccountSid: account,
    From: `whatsapp:+${customer}`,
    ApiVersion: "2010-04-01",
    ...changes,
  };
};

describe("a request to /webhooks/provider-b", () => {
  let world: World;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "recado-provider-b-"));
    const templates = [aTemplate(140, { provider: "ProviderB", providerBId: "HX140", listed: [] })];
    const businesses = [aBusiness(1, { otherSenders: [sender], templates }), aBusiness(2), aBusiness(3)];
    world = await startWorld({
      businesses,
      environment: { MEDIA_DIR: folder, MEDIA_BASE_URL: "https://media.test/media/" },
      configure: (config) => ({ ...config, metricsKey: "metrics key for tests" }),
    });
    const webhookUrl = `${world.api}${path}`;
    const own = { accountId: account, token: sender.token, phone, webhookUrl };
    await world.control("POST", "/provider-b", { ...own, templates: [{ contentId: "HX140", variables: 2 }] });
  });
  after(async () => {
    await world?.stop();
    await rm(folder, { recursive: true });
  });

  const post = (rawBody: string, headers: Record<string, string>, query = ""): Promise<Answer> =>
    request(`${world.api}${path}${query}`, {
      method: "POST",
      rawBody,
      headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8", ...headers },
    });
  /** Sends a webhook that the provider's own library has signed. */
  const tell = (fields: Fields, { token = sender.token, query = "", root = world.api } = {}): Promise<Answer> => {
    const signature = getExpectedTwilioSignature(token, `${root}${path}${query}`, fields);
    return post(written(fields), { "x-twilio-signature": signature }, query);
  };
  const stored = { status: 200, type: "text/xml", text: '<?xml version="1.0" encoding="UTF-8"?><Response/>' };
  const refused = (answer: Answer) => [answer.status, answer.json];
  const invalid = [401, { message: "Invalid signature" }];
  const allProcessed = () => eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
  // The next test may count or list waiting webhooks.
  afterEach(allProcessed);
  const messagesOf = (sid: unknown) =>
    world.rows<{ kind: string; body: string; business_id: number; phone: string; provider: string }>(
      `select message.kind, message.body, message.business_id, contact.phone, chat.provider
       from messages as message join chats as chat on chat.business_id = message.business_id and chat.id = message.chat_id
       join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
       where platform_message_id = $1`,
      [sid],
    );
  const ignored = async (): Promise<number> => {
    const headers = { authorization: "Bearer metrics key for tests" };
    const { text } = await request(`${world.api}/metrics`, { headers });
    return Number(/^webhooks_ignored_total\{channel="provider-b"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const say = (saying: object): Promise<{ id: string; delivered: boolean }> =>
    world.control("POST", `/customers/${customer}/say`, { channel: "provider-b", to: phone, ...saying });

  it("is stored if the provider's own library signed it, and answered with TwiML (ProviderBWebhook.1, 2)", async () => {
    const fields = incoming();
    expect(await tell(fields)).to.include(stored);
    await allProcessed();
    expect(await messagesOf(fields.MessageSid)).to.deep.equal([
      { kind: "text", body: "Hola & adiós + 😀", business_id: 1, phone: customer, provider: "provider-b" },
    ]);
  });

  it("is shown once, even if it is delivered several times", async () => {
    const fields = incoming({ Body: "once" });
    await Promise.all([tell(fields), tell(fields), tell(fields)]);
    await allProcessed();
    await tell(fields);
    await allProcessed();
    expect(await messagesOf(fields.MessageSid)).to.have.length(1);
  });

  it("is signed over the query of the registered URL", async () => {
    for (const query of ["?", "?a=1&b=%20'x", "?ref=1&ref=2", "?%E0%A4%A"]) {
      expect(await tell(incoming(), { query })).to.include(stored);
      expect(refused(await post(written(incoming()), { "x-twilio-signature": "x" }, query))).to.deep.equal(invalid);
    }
  });

  it("is refused and not stored without a signature by the account's token (ProviderBWebhook.1)", async () => {
    const fields = incoming({ Body: "forged" });
    const url = `${world.api}${path}`;
    const right = getExpectedTwilioSignature(sender.token, url, fields);
    const wrong = [
      "",
      "x",
      `${right}=`,
      right.slice(0, -1),
      right.toLowerCase(),
      getExpectedTwilioSignature("auth token 2", url, fields),
      getExpectedTwilioSignature("", url, fields),
      getExpectedTwilioSignature(sender.token, `${url}?x=1`, fields),
      getExpectedTwilioSignature(sender.token, url.replace("127.0.0.1", "localhost"), fields),
      getExpectedTwilioSignature(sender.token, url, { ...fields, Body: "forgeD" }),
      getExpectedTwilioSignature(sender.token, url, { ...fields, More: "" }),
    ];
    for (const signature of wrong) {
      expect(refused(await post(written(fields), { "x-twilio-signature": signature }))).to.deep.equal(invalid);
    }
    expect(refused(await post(written(fields), {}))).to.deep.equal(invalid);
    await allProcessed();
    expect(await messagesOf(fields.MessageSid)).to.deep.equal([]);
  });

  it("gets the same refusal for an unknown account", async () => {
    for (const AccountSid of [
      unknownAccount,
      "",
      "\0",
      "number-1",
      "constructor",
      "x".repeat(5_000),
      "AC%",
      "\ud800",
    ]) {
      for (const token of [sender.token, ""]) {
        expect(refused(await tell(incoming({ AccountSid }), { token }))).to.deep.equal(invalid);
      }
    }
    const { AccountSid, ...without } = incoming();
    expect(refused(await tell(without))).to.deep.equal(invalid);
  });

  it("does not accept another business's token", async () => {
    const seal = new Secrets(masterSecret).seal("auth token 2", 3);
    await world.rows(
      `insert into senders (business_id, provider, platform_id, account_id, phone, sealed_token)
       values (3, 'provider-b', $1, $1, '59120000002', $2)`,
      [otherAccount, seal],
    );
    expect(refused(await tell(incoming(), { token: "auth token 2" }))).to.deep.equal(invalid);
    const theirs = incoming({ AccountSid: otherAccount, To: "whatsapp:+59120000002" });
    expect(await tell(theirs, { token: "auth token 2" })).to.include(stored);
    await allProcessed();
    expect((await messagesOf(theirs.MessageSid)).map(({ business_id }) => business_id)).to.deep.equal([3]);
  });

  it("is checked with the account's new token within seconds of a change (ProviderBWebhook.1)", async () => {
    expect(await tell(incoming())).to.include(stored);
    const change = (token: string) =>
      world.rows("update senders set sealed_token = $1 where platform_id = $2", [
        new Secrets(masterSecret).seal(token, 1),
        account,
      ]);
    const holds = (token: string) => eventually(async () => (await tell(incoming(), { token })).status === 200);
    await change("auth token 3");
    await holds("auth token 3");
    expect(refused(await tell(incoming()))).to.deep.equal(invalid);
    await change(sender.token);
    await holds(sender.token);
  });

  it("is refused if it is larger than the provider's forms", async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`Field${n}`, "1"]));
    expect(refused(await tell(incoming(many)))).to.deep.equal(invalid);
    expect((await tell(incoming({ Body: "x".repeat(70_000) }))).status).to.equal(413);
    for (const body of ["", "&", "=", "{}", "a&".repeat(30_000), "%", "?x"]) {
      expect((await post(body, { "x-twilio-signature": `${"A".repeat(27)}=` })).status).to.equal(401);
    }
  });

  it("is dropped and counted if it is for another number or channel (ProviderBWebhook.3)", async () => {
    const before = await ignored();
    const others = [
      incoming({ To: "whatsapp:+59120000001" }),
      incoming({ To: `+${phone}`, From: `+${customer}` }),
      incoming({ To: `messenger:+${phone}` }),
      incoming({ To: ["whatsapp:+59120000001", `whatsapp:+${phone}`] }),
      incoming({ SmsStatus: "scheduled" }),
      incoming({ MessageStatus: "delivered", From: "whatsapp:+59120000001", To: `whatsapp:+${customer}` }),
      incoming({ MessageStatus: "failed", From: `+${phone}`, To: `+${customer}` }),
    ];
    for (const fields of others) expect(await tell(fields)).to.include(stored);
    expect(await world.rows("select from incoming_webhooks")).to.deep.equal([]);
    expect(await ignored()).to.equal(before + others.length);
    for (const { MessageSid } of others) expect(await messagesOf(MessageSid)).to.deep.equal([]);
  });

  it("has its text cleaned for storage in a hostile form", async () => {
    const fields = incoming({ Body: "a\0b", ProfileName: "\0", constructor: "x", ["__proto__"]: "y", toString: "z" });
    expect(await tell(fields)).to.include(stored);
    await allProcessed();
    expect((await messagesOf(fields.MessageSid)).map(({ body }) => body)).to.deep.equal(["ab"]);
  });

  it("is deleted when its customer is erased", async () => {
    const [contact] = await world.rows<{ id: number }>(
      `insert into contacts (business_id, name, phone, platform_id) values (1, 'Eva', $1, $1) returning id`,
      ["59175000001"],
    );
    const keepOf = (fields: Fields) =>
      world.rows(
        `insert into incoming_webhooks (payload, provider, platform_id, owner_business_id, owner_sender_id, gave_up_at)
         select $1, provider, platform_id, business_id, id, now() from senders where platform_id = $2`,
        [JSON.stringify({ at: Date.now(), reference: "", fields }), fields.AccountSid],
      );
    const hers = { From: "whatsapp:+59175000001", WaId: "59175000001" };
    await keepOf(incoming(hers));
    await keepOf({ ...incoming(), MessageStatus: "failed", To: hers.From, From: `whatsapp:+${phone}`, WaId: "" });
    await keepOf(incoming({ Body: "the other one: 59175000001" }));
    const erased = await request(`${world.api}/contacts/${contact?.id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${await world.sessionToken(101)}` },
    });
    expect(erased.status, erased.text).to.equal(204);
    const left = await world.rows<{ payload: string }>("select payload from incoming_webhooks");
    expect(left.map(({ payload }) => JSON.parse(payload).fields.Body)).to.deep.equal(["the other one: 59175000001"]);
    await world.rows("delete from incoming_webhooks");
  });

  describe("from the sandbox", () => {
    const chatOfCustomer = async (): Promise<number> => {
      const [chat] = await world.rows<{ id: number }>(
        `select chat.id from chats as chat join contacts as contact
           on contact.business_id = chat.business_id and contact.id = chat.contact_id
         where chat.business_id = 1 and chat.provider = 'provider-b' and contact.phone = $1`,
        [customer],
      );
      if (!chat) throw new Error("no chat");
      return chat.id;
    };
    const latest = async (): Promise<Answer["json"]> => {
      await allProcessed();
      return (await world.get(`/chats/${await chatOfCustomer()}/messages?limit=1`)).json.data[0];
    };
    const write = (texto: string) => world.post(`/chats/${chatId}/messages`, { texto });
    let chatId = 0;
    before(async () => {
      await say({ text: "Hola" });
      await allProcessed();
      chatId = await chatOfCustomer();
    });
    afterEach(async () => {
      await world.control("DELETE", "/faults");
      await world.control("POST", "/webhooks", { paused: false });
    });

    const interactive = { type: "list_reply", list_reply: { id: "blue", title: "Azul" } };
    const kinds: [saying: object, shown: object, details: object | null][] = [
      [{ text: "Hola 😀" }, { tipo: "text", texto: "Hola 😀" }, null],
      [
        { location: { lat: -16.4897, lng: -68.1193, label: "Plaza" } },
        { tipo: "location", texto: "Plaza" },
        { location: { latitude: -16.4897, longitude: -68.1193, name: "Plaza" } },
      ],
      [{ list: { id: "blue", title: "Azul" } }, { tipo: "interactive", texto: "Azul" }, { interactive }],
      [
        { button: { text: "Sí", payload: "yes" } },
        { tipo: "interactive", texto: "Sí" },
        { interactive: { type: "button_reply", button_reply: { id: "yes", title: "Sí" } } },
      ],
    ];
    for (const [saying, shown, details] of kinds) {
      it(`shows ${JSON.stringify(shown)}`, async () => {
        expect((await say(saying)).delivered).to.equal(true);
        const message = await latest();
        expect(message).to.include(shown);
        expect(message.detalles).to.deep.equal(details);
      });
    }

    it("shows a file with its text at once, and fetches its content afterwards", async () => {
      const media = { type: "image", mime: "image/png", base64: png(700).toString("base64") };
      expect((await say({ text: "Mira", media })).delivered).to.equal(true);
      const shown = await latest();
      expect(shown).to.include({ tipo: "image", texto: "Mira" });
      const message = () => world.get(`/chats/${chatId}/messages?limit=1`);
      const { adjunto } = await eventually(async () => {
        const [found] = (await message()).json.data;
        return found.adjunto ? found : undefined;
      });
      expect(adjunto).to.include({ tipo: "image", bytes: png(700).length });
      const { pathname } = new URL(adjunto.url);
      expect(await request(world.api + pathname)).to.include({ status: 200, type: "image/png" });
    });

    it("shows which message is quoted", async () => {
      const said = await say({ text: "Primero" });
      const first = await latest();
      expect(first.platform_message_id).to.equal(said.id);
      await say({ text: "Segundo", reply_to: said.id });
      expect(await latest()).to.include({ texto: "Segundo", responde_a: first.id });
    });

    it("reports the states of an answer, up to read", async () => {
      const sent = await write("Ya sale");
      // The platform's status webhooks may be processed before the request is answered.
      expect(sent.json.estado).to.be.oneOf(["sent", "delivered", "read"]);
      const message = async () => (await world.rows("select state from messages where id = $1", [sent.json.id]))[0];
      await eventually(async () => ((await message()) as { state: string }).state === "read");
    });

    it("settles a message whose answer was lost, by the reference in the URL (ProviderBWebhook.5)", async () => {
      await world.control("POST", "/webhooks", { paused: true });
      await world.control("POST", "/faults", { reset: true, accept: true, path: "provider_b_messages" });
      const sent = await write("Ya sale otra vez");
      expect(sent.json).to.include({ estado: "unknown", platform_message_id: null });
      await world.control("POST", "/webhooks", { paused: false });
      const settled = () => world.rows("select from messages where id = $1 and state = 'read'", [sent.json.id]);
      await eventually(async () => (await settled()).length === 1);
      const [theirs] = (await world.control("GET", `/messages?to=${customer}`)).slice(-1);
      expect(await latest()).to.include({ id: sent.json.id, platform_message_id: theirs.id });
    });

    it("reports the states of a campaign's messages, even if an answer was lost", async () => {
      await world.control("POST", "/faults", { reset: true, accept: true, path: "provider_b_messages" });
      const numbers = ["59176000001", "59176000002", "59176000003"];
      const contacts = await world.rows<{ id: number }>(
        `insert into contacts (business_id, name, phone, platform_id)
         select 1, 'Eva', number, number from unnest($1::text[]) as number returning id`,
        [numbers],
      );
      const registered = await world.post("/chats/enviar/masivo/plantilla", {
        ...{ empresa_id: 1, plantilla_id: 140, user_id: 101, nombre: "Pedidos", step: 101, tags: [] },
        contacts_id: contacts.map(({ id }) => id),
        contacts: numbers.map((numero) => ({ nombre: "Eva", numero, pedido: 7 })),
        paramMapping: { 1: "nombre", 2: "pedido" },
      });
      expect(registered.status, registered.text).to.equal(200);
      const read = "select from campaign_recipients where business_id = 1 and state = 'read'";
      await eventually(async () => (await world.rows(read)).length === numbers.length);
      for (const to of numbers) expect(await world.control("GET", `/messages?to=${to}`)).to.have.length(1);
    });

    it("reports why a message failed, and that the customer opted out", async () => {
      await world.control("POST", "/webhooks", { paused: true });
      const failed = await write("No llega");
      const status = { AccountSid: account, MessageSid: failed.json.platform_message_id };
      const told = { MessageStatus: "undelivered", ErrorCode: "63033", ErrorMessage: "opted out" };
      expect(await tell({ ...status, ...told })).to.include(stored);
      await allProcessed();
      const found = await world.rows("select state, error_code from messages where id = $1", [failed.json.id]);
      expect(found).to.deep.equal([{ state: "failed", error_code: 63033 }]);
      const contacts = await world.rows(
        "select opted_out_at is not null as out from contacts where business_id = 1 and phone = $1",
        [customer],
      );
      expect(contacts).to.deep.equal([{ out: true }]);
    });
  });
});

describe("a request to /webhooks/provider-b behind a proxy", () => {
  it("is verified with the URL that the provider called", async () => {
    const root = "https://recado.example.org/api";
    const world = await startWorld({
      businesses: [aBusiness(1, { otherSenders: [sender] })],
      environment: { PUBLIC_URL: `${root}/` },
      configure: (config) => ({ ...config, http: { ...config.http, failedAttemptsPerMinute: 3 } }),
    });
    try {
      const tell = (at: string) => {
        const fields = incoming();
        const signature = getExpectedTwilioSignature(sender.token, `${at}${path}?ref=1`, fields);
        const headers = { "x-twilio-signature": signature };
        return request(`${world.api}${path}?ref=1`, { method: "POST", rawBody: written(fields), headers });
      };
      for (const at of [root, root.replace("org", "org:443")]) expect((await tell(at)).status).to.equal(200);
      const guesses = [
        world.api,
        root.replace("https", "http"),
        "https://recado.example.org",
        root.replace("org", "net"),
      ];
      const statuses: number[] = [];
      for (const at of guesses) statuses.push((await tell(at)).status);
      expect(statuses).to.deep.equal([401, 401, 401, 429]);
      expect((await tell(root)).status).to.equal(200);
    } finally {
      await world.stop();
    }
  });
});

describe("the signature of ProviderB", () => {
  const tokens = fc.string({ minLength: 1, maxLength: 40 });
  const values = fc.string({ unit: "grapheme", maxLength: 20 });
  const names = fc.oneof(values, fc.constantFrom("Body", "a", "A", "constructor", "toString", "10", "9"));
  const forms = fc.array(fc.tuple(names, fc.array(values, { minLength: 1, maxLength: 3 })), { maxLength: 12 });
  const urls = fc.constantFrom(
    ...["https://recado.test/webhooks/provider-b", "http://127.0.0.1:3000/webhooks/provider-b?ref=1"],
    ...[
      "https://recado.test:8443/x?a=b:1",
      "http://[::1]:80/x",
      "https://[::1]/x",
      "HTTPS://Recado.test/x?y=http://z:1/",
    ],
  );

  it("equals that of the provider's library for any fields, also repeated ones", () => {
    fc.assert(
      fc.property(tokens, urls, forms, (token, url, pairs) => {
        const fields = Object.fromEntries(
          pairs.map(([name, given]) => [name, given.length > 1 ? given : (given[0] ?? "")]),
        );
        const form = formIn(Buffer.from(written(fields)));
        if (form === null) throw new Error("too many fields");
        const ours = signaturesOf(token, url, form);
        for (const signature of ours) expect(validateRequest(token, signature, url, fields)).to.equal(true);
        const [noPort, port] = ours;
        expect([noPort, port]).to.include(getExpectedTwilioSignature(token, url, fields));
      }),
      { numRuns: 300 },
    );
  });
});
