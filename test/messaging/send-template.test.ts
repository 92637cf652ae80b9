import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import pg from "pg";
import { selfSigned } from "../../src/fixtures/https/certificate.ts";
import type { Answer } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aNamedTemplate, aTemplate, startWorld, type World } from "../support/world.ts";

const path = "/chats/enviar/plantilla/business";
const rejected = "Error al enviar la plantilla";

const simple = (id: number, changes: Parameters<typeof aTemplate>[1] = {}) =>
  aTemplate(id, { body: "Hola", ...changes });
const withMedia = (id: number, headerType: string, fileName: string | null) =>
  simple(id, { headerType, fileName, structure: { language: "es", components: mediaParts(headerType) } });
const mediaParts = (format: string) => [
  { type: "HEADER", format },
  { type: "BODY", text: "Hola" },
];
const marketing = (id: number) => {
  const template = simple(id);
  return { ...template, listed: template.listed.map((each) => ({ ...each, category: "MARKETING" })) };
};
const spoken = (id: number, ...languages: string[]) => {
  const template = simple(id, { structure: null });
  return {
    ...template,
    listed: template.listed.flatMap((each) => languages.map((language) => ({ ...each, language }))),
  };
};

const shop = aBusiness(1, {
  templates: [
    aTemplate(101),
    simple(102),
    withMedia(103, "IMAGE", "https://files.test/guardada.jpg"),
    simple(104, { visible: false, allowedAgents: "999" }),
    simple(105, { deleted: true }),
    marketing(106),
    simple(107, { status: "PENDING" }),
    simple(108, { listed: [] }),
    withMedia(109, "DOCUMENT", "catálogo 1.pdf"),
    spoken(110, "pt", "en"),
    spoken(111, "en", "es"),
    withMedia(112, "VIDEO", null),
    aNamedTemplate(113),
  ],
});

interface StoredMessage {
  readonly id: number;
  readonly chat_id: number;
  readonly conversation_id: number;
  readonly state: string;
  readonly reference: string;
  readonly body: string;
  readonly platform_message_id: string | null;
  readonly error_code: number | null;
  readonly error_reason: string | null;
  readonly media_url: string | null;
}

