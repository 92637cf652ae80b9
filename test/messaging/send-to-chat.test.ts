import { expect } from "chai";
import pg from "pg";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { sandboxAccountsOf } from "../../src/fixtures/businesses/platforms.ts";
import { Secrets } from "../../src/infra/crypto/secrets.ts";
import {
  type ChatChannelName,
  chatChannels,
  cloudChannel,
  pageChannel,
  photoChannel,
  providerBChannel,
  qrChannel,
} from "../../src/kernel/channels.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate, aWebhook, masterSecret, startWorld, type World } from "../support/world.ts";

const path = "/chats/enviar/mensaje/plantilla/arquitectura";
const rejected = "Error al enviar la plantilla";
const overLimit = "Limite de templates alcanzado";
const unapproved = "La plantilla aún no ha sido aprobada por meta. Espera unos segundos y vuelve a intentarlo.";
const nothingSent = "Error: la plataforma de mensajes no está disponible; no se envió nada";
const uncertain = "Error: no se sabe si la plataforma aceptó el mensaje; su estado se conocerá después";

const simple = (id: number, changes: Parameters<typeof aTemplate>[1] = {}) =>
  aTemplate(id, { body: "Hola", ...changes });

/** A template that the platform lists in several languages, with a state for each. */
function spoken(id: number, language: string | null, states: Readonly<Record<string, string>>) {
  const template = simple(id, { structure: language === null ? null : { language } });
  const listed = Object.entries(states).flatMap(([language, status]) =>
    template.listed.map((each) => ({ ...each, language, status })),
  );
  return { ...template, listed };
}

const picture = "https://files.test/guardada.jpg";
const withPicture = (id: number) => {
  const components = [
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "Hola {{1}}" },
  ];
  return aTemplate(id, {
    body: "Hola {{1}}",
    headerType: "IMAGE",
    fileName: picture,
    structure: { language: "es", components },
  });
};

const unsendable = [
  "PENDING",
  "REJECTED",
  "IN_APPEAL",
  "PAUSED",
  "DISABLED",
  "PENDING_DELETION",
  "LIMIT_EXCEEDED",
  "SOMETHING_NEW",
];

/** Most tests use business 1. Business 2 provides foreign ids, 3 gets monthly limits, and 4 loses its sender. */
const shop = aBusiness(1, {
  templates: [
    simple(101),
    aTemplate(102),
    withPicture(103),
    simple(104, { deleted: true }),
    simple(105, { visible: false }),
    simple(106, { listed: [] }),
    ...unsendable.map((status, index) => simple(110 + index, { status })),
    spoken(130, null, { en: "APPROVED", es: "PENDING" }),
    spoken(131, null, { pt: "PENDING", en: "APPROVED", fr: "APPROVED" }),
    spoken(132, "en", { es: "APPROVED", en: "REJECTED" }),
    spoken(133, "en", { es: "REJECTED", en: "APPROVED" }),
    simple(134),
    simple(135, { allowedAgents: "7, 102" }),
    simple(136, { allowedAgents: "7" }),
    aTemplate(140, { provider: "ProviderB", providerBId: "HX140", listed: [] }),
    simple(141, { provider: "ProviderB", listed: [] }),
  ],
});
const others = [2, 3, 4].map((id) => aBusiness(id, { templates: [simple(id * 100 + 1)] }));

const providerBPhone = "59120000009";

interface Chat {
  readonly businessId: number;
  readonly phone: string;
  readonly contactId: number;
  readonly chatId: number;
  readonly conversationId: number;
}

type State = "bot" | "pending" | "in_progress";

interface StoredMessage {
  readonly id: number;
  readonly state: string;
  readonly reference: string;
  readonly conversation_id: number;
  readonly author_name: string;
  readonly dated_at: Date | null;
  readonly platform_message_id: string | null;
  readonly error_code: number | null;
}