describe("POST /chats/enviar/plantilla/business: send a template", () => {
  let world: World;
  let files: Server;
  let fileHost: string;
  const heads: { method: string | undefined; url: string | undefined }[] = [];

  before(async () => {
    files = createServer(await selfSigned(), (request, response) => {
      heads.push({ method: request.method, url: request.url });
      if (request.url === "/hangup") return void request.socket.destroy();
      const status = Number(request.url?.slice(1, 4));
      response.writeHead(status, status === 302 ? { location: "/200/there" } : {}).end();
    });
    await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
    fileHost = `https://127.0.0.1:${(files.address() as AddressInfo).port}`;
    world = await startWorld({
      businesses: [shop, ...[2, 3, 4].map((id) => aBusiness(id, { templates: [simple(id * 100 + 1)] }))],
      environment: { ALLOW_PRIVATE_MEDIA_URLS: "true", MEDIA_BASE_URL: "https://media.test/files/" },
    });
  });
  after(async () => {
    files.closeAllConnections();
    files.close();
    await world.stop();
  });
  afterEach(async () => {
    await world.control("DELETE", "/faults");
    await world.control("POST", "/webhooks", { paused: false });
  });

  let phones = 59_178_000_000;
  const newPhone = (): string => String(++phones);
  const send = (changes: object = {}, businessId = 1): Promise<Answer> =>
    world.post(
      path,
      { empresa_id: businessId, phone_number: newPhone(), plantilla_id: businessId * 100 + 2, ...changes },
      businessId,
    );
  const accepted = (phone: string): Promise<Answer["json"][]> => world.control("GET", `/messages?to=${phone}`);
  const requests = async (): Promise<number> => (await world.control("GET", "/messages/count")).requests;
  const messagesTo = (phone: string): Promise<StoredMessage[]> =>
    world.rows<StoredMessage>(
      `select message.* from messages as message
       join chats as chat on chat.business_id = message.business_id and chat.id = message.chat_id
       join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
       where message.business_id = 1 and (contact.phone = $1 or contact.platform_id = $1) and direction = 'out'
       order by message.id`,
      [phone],
    );
  const theMessage = async (phone: string): Promise<StoredMessage> => {
    const [message, ...others] = await messagesTo(phone);
    if (!message || others.length > 0) throw new Error(`not one message to ${phone}`);
    return message;
  };
  const expectAnswer = (answer: Answer, status: number, body: object): void => {
    expect({ status: answer.status, type: answer.type, body: answer.json }).to.deep.equal({
      status,
      type: "application/json",
      body,
    });
  };
  const expectError = (answer: Answer, status: number, error: string): void =>
    expectAnswer(answer, status, { success: false, error });

  describe("checks every field first (§2.1)", () => {
    const id = "empresa_id es requerido y debe ser un número";
    const template = "plantilla_id es requerido y debe ser un número";
    const phone = "phone_number es requerido";
    const wrong: [changes: object, error: string][] = [
      ...[
        undefined,
        null,
        "",
        "1e3",
        "1.0",
        " 1",
        "-1",
        1.5,
        0,
        -1,
        true,
        [1],
        {},
        2 ** 53,
        "9007199254740992",
      ].flatMap((value): [object, string][] => [
        [{ empresa_id: value }, id],
        [{ plantilla_id: value }, template],
      ]),
      ...[undefined, null, "", "   ", "+-()", "abc", 59170000001, ["1"]].map((value): [object, string] => [
        { phone_number: value },
        phone,
      ]),
      [{ phone_number: "5".repeat(65) }, rejected],
      ...["x", {}, null, 1, [1], [null], ["a", {}]].map((value): [object, string] => [
        { parameters: value },
        "parameters debe ser un arreglo",
      ]),
      [{ parameters: Array(101).fill("a") }, "parameters no puede tener más de 100 elementos"],
      [{ parameters: ["a", "a".repeat(4_097)] }, "parameters[1] no puede tener más de 4096 caracteres"],
      ...[1, null, {}, ["Ana"]].map((value): [object, string] => [{ name: value }, "name debe ser un texto"]),
      [{ name: "A".repeat(201) }, "name no puede tener más de 200 caracteres"],
      ...[1, null, {}, ["https://a.test"]].map((value): [object, string] => [
        { media_url: value },
        "media_url debe ser un texto",
      ]),
      ...["", "http://a.test/x.jpg", "ftp://a.test", " https://a.test", "//a.test"].map((value): [object, string] => [
        { media_url: value },
        "media_url debe ser una URL https",
      ]),
      [{ name: "a\0b" }, "name no es válido"],
    ];
    for (const [changes, error] of wrong) {
      const shown = JSON.stringify(changes, (_, value) => (value === undefined ? "(missing)" : value));
      it(`and answers ${shown.slice(0, 60)} with '${error}'`, async () => expectError(await send(changes), 400, error));
    }

    it("one after the other in the order of the table, before business and template", async () => {
      const everything = { empresa_id: "x", phone_number: 1, plantilla_id: 0, parameters: 1, name: 1, media_url: 1 };
      const repaired = [
        [{}, id],
        [{ empresa_id: 999_999 }, phone],
        [{ phone_number: "591" }, template],
        [{ plantilla_id: 999_999 }, "parameters debe ser un arreglo"],
        [{ parameters: [] }, "name debe ser un texto"],
        [{ name: "Ana" }, "media_url debe ser un texto"],
        [{ media_url: "http://a.test" }, "media_url debe ser una URL https"],
        [{ media_url: `${fileHost}/404` }, null],
      ] as const;
      let body: object = everything;
      for (const [repair, error] of repaired) {
        body = { ...body, ...repair };
        if (error) expectError(await world.post(path, body), 400, error);
        else expectError(await world.post(path, body), 404, "Empresa no encontrada");
      }
    });

    it("and stores and sends nothing if one is wrong", async () => {
      const phone = newPhone();
      await send({ phone_number: phone, name: 1 });
      expect(await world.rows("select from contacts where phone = $1", [phone])).to.deep.equal([]);
      expect(await accepted(phone)).to.deep.equal([]);
    });

    it("and accepts digits in a string for the ids, and ignores unknown fields", async () => {
      const phone = newPhone();
      const answer = await send({ empresa_id: "1", plantilla_id: "102", phone_number: phone, id: 5, business_id: 2 });
      expectAnswer(answer, 200, { success: true });
      expect(await accepted(phone)).to.have.length(1);
    });
  });

  describe("demands that business and template exist and belong together (§2.1)", () => {
    it("and answers the same for another business as for a missing one", async () => {
      for (const empresa_id of [2, "2", 999_999]) {
        expectError(await send({ empresa_id }), 404, "Empresa no encontrada");
      }
    });

    it("and answers the same for a deleted template or another business's as for a missing one", async () => {
      for (const plantilla_id of [105, 201, 999_999]) {
        expectError(await send({ plantilla_id }), 404, "Plantilla no encontrada");
      }
    });

    it("and also sends a hidden template, and one that is restricted to some agents", async () => {
      expectAnswer(await send({ plantilla_id: 104 }), 200, { success: true });
    });
  });

  describe("stores the message", () => {
    it("with its placeholders replaced, in the business's name, with its template (§2.4)", async () => {
      const phone = newPhone();
      await world.control("POST", "/webhooks", { paused: true });
      const parameters = ["Ana {{2}}", "№ 7 $& ñ"];
      expectAnswer(await send({ plantilla_id: 101, phone_number: phone, parameters }), 200, { success: true });
      const [sent] = await accepted(phone);
      expect(sent.template).to.deep.include({ name: "template_101", language: "es", parameters });
      expect(await theMessage(phone)).to.deep.include({
        direction: "out",
        kind: "template",
        body: "Hola Ana {{2}}, tu pedido № 7 $& ñ está listo.",
        author: "business",
        author_name: "Negocio 1",
        template_id: 101,
        state: "sent",
        reference: sent.reference,
        platform_message_id: sent.id,
        media_url: null,
        attempt: 1,
        lease_until: null,
        error_code: null,
        error_reason: null,
      });
    });

    it("and follows its delivery statuses", async () => {
      const phone = newPhone();
      await send({ phone_number: phone });
      await eventually(async () => (await theMessage(phone)).state === "read");
    });

    it("with a missing contact and chat, on the cloud API and with the bot (§2.2, §2.3)", async () => {
      const phone = newPhone();
      const written = `+${phone.slice(0, 3)} (${phone.slice(3, 6)})-${phone.slice(6)}`;
      await send({ phone_number: written, name: "Ana Pérez" });
      const made = await world.rows(
        `select contact.name, contact.phone, contact.platform_id, chat.provider, chat.bot_available,
                conversation.state, conversation.closed_at
         from contacts as contact
         join chats as chat on chat.business_id = contact.business_id and chat.contact_id = contact.id
         join conversations as conversation
           on conversation.business_id = chat.business_id and conversation.chat_id = chat.id
         where contact.business_id = 1 and phone = $1`,
        [phone],
      );
      expect(made).to.deep.equal([
        {
          name: "Ana Pérez",
          phone,
          platform_id: phone,
          provider: "platform-apicloud",
          bot_available: true,
          state: "bot",
          closed_at: null,
        },
      ]);
    });

    it("in an existing contact's chat and open conversation in any state (§2.2, §2.3)", async () => {
      const before = await world.rows("select id, name, phone from contacts where business_id = 1 and id = 101");
      await world.rows("update conversations set state = 'in_progress' where business_id = 1 and id = 101");
      await send({ phone_number: "5917000-0101", name: "Otro nombre" });
      expect(await theMessage("59170000101")).to.include({ chat_id: 101, conversation_id: 101 });
      expect(await world.rows("select id, name, phone from contacts where business_id = 1 and id = 101")).to.deep.equal(
        before,
      );
      const [conversation] = await world.rows<{ state: string }>("select state from conversations where id = 101");
      expect(conversation?.state).to.equal("in_progress");
    });

    it("in a new conversation of the same chat if the last one is closed (§2.3)", async () => {
      const phone = newPhone();
      await send({ phone_number: phone });
      const first = await theMessage(phone);
      await world.rows("update conversations set closed_at = now() where business_id = 1 and id = $1", [
        first.conversation_id,
      ]);
      await send({ phone_number: phone });
      const [, second] = await messagesTo(phone);
      expect(second?.chat_id).to.equal(first.chat_id);
      expect(second?.conversation_id).not.to.equal(first.conversation_id);
    });

    it("for the contact with that number at the platform (§2.2)", async () => {
      const [phone, platformId] = [newPhone(), newPhone()];
      await world.rows("insert into contacts (business_id, name, phone, platform_id) values (1, 'Ana', $1, $2)", [
        phone,
        platformId,
      ]);
      await send({ phone_number: platformId });
      expect(await messagesTo(phone)).to.have.length(1);
      expect(await world.rows("select from contacts where phone = $1", [platformId])).to.deep.equal([]);
      expect(await accepted(platformId)).to.have.length(1);
    });

    it("apart from the same number of another business (§2.2)", async () => {
      const phone = newPhone();
      await send({ phone_number: phone, name: "Ana" });
      await send({ phone_number: phone, plantilla_id: 201, name: "Bea" }, 2);
      const contacts = await world.rows("select business_id, name from contacts where phone = $1 order by 1", [phone]);
      expect(contacts).to.deep.equal([
        { business_id: 1, name: "Ana" },
        { business_id: 2, name: "Bea" },
      ]);
    });

    for (const name of [undefined, ""]) {
      it(`for a contact whose name is the number if the name is ${name === "" ? "empty" : "missing"} (§2.5)`, async () => {
        const phone = newPhone();
        await send({ phone_number: `+${phone}`, ...(name !== undefined && { name }) });
        expect(await world.rows("select name from contacts where phone = $1", [phone])).to.deep.equal([
          { name: phone },
        ]);
      });
    }
  });

  it("creates one contact, one chat and one conversation for 50 simultaneous sends to a new number, and sends 50", async () => {
    const phone = newPhone();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ phone_number: phone })));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 50 }, () => 200));
    const [counts] = await world.rows(
      `select count(distinct contact.id) as contacts, count(distinct chat.id) as chats,
              count(distinct conversation.id) as conversations, count(distinct message.reference) as messages
       from contacts as contact
       left join chats as chat on chat.business_id = contact.business_id and chat.contact_id = contact.id
       left join conversations as conversation
         on conversation.business_id = chat.business_id and conversation.chat_id = chat.id
       left join messages as message on message.business_id = chat.business_id and message.chat_id = chat.id
       where contact.phone = $1`,
      [phone],
    );
    expect(counts).to.deep.equal({ contacts: 1, chats: 1, conversations: 1, messages: 50 });
    const references = (await accepted(phone)).map(({ reference }) => reference);
    expect(references).to.have.length(50);
    expect(new Set(references).size).to.equal(50);
    const stored = (await messagesTo(phone)).map(({ reference }) => reference);
    expect(references).to.have.members(stored);
  });

  it("creates one chat for sends that wait at the same moment for the same new contact", async () => {
    const phone = newPhone();
    const other = new pg.Client({ connectionString: world.config.database.url });
    await other.connect();
    try {
      await other.query("begin");
      await other.query("insert into contacts (business_id, name, phone, platform_id) values (1, 'x', $1, $1)", [
        phone,
      ]);
      const sends = Array.from({ length: 10 }, () => send({ phone_number: phone }));
      await eventually(async () => {
        const waiting = await world.rows(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return waiting.length === 10;
      });
      await other.query("rollback");
      for (const answer of await Promise.all(sends)) expectAnswer(answer, 200, { success: true });
    } finally {
      await other.end();
    }
    const messages = await messagesTo(phone);
    expect(messages).to.have.length(10);
    expect(new Set(messages.map(({ conversation_id }) => conversation_id)).size).to.equal(1);
    expect(await world.rows("select from contacts where phone = $1", [phone])).to.have.length(1);
  });

  describe("uses a language of the template", () => {
    it("that the business prefers and the platform knows", async () => {
      const phone = newPhone();
      expectAnswer(await send({ phone_number: phone, plantilla_id: 111 }), 200, { success: true });
      expect((await accepted(phone))[0].template.language).to.equal("es");
    });

    it("that is the first approved one if the platform does not know the preferred one", async () => {
      const phone = newPhone();
      expectAnswer(await send({ phone_number: phone, plantilla_id: 110 }), 200, { success: true });
      expect((await accepted(phone))[0].template.language).to.equal("pt");
    });
  });

  describe("sends header media (§2.6)", () => {
    const headerTo = async (phone: string) => (await accepted(phone))[0]?.template.header;

    it("that are stored with the template if the request has none", async () => {
      const [image, document] = [newPhone(), newPhone()];
      expectAnswer(await send({ phone_number: image, plantilla_id: 103 }), 200, { success: true });
      expect(await headerTo(image)).to.deep.equal({ type: "image", value: "https://files.test/guardada.jpg" });
      expectAnswer(await send({ phone_number: document, plantilla_id: 109 }), 200, { success: true });
      const stored = "https://media.test/files/cat%C3%A1logo%201.pdf";
      expect(await headerTo(document)).to.deep.equal({ type: "document", value: stored });
      expect((await theMessage(document)).media_url).to.equal(stored);
    });

    it("from media_url for this send only, after one HEAD request", async () => {
      const [phone, next] = [newPhone(), newPhone()];
      const before = await world.rows("select * from templates where business_id = 1 and id = 103");
      heads.length = 0;
      const media_url = `${fileHost}/200/otra.jpg?x=1`;
      expectAnswer(await send({ phone_number: phone, plantilla_id: 103, media_url }), 200, { success: true });
      expect(heads).to.deep.equal([{ method: "HEAD", url: "/200/otra.jpg?x=1" }]);
      expect(await headerTo(phone)).to.deep.equal({ type: "image", value: media_url });
      expect((await theMessage(phone)).media_url).to.equal(media_url);
      await send({ phone_number: next, plantilla_id: 103 });
      expect(await headerTo(next)).to.deep.equal({ type: "image", value: "https://files.test/guardada.jpg" });
      expect(await world.rows("select * from templates where business_id = 1 and id = 103")).to.deep.equal(before);
    });

    it("from media_url with its scheme in capitals", async () => {
      const phone = newPhone();
      const media_url = `${fileHost}/200/Foto.JPG`;
      const inCapitals = media_url.replace("https:", "HTTPS:");
      expectAnswer(await send({ phone_number: phone, plantilla_id: 103, media_url: inCapitals }), 200, {
        success: true,
      });
      expect(await headerTo(phone)).to.deep.equal({ type: "image", value: media_url });
    });

    it("from media_url for a template without stored media", async () => {
      const phone = newPhone();
      expectError(await send({ plantilla_id: 112 }), 400, rejected);
      const media_url = `${fileHost}/200`;
      expectAnswer(await send({ phone_number: phone, plantilla_id: 112, media_url }), 200, { success: true });
      expect(await headerTo(phone)).to.deep.equal({ type: "video", value: media_url });
    });

    it("unless the template's header has none, and then refuses media_url without a request", async () => {
      heads.length = 0;
      const error = "media_url no aplica: la plantilla no tiene encabezado multimedia";
      expectError(await send({ media_url: `${fileHost}/404` }), 400, error);
      expect(heads).to.deep.equal([]);
    });

    const notThere: [what: string, path: string, shown: string][] = [
      ["is not found", "/404", "404"],
      ["is redirected", "/302", "302"],
      ["is only partly there", "/206", "206"],
      ["has no content", "/204", "204"],
      ["causes an internal error", "/500", "500"],
      ["causes a broken connection", "/hangup", "sin respuesta"],
    ];
    for (const [what, path, shown] of notThere) {
      it(`unless the file ${what}, and then stores and sends nothing`, async () => {
        const phone = newPhone();
        const answer = await send({ phone_number: phone, plantilla_id: 103, media_url: fileHost + path });
        expectError(answer, 400, `media_url no es accesible: ${shown}`);
        expect(await messagesTo(phone)).to.deep.equal([]);
        expect(await accepted(phone)).to.deep.equal([]);
      });
    }

    it("unless media_url is not a usable URL", async () => {
      for (const media_url of [
        "https://",
        "https://:x",
        "https://user:word@127.0.0.1/",
        "https://no-such-host.invalid/",
      ]) {
        const answer = await send({ plantilla_id: 103, media_url });
        expectError(answer, 400, "media_url no es accesible: sin respuesta");
      }
    });
  });

  it("fills named placeholders in the order of the template's example (§2.7)", async () => {
    const phone = newPhone();
    const named = { phone_number: phone, plantilla_id: 113 };
    expectAnswer(await send({ ...named, parameters: ["A-7", "Ana"] }), 200, { success: true });
    expect(await theMessage(phone)).to.include({ body: "Hola Ana, tu pedido A-7 está listo." });
    expect((await accepted(phone))[0].template.parameters).to.deep.equal(["A-7", "Ana"]);
    expectError(await send({ ...named, parameters: ["A-7"] }), 400, rejected);
  });

  describe("a message that the platform refuses", () => {
    const expectFailed = async (phone: string, code: number): Promise<void> => {
      expect(await theMessage(phone)).to.include({ state: "failed", error_code: code, platform_message_id: null });
      expect(await accepted(phone)).to.deep.equal([]);
    };

    it("is a 400 for a wrong number of parameters, and for an unapproved or unknown template (§2.7)", async () => {
      const refused: [changes: object, code: number][] = [
        [{ plantilla_id: 101, parameters: ["one"] }, 132_000],
        [{ plantilla_id: 101, parameters: ["one", "two", "three"] }, 132_000],
        [{ plantilla_id: 101 }, 132_000],
        [{ plantilla_id: 102, parameters: ["one"] }, 132_000],
        [{ plantilla_id: 101, parameters: ["one", ""] }, 100],
        [{ plantilla_id: 107 }, 132_001],
        [{ plantilla_id: 108 }, 132_001],
      ];
      for (const [changes, code] of refused) {
        const phone = newPhone();
        expectError(await send({ phone_number: phone, ...changes }), 400, rejected);
        await expectFailed(phone, code);
      }
      expectError(await send({ phone_number: "591" }), 400, rejected);
      expect(await theMessage("591")).to.include({ state: "failed", error_code: 100 });
    });

    for (const code of [130_429, 131_056, 131_000, 132_015, 190, 131_026, 131_049, 999_999]) {
      it(`with the code ${code} is a 400, stored as failed, after one request (§2.8)`, async () => {
        const phone = newPhone();
        await world.control("POST", "/faults", { code, path: "messages" });
        const before = await requests();
        expectError(await send({ phone_number: phone }), 400, rejected);
        await expectFailed(phone, code);
        expect((await requests()) - before).to.equal(1);
      });
    }

    it("because the recipient opted out stores that in the contact", async () => {
      const phone = newPhone();
      const optedOut = async () =>
        (await world.rows<{ at: Date | null }>("select opted_out_at as at from contacts where phone = $1", [phone]))[0];
      await send({ phone_number: phone, plantilla_id: 106 });
      expect((await optedOut())?.at).to.equal(null);
      await world.control("POST", "/faults", { code: 131_050, path: "messages" });
      expectError(await send({ phone_number: phone, plantilla_id: 106 }), 400, rejected);
      expect((await optedOut())?.at).to.be.instanceOf(Date);
    });

    it("does not move the chat up in the inbox", async () => {
      const inbox = await world.listen(301);
      const phone = newPhone();
      await send({ phone_number: phone, plantilla_id: 301 }, 3);
      const first = await inbox.hears(({ name }) => name === "inbox:reorder");
      const raisedAt = () => world.rows("select last_message_at from chats where id = $1", [first.payload.chat_id]);
      const before = await raisedAt();
      await world.control("POST", "/faults", { code: 131_026, path: "messages" });
      expectError(await send({ phone_number: phone, plantilla_id: 301 }, 3), 400, rejected);
      expect(await raisedAt()).to.deep.equal(before);
      const other = newPhone();
      await send({ phone_number: other, plantilla_id: 301 }, 3);
      const isOf = (number: string) => (event: { payload: Answer["json"] }) =>
        event.payload.contacto?.numero === number;
      await inbox.hears((event) => event.name === "inbox:reorder" && isOf(other)(event));
      const told = inbox.heard
        .filter(isOf(phone))
        .map(({ name, payload }) => `${name} ${payload.mensaje?.estado ?? ""}`);
      // The chat now shows the failed message as its last message, but keeps its place in the inbox.
      expect(told).to.deep.equal(["message:new sent", "inbox:reorder ", "message:new failed", "chat:changed "]);
    });
  });

  describe("a message without the platform's answer", () => {
    const lost: [what: string, fault: object][] = [
      ["the connection is reset", { reset: true }],
      ["the answer is cut off", { garbage: true }],
      ["a gateway answers in the platform's place", { status: 502 }],
      ["an answer with 200 has no content", { status: 200 }],
    ];
    const uncertain = "Error: no se sabe si la plataforma aceptó el mensaje; su estado se conocerá después";

    for (const [what, fault] of lost) {
      it(`because ${what} is a 500, and stays unknown after one request until its status settles it (§2.8)`, async () => {
        const phone = newPhone();
        await world.control("POST", "/webhooks", { paused: true });
        await world.control("POST", "/faults", { ...fault, accept: true, path: "messages" });
        const before = await requests();
        expectError(await send({ phone_number: phone }), 500, uncertain);
        expect(await theMessage(phone)).to.include({ state: "unknown", platform_message_id: null });
        expect((await requests()) - before).to.equal(1);
        const [sent] = await accepted(phone);
        await world.control("POST", "/webhooks", { paused: false });
        await eventually(async () => (await theMessage(phone)).state === "read");
        expect(await theMessage(phone)).to.include({
          platform_message_id: sent.id,
          error_code: null,
          error_reason: null,
        });
        expect((await requests()) - before).to.equal(1);
      });
    }

    it("that was not accepted stays unknown, and is not sent again (§2.8)", async () => {
      const phone = newPhone();
      await world.control("POST", "/faults", { reset: true, path: "messages" });
      expectError(await send({ phone_number: phone }), 500, uncertain);
      expect(await theMessage(phone)).to.include({ state: "unknown" });
      expect(await accepted(phone)).to.deep.equal([]);
    });

    describe("because the result cannot be stored at first", () => {
      /** Makes the database refuse the next `times` updates that set a message's state to `sent`. */
      const failing = (times: number) =>
        world.rows(`
          create sequence failures;
          create function fail() returns trigger language plpgsql as $$ begin
            if nextval('failures') <= ${times} then raise 'no space left'; end if;
            return new;
          end $$;
          create trigger fail before update on messages for each row when (new.state = 'sent') execute function fail()`);
      beforeEach(() => world.control("POST", "/webhooks", { paused: true }));
      afterEach(async () => {
        await world.rows("drop function fail cascade; drop sequence failures");
        await world.control("POST", "/webhooks", { paused: false });
      });

      it("is stored at the second attempt with the usual answer", async () => {
        await failing(1);
        const phone = newPhone();
        expect((await send({ phone_number: phone })).json).to.deep.equal({ success: true });
        expect(await theMessage(phone)).to.include({ state: "sent" });
      });

      it("is a 500 that says that the message may have been sent, and is not sent again (§2.8)", async () => {
        await failing(100);
        const [phone, before] = [newPhone(), await requests()];
        expectError(await send({ phone_number: phone }), 500, uncertain);
        expect(await theMessage(phone)).to.include({ state: "sending" });
        expect((await requests()) - before).to.equal(1);
      });
    });

    describe("because the platform never answers", () => {
      let impatient: World;
      before(async () => {
        impatient = await startWorld({
          environment: { ROLE: "api" },
          configure: (config) => ({
            ...config,
            messagingPlatform: { ...config.messagingPlatform, timeoutMs: 300 },
          }),
        });
      });
      after(() => impatient.stop());

      it("is a 500, and stays unknown after one request until its status settles it (§2.8)", async () => {
        await impatient.control("POST", "/webhooks", { paused: true });
        await impatient.control("POST", "/faults", { hang: true, accept: true, path: "messages" });
        const body = { empresa_id: 1, plantilla_id: 101, phone_number: "59171", parameters: ["a", "b"] };
        expectError(await impatient.post(path, { ...body, phone_number: newPhone() }), 500, uncertain);
        const states = () => impatient.rows<{ state: string }>("select state from messages where direction = 'out'");
        expect(await states()).to.deep.equal([{ state: "unknown" }]);
        expect((await impatient.control("GET", "/messages/count")).requests).to.equal(1);
        await impatient.control("POST", "/webhooks", { paused: false });
        await eventually(async () => (await states())[0]?.state === "read");
        expect((await impatient.control("GET", "/messages/count")).requests).to.equal(1);
      });
    });
  });

  describe("sent while the platform is unreachable", () => {
    let cut: World;
    before(async () => {
      cut = await startWorld({ environment: { MESSAGING_PLATFORM_URL: "http://127.0.0.1:1", ROLE: "api" } });
    });
    after(() => cut.stop());

    it("is a 500 that says that nothing was sent, and is stored as failed (§2.8)", async () => {
      const body = { empresa_id: 1, plantilla_id: 101, phone_number: newPhone(), parameters: ["a", "b"] };
      const error = "Error: la plataforma de mensajes no está disponible; no se envió nada";
      expectError(await cut.post(path, body), 500, error);
      expect(await cut.rows("select state, error_code from messages where direction = 'out'")).to.deep.equal([
        { state: "failed", error_code: null },
      ]);
    });
  });

  it("answers 500 for a business without a number, and stores nothing", async () => {
    await world.rows("delete from senders where business_id = 4");
    const phone = newPhone();
    const answer = await send({ phone_number: phone, plantilla_id: 401 }, 4);
    expectError(answer, 500, "Error: la empresa no tiene un número de envío");
    expect(await world.rows("select from contacts where phone = $1", [phone])).to.deep.equal([]);
  });

  it("answers 500 without the database's error text if that fails", async () => {
    await world.rows("alter table templates rename column body to hidden_body");
    const answer = await send().finally(() => world.rows("alter table templates rename column hidden_body to body"));
    expectError(answer, 500, "Error: fallo inesperado");
  });

  it("moves the chat to the top of the inbox, and sends events only in that business", async () => {
    const [ours, theirs] = await Promise.all([world.listen(102), world.listen(302)]);
    const phone = newPhone();
    await send({ phone_number: phone, name: "Ana", plantilla_id: 101, parameters: ["Ana", "7"] });
    const message = await ours.hears(
      ({ name, payload }) => name === "message:new" && payload.contacto.numero === phone,
    );
    const row = await ours.hears(({ name, payload }) => name === "inbox:reorder" && payload.contacto.numero === phone);
    const { id, chat_id, conversation_id } = await theMessage(phone);
    const contacto = { nombre: "Ana", numero: phone, platform_id: phone };
    const mensaje = { id, direccion: "saliente", tipo: "template", texto: "Hola Ana, tu pedido 7 está listo." };

    expect(message.payload).to.deep.nested.include({ empresa_id: 1, chat_id, conversacion_id: conversation_id });
    expect(message.payload.contacto).to.include(contacto);
    expect(message.payload.mensaje).to.deep.include({
      ...mensaje,
      media_url: null,
      autor: "empresa",
      autor_nombre: "Negocio 1",
      estado: "sent",
      error: null,
    });
    expect(row.payload).to.include({
      empresa_id: 1,
      chat_id,
      conversacion_id: conversation_id,
      provider: "platform-apicloud",
      estado: "bot",
      soporte_id: null,
      anuncio_id: null,
    });
    expect(row.payload.contacto).to.include(contacto);
    expect(row.payload.mensaje).to.include({ ...mensaje, autor_nombre: "Negocio 1" });
    const [chat] = await world.rows<{ at: Date }>("select last_message_at as at from chats where id = $1", [chat_id]);
    expect(chat?.at.toISOString()).to.equal(row.payload.ultimo_mensaje);
    const [newest] = await world.rows<{ id: number }>(
      "select id from chats where business_id = 1 order by last_message_at desc nulls last, id desc limit 1",
    );
    expect(newest?.id).to.equal(chat_id);

    await send({ plantilla_id: 301 }, 3);
    await theirs.hears(({ name }) => name === "inbox:reorder");
    expect(theirs.heard.every(({ payload }) => payload.empresa_id === 3)).to.equal(true);
    expect(ours.heard.every(({ payload }) => payload.empresa_id === 1)).to.equal(true);
  });
});