describe(`POST ${path}: send a template to a known chat`, () => {
  let world: World;

  before(async () => {
    world = await startWorld({
      businesses: [shop, ...others],
      configure: (config) => ({
        ...config,
        channels: { ...config.channels, qr: config.messagingPlatform.url, "provider-b": config.messagingPlatform.url },
      }),
    });
    await world.control("POST", "/pages", { pageId: "page", token: "secret" });
    await world.control("POST", "/pages", { pageId: "photo", token: "secret", channel: photoChannel });
    await world.control("POST", "/qr-instances", { instance: "tienda 1", apiKey: "secret" });
    const templates = [{ contentId: "HX140", variables: 2 }];
    await world.control("POST", "/provider-b", { accountId: "AC1", token: "secret", phone: providerBPhone, templates });
    await addSender(world, pageChannel, "page");
    await addSender(world, photoChannel, "photo");
    await addSender(world, qrChannel, "tienda 1");
    await addSender(world, providerBChannel, "AC1");
    await world.rows("delete from senders where business_id = 4");
  });
  after(() => world.stop());
  afterEach(async () => {
    await world.control("DELETE", "/faults");
    await world.control("POST", "/webhooks", { paused: false });
    await world.rows("update businesses set feature_flags = '{}' where feature_flags <> '{}'");
  });

  const addSender = (to: World, channel: ChatChannelName, platformId: string) =>
    to.rows(
      `insert into senders (business_id, provider, platform_id, account_id, phone, sealed_token)
       values (1, $1, $2, $2, $3, $4)`,
      [channel, platformId, providerBPhone, new Secrets(masterSecret).seal("secret", 1)],
    );

  let phones = 59_176_000_000;
  /** A chat with a new contact and a conversation in this state. */
  async function aChat(
    state: State = "pending",
    changes: { provider?: string; businessId?: number; closed?: boolean; bot?: boolean; in?: World } = {},
  ): Promise<Chat> {
    const { provider = cloudChannel, businessId = 1, closed = false, bot = state === "bot" } = changes;
    const phone = String(++phones);
    const [ids] = await (changes.in ?? world).rows<Pick<Chat, "contactId" | "chatId" | "conversationId">>(
      `with contact as (
         insert into contacts (business_id, name, phone, platform_id) values ($1, 'Carla', $2, $2) returning id
       ),
       chat as (
         insert into chats (business_id, contact_id, provider, bot_available)
         select $1, id, $3, $4 from contact returning id
       )
       insert into conversations (business_id, chat_id, state, closed_at)
       select $1, id, $5, case when $6 then now() end from chat
       returning (select id from contact) as "contactId", chat_id as "chatId", id as "conversationId"`,
      [businessId, phone, provider, bot, state, closed],
    );
    if (!ids) throw new Error("no chat was made");
    return { ...ids, businessId, phone };
  }

  const bodyFor = ({ businessId, phone, contactId, chatId }: Chat, changes: object = {}) => ({
    meta_id: phone,
    contacto_id: contactId,
    chat_id: chatId,
    empresa_id: businessId,
    plantilla_id: businessId * 100 + 1,
    ...changes,
  });
  const send = (chat: Chat, changes: object = {}): Promise<Answer> =>
    world.post(path, bodyFor(chat, changes), chat.businessId);
  const messagesOf = ({ chatId }: Chat): Promise<StoredMessage[]> =>
    world.rows<StoredMessage>("select * from messages where chat_id = $1 order by id", [chatId]);
  const theMessage = async (chat: Chat): Promise<StoredMessage> => {
    const [message, ...more] = await messagesOf(chat);
    if (!message || more.length > 0) throw new Error("not one message in the chat");
    return message;
  };
  const conversationsOf = async ({ chatId }: Chat): Promise<string[]> =>
    (
      await world.rows<{ state: string }>("select state from conversations where chat_id = $1 order by id", [chatId])
    ).map(({ state }) => state);
  const accepted = (phone: string): Promise<Answer["json"][]> => world.control("GET", `/messages?to=${phone}`);
  const requests = async (): Promise<number> => (await world.control("GET", "/messages/count")).requests;

  const expectAnswer = (answer: Answer, status: number, body: object): void => {
    expect({ status: answer.status, type: answer.type, body: answer.json }).to.deep.equal({
      status,
      type: "application/json",
      body,
    });
  };
  const expectSent = (answer: Answer): void => expectAnswer(answer, 200, { status: "success" });
  const expectError = (answer: Answer, status: number, error: string): void =>
    expectAnswer(answer, status, { status: "error", error });
  const expectUnapproved = (answer: Answer): void => expectAnswer(answer, 400, { success: false, error: unapproved });
  const expectNothingSent = async (chat: Chat): Promise<void> => {
    expect(await messagesOf(chat)).to.deep.equal([]);
    expect(await accepted(chat.phone)).to.deep.equal([]);
  };

  describe("checks the request in this order (§3.1)", () => {
    it("fields, business, template, approval, limit, and whether it can be sent", async () => {
      const chat = await aChat();
      await world.rows(`update businesses set feature_flags = '{"monthly_template_limit": 0}' where id = 1`);
      const list = "parameters debe ser un arreglo";
      const noBusiness = { estatus: "error", error: "La empresa no existe" };
      const noTemplate = { estatus: "error", error: "La plantilla no existe" };
      const wrong = (error: string): [400, object] => [400, { status: "error", error }];
      const repaired: [repair: object, answer: [status: number, body: object]][] = [
        [{}, wrong("meta_id es requerido")],
        [{ meta_id: chat.phone }, wrong("contacto_id debe ser un número")],
        [{ contacto_id: 999_999 }, wrong("chat_id no es válido")],
        [{ chat_id: chat.chatId }, wrong("empresa_id es requerido")],
        [{ empresa_id: 2 }, wrong("plantilla_id debe ser un número")],
        [{ plantilla_id: 999_999 }, wrong(list)],
        [{ parameters: ["one too many"] }, wrong("user_id debe ser un número")],
        [{ user_id: 201 }, wrong("user_name debe ser un texto")],
        [{ user_name: "Ana" }, wrong("categoria_id no es válido")],
        [{ categoria_id: 5 }, wrong("fecha debe ser una fecha ISO 8601")],
        [{ fecha: "2026-02-28" }, [403, noBusiness]],
        [{ empresa_id: 1 }, [403, noTemplate]],
        [{ plantilla_id: 110 }, [400, { success: false, error: unapproved }]],
        [{ plantilla_id: 101 }, wrong(overLimit)],
      ];
      let body: object = {
        meta_id: " +- ",
        contacto_id: "1",
        chat_id: 0,
        plantilla_id: null,
        parameters: [1],
        user_id: "5",
        user_name: 7,
        categoria_id: -1,
        fecha: "2026-02-30",
      };
      for (const [repair, answer] of repaired) {
        body = { ...body, ...repair };
        expectAnswer(await world.post(path, body), ...answer);
      }
      await world.rows("update businesses set feature_flags = '{}' where id = 1");
      for (const repair of [{}, { contacto_id: chat.contactId }, { user_id: 102 }]) {
        body = { ...body, ...repair };
        expectError(await world.post(path, body), 400, rejected);
      }
      expectSent(await world.post(path, { ...body, parameters: [] }));
    });

    const required = ["meta_id", "contacto_id", "chat_id", "empresa_id", "plantilla_id"];
    for (const field of required) {
      it(`and requires ${field}`, async () => {
        expectError(await send(await aChat(), { [field]: undefined }), 400, `${field} es requerido`);
      });
    }
    const wrong: [changes: object, error: string][] = [
      ...["contacto_id", "chat_id", "empresa_id", "plantilla_id", "user_id", "categoria_id"].flatMap(
        (field): [object, string][] => [
          ...["1", null, 1.5, true, [1]].map((value): [object, string] => [
            { [field]: value },
            `${field} debe ser un número`,
          ]),
          ...[0, -1, 2 ** 53].map((value): [object, string] => [{ [field]: value }, `${field} no es válido`]),
        ],
      ),
      [{ meta_id: 59_170_000_001 }, "meta_id debe ser un texto"],
      [{ meta_id: "" }, "meta_id es requerido"],
      [{ meta_id: "5".repeat(65) }, "meta_id no puede tener más de 64 caracteres"],
      ...["x", {}, null, [1], [null]].map((value): [object, string] => [
        { parameters: value },
        "parameters debe ser un arreglo",
      ]),
      ...[null, 5, ["Ana"]].map((value): [object, string] => [{ user_name: value }, "user_name debe ser un texto"]),
      ...[null, 5].map((value): [object, string] => [{ fecha: value }, "fecha debe ser un texto"]),
      ...["", "ayer", "2026-13-01", "2026-02-29", "2026-01-01T25:00", "01/02/2026"].map((value): [object, string] => [
        { fecha: value },
        "fecha debe ser una fecha ISO 8601",
      ]),
    ];
    for (const [changes, error] of wrong) {
      it(`and answers ${JSON.stringify(changes).slice(0, 60)} with '${error}'`, async () =>
        expectError(await world.post(path, { ...bodyFor({ ...anyChat, businessId: 1 }), ...changes }), 400, error));
    }
    const anyChat = { phone: "5917", contactId: 1, chatId: 1, conversationId: 1 };
  });

  it("answers the same for other businesses and their or deleted templates as for missing ones", async () => {
    const chat = await aChat();
    for (const empresa_id of [2, 999_999]) {
      expectAnswer(await send(chat, { empresa_id }), 403, { estatus: "error", error: "La empresa no existe" });
    }
    for (const plantilla_id of [201, 104, 999_999]) {
      expectAnswer(await send(chat, { plantilla_id }), 403, { estatus: "error", error: "La plantilla no existe" });
    }
    await expectNothingSent(chat);
  });

  it("answers the same for an agent who may not use the template as for a missing one (§3.8)", async () => {
    const chat = await aChat();
    const answer = await send(chat, { plantilla_id: 136, user_id: 102 });
    expectAnswer(answer, 403, { estatus: "error", error: "La plantilla no existe" });
    await expectNothingSent(chat);
  });

  it("allows the template's own agents, administrators and the business itself to send it (§3.8)", async () => {
    const chat = await aChat();
    expectSent(await send(chat, { plantilla_id: 135, user_id: 102 }));
    expectSent(await send(chat, { plantilla_id: 136, user_id: 101 }));
    expectSent(await send(chat, { plantilla_id: 136 }));
  });

  it("refuses chats, contacts and users of other businesses, and stores nothing (§3.6)", async () => {
    const [chat, sibling] = [await aChat(), await aChat()];
    await world.rows("insert into users (business_id, id, name, role_id, active) values (1, 190, 'Ida', 5, false)");
    const foreign = [
      { chat_id: 201, contacto_id: 201 },
      { chat_id: 201 },
      { contacto_id: 201 },
      { chat_id: 999_999 },
      { contacto_id: 999_999 },
      { contacto_id: sibling.contactId },
      { user_id: 202 },
      { user_id: 999_999 },
      { user_id: 190 },
    ];
    for (const changes of foreign) {
      expectError(await send(chat, changes), 400, rejected);
      const parameters = ["Ana", "7"];
      expectError(await send(chat, { ...changes, plantilla_id: 140, parameters }), 400, rejected);
    }
    await expectNothingSent(chat);
    expect(await world.rows("select from messages where business_id = 2 and direction = 'out'")).to.deep.equal([]);
  });

  it("treats an erased contact as missing", async () => {
    const chat = await aChat();
    const headers = { "x-api-key": world.appKey(1) };
    const erased = await request(`${world.api}/contacts/${chat.contactId}`, { method: "DELETE", headers });
    expect(erased.status).to.equal(204);
    expectError(await send(chat), 400, rejected);
    expect(await world.rows("select from messages where chat_id = $1", [chat.chatId])).to.deep.equal([]);
  });

  describe("requests the template's approval from the platform (§3.2)", () => {
    for (const [index, state] of unsendable.entries()) {
      it(`and refuses a template that is ${state}`, async () => {
        const chat = await aChat();
        expectUnapproved(await send(chat, { plantilla_id: 110 + index }));
        await expectNothingSent(chat);
        expect(await conversationsOf(chat)).to.deep.equal(["pending"]);
      });
    }

    it("and refuses a template that the platform does not know, or only for another business", async () => {
      const chat = await aChat();
      expectUnapproved(await send(chat, { plantilla_id: 106 }));
      await world.rows("update templates set platform_name = 'template_201' where business_id = 1 and id = 106");
      expectUnapproved(await send(chat, { plantilla_id: 106 }));
    });

    it("and refuses templates of a business without a number at the platform", async () => {
      expectUnapproved(await send(await aChat("pending", { businessId: 4 })));
    });

    it("for each send again", async () => {
      const become = async (status: string) => {
        const [account] = sandboxAccountsOf([shop]);
        const templates = account?.templates.map((each) => (each.name === "template_134" ? { ...each, status } : each));
        await world.control("POST", "/accounts", { ...account, templates });
      };
      const chat = await aChat();
      expectSent(await send(chat, { plantilla_id: 134 }));
      await become("PAUSED");
      expectUnapproved(await send(chat, { plantilla_id: 134 }));
      await become("APPROVED");
      expectSent(await send(chat, { plantilla_id: 134 }));
    });

    it("in the language of the send: the template's own, or else the business's, or else an approved one", async () => {
      const chat = await aChat();
      expectUnapproved(await send(chat, { plantilla_id: 130 }));
      expectUnapproved(await send(chat, { plantilla_id: 132 }));
      expectSent(await send(chat, { plantilla_id: 131 }));
      expectSent(await send(chat, { plantilla_id: 133 }));
      const languages = (await accepted(chat.phone)).map(({ template }) => template.language);
      expect(languages).to.deep.equal(["en", "en"]);
      await world.rows(`update businesses set feature_flags = '{"template_language": "fr"}' where id = 1`);
      expectSent(await send(chat, { plantilla_id: 131 }));
      expect((await accepted(chat.phone))[2].template.language).to.equal("fr");
    });

    it("even if the template is hidden in lists", async () => {
      expectSent(await send(await aChat(), { plantilla_id: 105 }));
    });

    it("but not for ProviderB's templates, which the platform does not know", async () => {
      await world.control("POST", "/faults", { status: 503, count: 9, path: "message_templates" });
      expectSent(await send(await aChat(), { plantilla_id: 140, parameters: ["Ana", "7"] }));
    });

    it("and answers 500 without it, and then stores and sends nothing", async () => {
      const chat = await aChat();
      await world.control("POST", "/faults", { status: 503, count: 9, path: "message_templates" });
      expectError(await send(chat), 500, nothingSent);
      await expectNothingSent(chat);
      expect(await conversationsOf(chat)).to.deep.equal(["pending"]);
    });
  });

  describe("enforces the monthly limit (§3.3)", () => {
    const limitTo = async (limit: number | null): Promise<void> => {
      await world.rows("update businesses set feature_flags = $1 where id = 3", [{ monthly_template_limit: limit }]);
      await world.rows("delete from template_usage");
    };
    const used = async (): Promise<number> => {
      const rows = await world.rows<{ used: number }>("select used from template_usage where business_id = 3");
      return rows.reduce((sum, row) => sum + row.used, 0);
    };
    const aLimitedChat = () => aChat("pending", { businessId: 3 });
    const summary = (answers: readonly Answer[]) => {
      const counts: Record<string, number> = {};
      for (const { json } of answers) counts[json.error ?? "sent"] = (counts[json.error ?? "sent"] ?? 0) + 1;
      return counts;
    };

    it("exactly, for 100 simultaneous sends with 5 left", async () => {
      await limitTo(50);
      await world.rows(
        `insert into template_usage values (3, date_trunc('month', now() at time zone 'America/La_Paz')::date, 45)`,
      );
      const chat = await aLimitedChat();
      const other = new pg.Client({ connectionString: world.config.database.url });
      await other.connect();
      let sends: Promise<Answer>[] = [];
      try {
        // This lock stops the sends after they have checked the limit and before they are counted.
        await other.query("begin; select from template_usage for update");
        sends = Array.from({ length: 100 }, () => send(chat));
        await eventually(async () => {
          await other.query("select pg_stat_clear_snapshot()");
          const waiting = await other.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          );
          return (waiting.rowCount ?? 0) >= world.config.database.poolSize / 2;
        });
      } finally {
        await other.end();
      }
      const answers = await Promise.all(sends);
      expect(summary(answers)).to.deep.equal({ sent: 5, [overLimit]: 95 });
      expect(await accepted(chat.phone)).to.have.length(5);
      expect(await messagesOf(chat)).to.have.length(5);
      expect(await used()).to.equal(50);
      expectError(await send(chat), 400, overLimit);
    });

    it("without counting refused messages, which can be sent later", async () => {
      await limitTo(60);
      const chat = await aLimitedChat();
      await world.control("POST", "/faults", { code: 131_026, count: 30, path: "messages" });
      const counts = summary(await Promise.all(Array.from({ length: 100 }, () => send(chat))));
      expect(counts[rejected]).to.equal(30);
      expect(counts.sent).to.be.within(30, 60);
      expect(await used()).to.equal(counts.sent);
      const rest = await Promise.all(Array.from({ length: 40 }, () => send(chat)));
      expect(summary(rest).sent ?? 0).to.equal(60 - (counts.sent ?? 0));
      expect(await accepted(chat.phone)).to.have.length(60);
      expect(await used()).to.equal(60);
    });

    it("without counting messages that are not sent for other reasons", async () => {
      await limitTo(1);
      const chat = await aLimitedChat();
      await world.control("POST", "/faults", { status: 503, count: 2, path: "message_templates" });
      expectError(await send(chat), 500, nothingSent);
      expectError(await send(chat, { chat_id: 999_999 }), 400, rejected);
      await world.control("POST", "/faults", { code: 131_026, path: "messages" });
      expectError(await send(chat), 400, rejected);
      expect(await used()).to.equal(0);
      expectSent(await send(chat));
      expectError(await send(chat, { chat_id: 999_999 }), 400, overLimit);
      expect(await used()).to.equal(1);
    });

    it("and counts messages that may have been sent, with a lost or unstored answer", async () => {
      await limitTo(2);
      const chat = await aLimitedChat();
      await world.control("POST", "/faults", { reset: true, path: "messages" });
      expectError(await send(chat), 500, uncertain);
      expect(await used()).to.equal(1);
      await world.rows(`
        create function fail() returns trigger language plpgsql as $$ begin raise 'no space left'; end $$;
        create trigger fail before update on messages for each row when (new.state = 'sent') execute function fail()`);
      await world.control("POST", "/webhooks", { paused: true });
      const answer = await send(chat).finally(() => world.rows("drop function fail cascade"));
      expectError(answer, 500, uncertain);
      expect(await used()).to.equal(2);
      expectError(await send(chat), 400, overLimit);
    });

    it("also if it is 0, and only if there is one", async () => {
      const chat = await aLimitedChat();
      await limitTo(0);
      expectError(await send(chat), 400, overLimit);
      await expectNothingSent(chat);
      await limitTo(null);
      expectSent(await send(chat));
      await world.rows("update businesses set feature_flags = '{}' where id = 3");
      await world.rows("update template_usage set used = 1000000");
      expectSent(await send(chat));
    });

    it("for each business on its own", async () => {
      await limitTo(1);
      const chat = await aLimitedChat();
      expectSent(await send(chat));
      expectSent(await send(await aChat()));
      expectError(await send(chat), 400, overLimit);
    });

    describe("for months in the business's zone", () => {
      let traveller: World;
      before(async () => {
        // The search path makes the statements use the `now()` that is defined below.
        const ownNow = "options=-c%20search_path%3Dpublic%2Cpg_catalog";
        traveller = await startWorld({
          businesses: [aBusiness(1, { templates: [simple(101)] })],
          environment: { ROLE: "api" },
          configure: (config) => ({
            ...config,
            database: { ...config.database, url: `${config.database.url}?${ownNow}` },
          }),
        });
        await traveller.rows("create table clock as select pg_catalog.now() as at");
        await traveller.rows(
          "create function now() returns timestamptz language sql stable as 'select at from public.clock'",
        );
      });
      after(() => traveller.stop());

      /** Sends a template when the clock shows `moment`. Returns the answer's error, or else its status. */
      const sendAt = async (moment: string): Promise<string> => {
        await traveller.rows("update clock set at = $1", [moment]);
        const { json } = await traveller.post(path, bodyFor(await aChat("pending", { in: traveller })));
        return json.error ?? json.status;
      };
      const limit = async (timezone: string | undefined) => {
        await traveller.rows("update businesses set feature_flags = $1", [{ timezone, monthly_template_limit: 1 }]);
        await traveller.rows("delete from template_usage");
      };

      const zones: [timezone: string | undefined, lastOfJuly: string, firstOfAugust: string][] = [
        [undefined, "2026-08-01T03:59:59Z", "2026-08-01T04:00:00Z"],
        ["America/La_Paz", "2026-08-01T03:59:59Z", "2026-08-01T04:00:00Z"],
        ["Asia/Tokyo", "2026-07-31T14:59:59Z", "2026-07-31T15:00:00Z"],
      ];
      for (const [timezone, lastOfJuly, firstOfAugust] of zones) {
        it(`that begin at ${firstOfAugust} in ${timezone ?? "the default zone"}`, async () => {
          await limit(timezone);
          expect(await sendAt("2026-07-15T12:00:00Z")).to.equal("success");
          expect(await sendAt(lastOfJuly)).to.equal(overLimit);
          expect(await sendAt(firstOfAugust)).to.equal("success");
          expect(await sendAt("2026-08-31T12:00:00Z")).to.equal(overLimit);
          const rows = await traveller.rows("select month::text, used from template_usage order by month");
          expect(rows).to.deep.equal([
            { month: "2026-07-01", used: 1 },
            { month: "2026-08-01", used: 1 },
          ]);
        });
      }
    });
  });

  describe("moves the chat's conversation (§3.5)", () => {
    it("from pending to in progress after the message is sent, and no other one", async () => {
      const [chat, other] = [await aChat(), await aChat()];
      expectSent(await send(chat));
      expect(await conversationsOf(chat)).to.deep.equal(["in_progress"]);
      expect(await conversationsOf(other)).to.deep.equal(["pending"]);
    });

    for (const state of ["bot", "in_progress"] as const) {
      it(`but not from ${state}`, async () => {
        const chat = await aChat(state);
        expectSent(await send(chat));
        expect(await conversationsOf(chat)).to.deep.equal([state]);
      });
    }

    it("but not if the platform refuses", async () => {
      const chat = await aChat();
      await world.control("POST", "/faults", { code: 131_026, path: "messages" });
      expectError(await send(chat), 400, rejected);
      expect(await conversationsOf(chat)).to.deep.equal(["pending"]);
    });

    it("only when a delivery status confirms a message whose answer was lost, with an event", async () => {
      const [chat, other, inbox] = [await aChat(), await aChat(), await world.listen(102)];
      await world.control("POST", "/webhooks", { paused: true });
      await world.control("POST", "/faults", { reset: true, accept: true, path: "messages" });
      expectError(await send(chat), 500, uncertain);
      expect(await conversationsOf(chat)).to.deep.equal(["pending"]);
      const isOfChat = ({ payload }: { payload: Answer["json"] }) => payload.chat_id === chat.chatId;
      const row = await inbox.hears((event) => event.name === "inbox:reorder" && isOfChat(event));
      expect(row.payload.estado).to.equal("pendiente");
      await world.control("POST", "/webhooks", { paused: false });
      const told = await inbox.hears((event) => event.name === "message:status" && isOfChat(event));
      expect(told.payload).to.deep.include({
        conversacion_id: chat.conversationId,
        conversacion_estado: "proceso",
        mensaje_id: (await theMessage(chat)).id,
      });
      expect(await conversationsOf(chat)).to.deep.equal(["in_progress"]);
      expect(await conversationsOf(other)).to.deep.equal(["pending"]);
    });

    it("but not when a delivery status reports that such a message failed", async () => {
      const chat = await aChat();
      await world.control("POST", "/faults", { reset: true, path: "messages" });
      await send(chat);
      const { reference } = await theMessage(chat);
      const news = { id: "wamid.lost", status: "failed", timestamp: "1800000000", recipient_id: chat.phone };
      const errors = [{ code: 131_026, title: "no such customer" }];
      await world.webhook(aWebhook(1, { statuses: [{ ...news, biz_opaque_callback_data: reference, errors }] }));
      await eventually(async () => (await theMessage(chat)).state === "failed");
      expect(await conversationsOf(chat)).to.deep.equal(["pending"]);
    });

    it("even if the status comes before the answer", async () => {
      const chat = await aChat();
      await world.control("POST", "/faults", { delay_ms: 200, path: "messages" });
      const answer = send(chat);
      await eventually(async () => (await theMessage(chat)).state === "read");
      expect(await conversationsOf(chat)).to.deep.equal(["in_progress"]);
      expectSent(await answer);
      expect(await theMessage(chat)).to.include({ state: "read" });
    });

    const closed: [bot: boolean, state: State][] = [
      [true, "bot"],
      [false, "in_progress"],
    ];
    for (const [bot, state] of closed) {
      it(`to a new one if it is closed, in the state ${state}, ${bot ? "with" : "without"} a bot`, async () => {
        const chat = await aChat("pending", { closed: true, bot });
        expectSent(await send(chat));
        expect(await conversationsOf(chat)).to.deep.equal(["pending", state]);
        expect((await theMessage(chat)).conversation_id).not.to.equal(chat.conversationId);
        expectSent(await send(chat));
        expect(await conversationsOf(chat)).to.have.length(2);
      });
    }
  });

  describe("stores the message", () => {
    it("with its filled text, template, agent, category and date", async () => {
      const chat = await aChat();
      await world.control("POST", "/webhooks", { paused: true });
      const parameters = ["Ana {{2}}", "№ 7 $& ñ"];
      const by = { user_id: 102, user_name: "Ana de Ventas", categoria_id: 77, fecha: "2026-03-04T05:06:07-03:00" };
      expectSent(await send(chat, { plantilla_id: 102, parameters, ...by }));
      const [sent] = await accepted(chat.phone);
      expect(sent.template).to.deep.equal({ name: "template_102", language: "es", parameters });
      expect(await theMessage(chat)).to.deep.include({
        business_id: 1,
        conversation_id: chat.conversationId,
        direction: "out",
        kind: "template",
        body: "Hola Ana {{2}}, tu pedido № 7 $& ñ está listo.",
        media_url: null,
        template_id: 102,
        author: "user",
        author_name: "Ana de Ventas",
        author_user_id: 102,
        category_id: 77,
        dated_at: new Date("2026-03-04T08:06:07Z"),
        state: "sent",
        attempt: 1,
        lease_until: null,
        reference: sent.reference,
        platform_message_id: sent.id,
        error_code: null,
        error_reason: null,
      });
    });

    it("in the business's name without optional fields", async () => {
      const chat = await aChat();
      expectSent(await send(chat));
      expect(await theMessage(chat)).to.deep.include({
        author: "business",
        author_name: "Negocio 1",
        author_user_id: null,
        category_id: null,
        dated_at: null,
      });
    });

    const names: [by: object, name: string, userId: number | null][] = [
      [{ user_id: 102 }, "Ana Agente", 102],
      [{ user_name: "Robot" }, "Robot", null],
      [{ user_id: 102, user_name: "  " }, "Ana Agente", 102],
    ];
    for (const [by, name, userId] of names) {
      it(`in the name of ${name} for ${JSON.stringify(by)}`, async () => {
        const chat = await aChat();
        expectSent(await send(chat, by));
        expect(await theMessage(chat)).to.include({ author: "user", author_name: name, author_user_id: userId });
      });
    }

    const dates: [fecha: string, moment: string][] = [
      ["2026-03-04", "2026-03-04T04:00:00Z"],
      ["2026-03-04T05:06", "2026-03-04T09:06:00Z"],
      ["2026-03-04T05:06:07.5Z", "2026-03-04T05:06:07.500Z"],
    ];
    for (const [fecha, moment] of dates) {
      it(`with the date ${fecha}, in the business's zone unless it names another one`, async () => {
        const chat = await aChat();
        expectSent(await send(chat, { fecha }));
        expect((await theMessage(chat)).dated_at).to.deep.equal(new Date(moment));
      });
    }

    it("and follows its delivery statuses", async () => {
      const chat = await aChat();
      expectSent(await send(chat));
      await eventually(async () => (await theMessage(chat)).state === "read");
    });

    it("for the number in meta_id, and does not change the contact because of another number", async () => {
      const chat = await aChat();
      const [other, lost] = [String(++phones), String(++phones)];
      expectSent(await send(chat, { meta_id: `+${other.slice(0, 3)} (${other.slice(3, 6)})-${other.slice(6)}` }));
      await world.control("POST", "/faults", { reset: true, accept: true, path: "messages" });
      await send(chat, { meta_id: lost });
      await eventually(async () => (await messagesOf(chat)).every(({ state }) => state === "read"));
      expect(await accepted(other)).to.have.length(1);
      const contact = await world.rows("select phone, platform_id from contacts where id = $1", [chat.contactId]);
      expect(contact).to.deep.equal([{ phone: chat.phone, platform_id: chat.phone }]);
    });
  });

  describe("uses the chat's channel (§3.4)", () => {
    const open: Readonly<Record<ChatChannelName, string | null>> = {
      [cloudChannel]: null,
      [pageChannel]: "/pages/page",
      [photoChannel]: "/pages/photo",
      [qrChannel]: null,
      [providerBChannel]: `/provider-b/${providerBPhone}`,
    };
    /** A chat on the channel. If the channel accepts only answers to customers, the customer writes first. */
    const aChatOn = async (provider: ChatChannelName): Promise<Chat> => {
      const chat = await aChat("pending", { provider });
      if (open[provider]) await world.control("POST", `${open[provider]}/customers/${chat.phone}/say`);
      return chat;
    };
    const text = "Hola Ana, tu pedido 7 está listo.";
    const parameters = ["Ana", "7"];

    for (const channel of chatChannels) {
      it(`${channel}, with a ${channel === cloudChannel ? "template" : "text"}`, async () => {
        const chat = await aChatOn(channel);
        const answer = await send(chat, { plantilla_id: 102, parameters });
        expectSent(answer);
        const [sent, ...more] = await accepted(chat.phone);
        expect(more).to.deep.equal([]);
        expect(sent).to.include({ channel, id: answer.headers["x-message-id"] });
        if (channel === cloudChannel) expect(sent.template.parameters).to.deep.equal(parameters);
        else expect(sent).to.include({ type: "text", text });
        expect(await theMessage(chat)).to.include({ body: text, platform_message_id: sent.id });
        expect(await conversationsOf(chat)).to.deep.equal(["in_progress"]);
      });
    }

    const withMedia: Readonly<Record<ChatChannelName, object>> = {
      [cloudChannel]: { type: "template" },
      [pageChannel]: { type: "text", text: `Hola Ana\n\n${picture}` },
      [photoChannel]: { type: "text", text: `Hola Ana\n\n${picture}` },
      [qrChannel]: { type: "image", text: "Hola Ana", media: { link: picture } },
      [providerBChannel]: { type: "media", text: "Hola Ana", media: { link: picture } },
    };
    for (const channel of chatChannels) {
      it(`${channel}, with the header's media`, async () => {
        const chat = await aChatOn(channel);
        expectSent(await send(chat, { plantilla_id: 103, parameters: ["Ana"] }));
        const [sent] = await accepted(chat.phone);
        expect(sent).to.deep.include(withMedia[channel]);
        if (channel === cloudChannel) expect(sent.template.header).to.deep.equal({ type: "image", value: picture });
        expect(await theMessage(chat)).to.include({ body: "Hola Ana", media_url: picture });
      });
    }

    for (const channel of [cloudChannel, qrChannel] as const) {
      it(`or ProviderB if the template belongs there, also from a chat on ${channel}`, async () => {
        const chat = await aChatOn(channel);
        expectSent(await send(chat, { plantilla_id: 140, parameters }));
        const [sent] = await accepted(chat.phone);
        expect(sent).to.deep.include({ channel: providerBChannel, template: { contentId: "HX140", parameters } });
        expect(await theMessage(chat)).to.include({ body: text });
        expectError(await send(chat, { plantilla_id: 140, parameters: ["Ana"] }), 400, rejected);
        expect((await messagesOf(chat))[1]).to.include({ state: "failed", error_code: 21_656 });
      });
    }

    it("even with a template of ProviderB if the contact has no number, and never sends to the contact's id", async () => {
      const chat = await aChatOn(pageChannel);
      await world.rows("update contacts set phone = null, known_on = $2 where id = $1", [chat.contactId, pageChannel]);
      expectSent(await send(chat, { plantilla_id: 140, parameters }));
      const sent = await accepted(chat.phone);
      expect(sent.map(({ channel, text: said }) => [channel, said])).to.deep.equal([[pageChannel, text]]);
    });

    it("ProviderB with a text if it does not know the template", async () => {
      const chat = await aChatOn(providerBChannel);
      expectSent(await send(chat, { plantilla_id: 141 }));
      expect((await accepted(chat.phone))[0]).to.include({ type: "text", text: "Hola" });
      expectError(await send(await aChat("pending"), { plantilla_id: 141 }), 400, rejected);
    });

    it("but sends nothing with a wrong number of parameters, so that customers see no placeholders", async () => {
      for (const channel of chatChannels) {
        const chat = await aChatOn(channel);
        for (const wrong of [undefined, ["Ana"], [...parameters, "more"]]) {
          expectError(await send(chat, { plantilla_id: 102, parameters: wrong }), 400, rejected);
        }
        expect(await accepted(chat.phone)).to.deep.equal([]);
        expect(await conversationsOf(chat)).to.deep.equal(["pending"]);
      }
    });

    it("and refuses a send if the business has no sender there, or the channel is unknown", async () => {
      for (const where of [{ provider: photoChannel, businessId: 2 }, { provider: "telegraph" }]) {
        const chat = await aChat("pending", where);
        expectError(await send(chat), 400, rejected);
        await expectNothingSent(chat);
      }
    });

    it("and counts the message there", async () => {
      const counted = async () => {
        const text = await resolve(world.container, tokens.metrics).text();
        const line = text.split("\n").find((each) => each.includes(`channel="${qrChannel}",outcome="accepted"`));
        return Number(line?.split(" ").at(-1) ?? 0);
      };
      const before = await counted();
      expectSent(await send(await aChatOn(qrChannel)));
      expect(await counted()).to.equal(before + 1);
    });

    describe("whose provider is unreachable", () => {
      let cut: World;
      before(async () => {
        cut = await startWorld({
          environment: { ROLE: "api", QR_PROVIDER_URL: "http://127.0.0.1:1" },
          businesses: [
            aBusiness(1, { templates: [simple(101)], flags: { monthly_template_limit: 1 } }),
            aBusiness(2, { templates: [simple(201)] }),
          ],
        });
        await addSender(cut, qrChannel, "tienda 1");
      });
      after(() => cut.stop());

      it("and then answers 500 and says that nothing was sent, which is stored as failed and not counted", async () => {
        for (const provider of [qrChannel, qrChannel]) {
          const chat = await aChat("pending", { provider, in: cut });
          expectError(await cut.post(path, bodyFor(chat)), 500, nothingSent);
        }
        const messages = "select state, error_code from messages where direction = 'out'";
        expect(await cut.rows(messages)).to.deep.equal(Array(2).fill({ state: "failed", error_code: null }));
        expect(await cut.rows("select used from template_usage")).to.deep.equal([{ used: 0 }]);
        const states = "select distinct state from conversations where id >= 10000000";
        expect(await cut.rows(states)).to.deep.equal([{ state: "pending" }]);
        expectSent(await cut.post(path, bodyFor(await aChat("pending", { in: cut }))));
      });
    });
  });

  describe("sends one request to the platform (§3.7)", () => {
    for (const code of [130_429, 131_056, 132_015, 190, 131_026, 131_049]) {
      it(`that refuses with ${code}: the answer is 400, and the message is failed`, async () => {
        const chat = await aChat();
        const before = await requests();
        await world.control("POST", "/faults", { code, path: "messages" });
        expectError(await send(chat), 400, rejected);
        expect(await theMessage(chat)).to.include({ state: "failed", error_code: code, platform_message_id: null });
        expect((await requests()) - before).to.equal(1);
      });
    }

    const lost: [what: string, fault: object][] = [
      ["the connection is reset", { reset: true }],
      ["the answer is cut off", { garbage: true }],
      ["a gateway answers in its place", { status: 502 }],
    ];
    for (const [what, fault] of lost) {
      it(`even if ${what}: the answer is 500, and the message is unknown until its status`, async () => {
        const chat = await aChat();
        const before = await requests();
        await world.control("POST", "/webhooks", { paused: true });
        await world.control("POST", "/faults", { ...fault, accept: true, path: "messages" });
        expectError(await send(chat), 500, uncertain);
        expect(await theMessage(chat)).to.include({ state: "unknown", platform_message_id: null });
        await world.control("POST", "/webhooks", { paused: false });
        await eventually(async () => (await theMessage(chat)).state === "read");
        expect((await theMessage(chat)).platform_message_id).to.equal((await accepted(chat.phone))[0].id);
        expect((await requests()) - before).to.equal(1);
      });
    }

    it("for one Idempotency-Key, and repeats the answer", async () => {
      const chat = await aChat();
      const headers = { "x-api-key": world.appKey(1), "idempotency-key": "one" };
      const ask = () => request(world.api + path, { method: "POST", body: bodyFor(chat), headers });
      const [first, again] = [await ask(), await ask()];
      expectSent(first);
      expectSent(again);
      expect(again.headers["idempotent-replay"]).to.equal("true");
      expect(again.headers["x-message-id"]).to.equal(first.headers["x-message-id"]);
      const [sent, ...more] = await accepted(chat.phone);
      expect(more).to.deep.equal([]);
      expect(first.headers["x-message-id"]).to.equal(sent.id);
    });
  });

  it("answers 500 without the database's error text if that fails", async () => {
    const chat = await aChat();
    await world.rows("alter table templates rename column body to hidden_body");
    const answer = await send(chat).finally(() =>
      world.rows("alter table templates rename column hidden_body to body"),
    );
    expectError(answer, 500, "Error: fallo inesperado");
  });

  it("sends events only in that business, with the new state of the conversation", async () => {
    const [ours, theirs] = await Promise.all([world.listen(102), world.listen(202)]);
    const chat = await aChat();
    expectSent(await send(chat, { plantilla_id: 102, parameters: ["Ana", "7"], user_id: 102 }));
    const isOfChat = ({ payload }: { payload: Answer["json"] }) => payload.chat_id === chat.chatId;
    const message = await ours.hears((event) => event.name === "message:new" && isOfChat(event));
    const row = await ours.hears((event) => event.name === "inbox:reorder" && isOfChat(event));
    const { id } = await theMessage(chat);
    const contacto = { id: chat.contactId, nombre: "Carla", numero: chat.phone, platform_id: chat.phone };
    const mensaje = { id, direccion: "saliente", tipo: "template", texto: "Hola Ana, tu pedido 7 está listo." };
    expect(message.payload).to.deep.include({ empresa_id: 1, conversacion_id: chat.conversationId, contacto });
    expect(message.payload.mensaje).to.deep.include({ ...mensaje, autor: "usuario", autor_nombre: "Ana Agente" });
    expect(message.payload.mensaje).to.include({ estado: "sent", error: null });
    expect(row.payload).to.deep.include({
      empresa_id: 1,
      conversacion_id: chat.conversationId,
      provider: cloudChannel,
      estado: "proceso",
      contacto,
    });
    expect(row.payload.mensaje).to.include({ ...mensaje, autor_nombre: "Ana Agente" });
    const [newest] = await world.rows<{ id: number }>(
      "select id from chats where business_id = 1 order by last_message_at desc nulls last, id desc limit 1",
    );
    expect(newest?.id).to.equal(chat.chatId);

    const foreign = await aChat("pending", { businessId: 2 });
    expectSent(await send(foreign));
    await theirs.hears(({ name }) => name === "inbox:reorder");
    expect(theirs.heard.every(({ payload }) => payload.empresa_id === 2)).to.equal(true);
  });
});
