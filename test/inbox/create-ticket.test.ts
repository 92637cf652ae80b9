import { EventEmitter, once } from "node:events";
import { expect } from "chai";
import { createContainer } from "../../src/bootstrap/container.ts";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { PostgresTicketSetups } from "../../src/inbox/adapters/postgres/tickets/ticket-steps.ts";
import type { CreatedTicket, CreateTicketCommand } from "../../src/inbox/application/tickets/create-ticket.ts";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import type { Statement } from "../../src/infra/postgres/database.ts";
import type { LoggedEvent } from "../../src/kernel/events.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { type Desk, Tickets } from "./ticket-support.ts";

describe("POST /chats/crear/ticket/business/{id}: create a ticket", () => {
  let world: World;
  let tickets: Tickets;
  let open: Desk;
  before(async () => {
    world = await startWorld({
      businesses: [aBusiness(1), aBusiness(2), aBusiness(3, { departments: [], steps: [] })],
      environment: { ROLE: "api", MEDIA_BASE_URL: "https://media.test/" },
      configure: (config) => ({ ...config, messagingPlatform: { ...config.messagingPlatform, timeoutMs: 1_500 } }),
    });
    tickets = new Tickets(world);
    open = await tickets.desk();
  });
  after(() => world.stop());
  afterEach(async () => {
    await world.control("DELETE", "/faults");
    await world.control("POST", "/webhooks", { paused: false });
    await tickets.textsDone();
  });

  const expectAnswer = ({ status, type, json }: Answer, expected: number, body: object): void => {
    expect({ status, type, body: json }).to.deep.equal({ status: expected, type: "application/json", body });
  };
  const expectError = (answer: Answer, status: number, error: string): void =>
    expectAnswer(answer, status, { success: false, error });

  /** The events that `work` publishes. `committed` tells whether an event was already in the log when published. */
  const publishedBy = async (work: () => Promise<unknown>) => {
    const feed = resolve(world.container, tokens.feed);
    const publish = feed.publish.bind(feed);
    const published: { name: string; committed: Promise<boolean> }[] = [];
    const isLogged = async ({ businessId, number }: LoggedEvent) =>
      (await world.rows("select from realtime_events where business_id = $1 and number = $2", [businessId, number]))
        .length > 0;
    feed.publish = (events) => {
      published.push(...events.map((event) => ({ name: event.name, committed: isLogged(event) })));
      publish(events);
    };
    await work().finally(() => {
      feed.publish = publish;
    });
    return published.filter(({ name }) => name !== "message:status");
  };

  describe("checks the request first", () => {
    const business = "empresa_id es requerido y debe ser un número";
    const step = "paso_id es requerido y debe ser un número";
    const phone = "phone_number es requerido";
    const wrong: [changes: object, error: string][] = [
      ...[undefined, null, "", "x", "1.0", 1.5, 0, -1, true, [1], {}, 2 ** 53].map((value): [object, string] => [
        { empresa_id: value },
        business,
      ]),
      ...[undefined, null, "", "+-()", "abc", 59170000001, ["1"]].map((value): [object, string] => [
        { phone_number: value },
        phone,
      ]),
      [{ phone_number: "5".repeat(65) }, "phone_number no puede tener más de 64 caracteres"],
      ...[1, null, {}, ["Ana"]].map((value): [object, string] => [{ name: value }, "name debe ser un texto"]),
    ];
    for (const [changes, error] of wrong) {
      const shown = JSON.stringify(changes, (_, value) => (value === undefined ? "(missing)" : value));
      it(`and answers ${shown.slice(0, 60)} with '${error}'`, async () =>
        expectError(await tickets.create(open.stepId, tickets.newPhone(), changes), 400, error));
    }

    for (const id of ["x", "0", "-1", "1.5", "1e3", "9007199254740992", "%20"]) {
      it(`and answers the step ${id} with '${step}'`, async () =>
        expectError(await tickets.create(id, tickets.newPhone()), 400, step));
    }

    it("and accepts digits in a string as the business", async () => {
      const answer = await tickets.create(open.stepId, tickets.newPhone(), { empresa_id: "1" });
      expect(answer.json.success).to.equal(true);
    });

    it("and checks the App Key before anything else", async () => {
      const answer = await request(`${world.api}/chats/crear/ticket/business/x`, { method: "POST", body: {} });
      expectAnswer(answer, 401, { message: "Invalid API key" });
    });
  });

  describe("demands a business and a step that belong together", () => {
    it("and answers another business like one that does not exist", async () => {
      for (const empresa_id of [2, "2", 999_999]) {
        expectError(
          await tickets.create(open.stepId, tickets.newPhone(), { empresa_id }),
          404,
          "Empresa no encontrada",
        );
      }
    });

    it("and distinguishes a missing step from another business's", async () => {
      expectError(await tickets.create(999_999, tickets.newPhone()), 404, "Paso no encontrado");
      expectError(await tickets.create(201, tickets.newPhone()), 404, "El paso no pertenece a la empresa");
    });

    it("and differs between the two only in this message", async () => {
      const seen = async (stepId: number) => {
        const { status, headers, json } = await tickets.create(stepId, tickets.newPhone());
        const { date, ratelimit, "content-length": length, "x-request-id": requestId, ...same } = headers;
        return { status, same, fields: Object.keys(json), success: json.success };
      };
      expect(await seen(201)).to.deep.equal(await seen(999_999));
      // Even with two cells, businesses 1 and 3 are both in the first one, where the search below looks.
      await world.rows(
        "insert into steps (business_id, id, name, identifier, type) values (3, 305, 'Ajeno', 'ajeno', 'ticket')",
      );
      const asked: string[] = [];
      const cell = {
        rows: <Row extends object>(statement: Statement, values: readonly unknown[]) => {
          asked.push(statement.name);
          return world.database.rows<Row>(statement, values);
        },
      };
      const setups = new PostgresTicketSetups(oneCell(cell));
      expect(await setups.find(1, 305)).to.equal("foreign");
      const ofForeign = asked.splice(0);
      expect(await setups.find(1, 999_999)).to.equal("missing");
      expect(asked).to.deep.equal(ofForeign);
    });

    it("and does not find a step of another type, even if another business has one with its id (§5.1)", async () => {
      for (const business of [1, 3]) {
        await world.rows(
          "insert into steps (business_id, id, name, identifier, type) values ($1, 150, 'Menú', 'menu', 'message')",
          [business],
        );
      }
      expectError(await tickets.create(150, tickets.newPhone()), 404, "Paso no encontrado");
    });

    it("and stores nothing otherwise", async () => {
      const phone = tickets.newPhone();
      await tickets.create(201, phone);
      await tickets.create(999_999, phone);
      await tickets.create(open.stepId, phone, { empresa_id: 2 });
      expect(await world.rows("select from contacts where phone = $1", [phone])).to.deep.equal([]);
    });
  });

  describe("makes a ticket", () => {
    it("with a missing contact, chat and conversation (§5.2)", async () => {
      const phone = tickets.newPhone();
      const written = `+${phone.slice(0, 3)} (${phone.slice(3, 6)})-${phone.slice(6)}`;
      const answer = await tickets.create(open.stepId, written, { name: "Ana Pérez" });
      const chat = await tickets.chat(phone);
      const [ticket] = await tickets.ticketsOf(chat?.chat_id ?? 0);
      expectAnswer(answer, 200, { success: true, chat_id: chat?.chat_id, ticket_id: ticket?.id });
      expect(chat).to.deep.include({ contact: "Ana Pérez", provider: "platform-apicloud", state: "pending" });
      expect(ticket).to.deep.include({
        agent_id: open.agentIds[0],
        step_id: open.stepId,
        state: "pending",
        conversation_id: chat?.conversation_id,
      });
    });

    it("for a contact whose name is the number if no name is given (§5.2)", async () => {
      const [phone, other] = [tickets.newPhone(), tickets.newPhone()];
      await tickets.created(open.stepId, phone);
      await tickets.create(open.stepId, other, { name: "" });
      expect((await tickets.chat(phone))?.contact).to.equal(phone);
      expect((await tickets.chat(other))?.contact).to.equal(other);
    });

    it("in the latest chat of a known contact, whom it does not rename (§5.2)", async () => {
      const phone = await tickets.customer();
      const before = await tickets.chat(phone);
      await world.rows("update chats set last_message_at = now() - interval '1 hour' where id = $1", [before?.chat_id]);
      await world.rows(
        `insert into chats (business_id, contact_id, provider, last_message_at)
         select 1, id, 'qr', now() from contacts where business_id = 1 and phone = $1`,
        [phone],
      );
      const { json } = await tickets.create(open.stepId, phone, { name: "Otro" });
      const [row] = await world.rows<{ provider: string }>("select provider from chats where id = $1", [json.chat_id]);
      expect(row?.provider).to.equal("qr");
      expect((await tickets.chat(phone))?.contact).to.equal(before?.contact);
      expect(await tickets.settledText(json.chat_id)).to.include({
        state: "failed",
        error_reason: "the business has no sender on qr",
      });
    });

    it("in the open conversation, which it takes from the bot (§5.4)", async () => {
      const phone = await tickets.customer();
      const before = await tickets.chat(phone);
      expect(before).to.include({ state: "bot", bot_available: true, support_user_id: null });
      await tickets.created(open.stepId, phone);
      expect(await tickets.chat(phone)).to.include({
        chat_id: before?.chat_id,
        conversation_id: before?.conversation_id,
        state: "pending",
        bot_available: false,
        support_user_id: open.agentIds[0],
      });
    });

    it("and leaves an agent's conversation in progress", async () => {
      const phone = await tickets.customer();
      const before = await tickets.chat(phone);
      await world.rows("update conversations set state = 'in_progress' where id = $1", [before?.conversation_id]);
      await tickets.created(open.stepId, phone);
      expect((await tickets.chat(phone))?.state).to.equal("in_progress");
    });

    it("once for each step while it is open, also for repeated requests (§5.7)", async () => {
      await world.control("POST", "/webhooks", { paused: true });
      const phone = tickets.newPhone();
      const first = await tickets.created(open.stepId, phone);
      await tickets.textsDone();
      const before = [await tickets.events(first.chat_id), await tickets.messages(first.chat_id)];
      expect(await tickets.created(open.stepId, phone)).to.deep.equal(first);
      await tickets.textsDone();
      expect([await tickets.events(first.chat_id), await tickets.messages(first.chat_id)]).to.deep.equal(before);

      const other = await tickets.desk();
      expect((await tickets.created(other.stepId, phone)).ticket_id).not.to.equal(first.ticket_id);
      await world.rows("update tickets set state = 'completed', closed_at = now() where id = $1", [first.ticket_id]);
      expect((await tickets.created(open.stepId, phone)).ticket_id).to.be.above(first.ticket_id ?? 0);
    });

    it("apart from the same number's in another business", async () => {
      const theirs = new Tickets(world, 2);
      const desk = await theirs.desk();
      const phone = tickets.newPhone();
      const [a, b] = [await tickets.created(open.stepId, phone), await theirs.created(desk.stepId, phone)];
      expect(a.chat_id).not.to.equal(b.chat_id);
      expect(await theirs.ticketsOf(b.chat_id)).to.have.length(1);
      expect(await theirs.ticketsOf(a.chat_id)).to.have.length(0);
    });
  });

  describe("assigns the agent (§5.3)", () => {
    const agentOf = async ({ chat_id }: { chat_id: number }) => (await tickets.ticketsOf(chat_id))[0]?.agent_id;

    it("that the step names, even if busier than others", async () => {
      const desk = await tickets.desk({ agents: 2, agent: ([, second]) => String(second) });
      const agents = [await tickets.created(desk.stepId), await tickets.created(desk.stepId)].map(agentOf);
      expect(await Promise.all(agents)).to.deep.equal([desk.agentIds[1], desk.agentIds[1]]);
    });

    it("that the step names, even if of another department", async () => {
      const [stranger] = await tickets.agents(1);
      const desk = await tickets.desk({ agents: 1, agent: () => ` ${stranger} ` });
      expect(await agentOf(await tickets.created(desk.stepId))).to.equal(stranger);
    });

    it("of the department if the named one is not available, not of the business, or not an agent", async () => {
      const unavailable = await tickets.desk({ agents: 2, agent: ([first]) => String(first) });
      await tickets.setAvailable(unavailable.agentIds.slice(0, 1), false);
      expect(await agentOf(await tickets.created(unavailable.stepId))).to.equal(unavailable.agentIds[1]);
      for (const unusable of ["999999", "101", "202", "Ana", ""]) {
        const desk = await tickets.desk({ agent: () => unusable });
        expect(await agentOf(await tickets.created(desk.stepId))).to.equal(desk.agentIds[0]);
      }
    });

    it("with the fewest open tickets in all departments, without closed ones", async () => {
      const desk = await tickets.desk({ agents: 2 });
      const [busy, idle] = desk.agentIds;
      const elsewhere = await tickets.desk({ agents: 0 });
      await tickets.join(elsewhere.departmentId ?? 0, [busy ?? 0]);
      const first = await tickets.created(elsewhere.stepId);
      expect(await agentOf(first)).to.equal(busy);
      const given = [await tickets.created(desk.stepId), await tickets.created(desk.stepId)].map(agentOf);
      expect(await Promise.all(given)).to.deep.equal([idle, busy]);
      await world.rows("update tickets set state = 'cancelled', closed_at = now() where agent_id = $1", [busy]);
      expect(await agentOf(await tickets.created(desk.stepId))).to.equal(busy);
    });

    it("who was assigned longest ago among equals", async () => {
      const desk = await tickets.desk({ agents: 3 });
      const [a, b, c] = desk.agentIds;
      const close =
        "update tickets set state = 'completed', closed_at = now() where agent_id = any($1) and closed_at is null";
      const next = async () => {
        await world.rows(close, [desk.agentIds]);
        return await agentOf(await tickets.created(desk.stepId));
      };
      expect([await next(), await next(), await next()]).to.deep.equal([a, b, c]);
      await tickets.setAvailable([a ?? 0], false);
      expect(await next()).to.equal(b);
      await tickets.setAvailable([a ?? 0], true);
      expect([await next(), await next(), await next()]).to.deep.equal([a, c, b]);
    });

    it("who is active, in the role of an agent and marked available", async () => {
      const desk = await tickets.desk({ agents: 4 });
      const [inactive, otherRole, absent, good] = desk.agentIds;
      await world.rows("update users set active = false where id = $1", [inactive]);
      await world.rows("update users set role_id = 1 where id = $1", [otherRole]);
      await tickets.setAvailable([absent ?? 0], false);
      expect(await agentOf(await tickets.created(desk.stepId))).to.equal(good);
    });

    it("only in the department's hours, also the named one", async () => {
      const desk = await tickets.desk({ agent: ([first]) => String(first), hours: {} });
      expect((await tickets.created(desk.stepId)).ticket_id).to.equal(null);
      const day = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
      await tickets.setHours(desk, Object.fromEntries(day.map((each) => [each, [["00:00", "24:00"]]])));
      expect((await tickets.created(desk.stepId)).ticket_id).to.be.a("number");
    });

    it("by the clock of the business", async () => {
      const other = new Tickets(world, 3);
      const now = new Date();
      const day = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"][now.getUTCDay()] ?? "";
      const hour = String(now.getUTCHours()).padStart(2, "0");
      // The department is open during the current hour of UTC. The clock in Tokyo shows another hour.
      const desk = await other.desk({
        hours: {
          [day]: [
            [`${hour}:00`, `${hour}:59`],
            [`${hour}:59`, nextHour(hour)],
          ],
        },
      });
      const tell = (timezone: string) =>
        world.rows("update businesses set feature_flags = jsonb_build_object('timezone', $1::text) where id = 3", [
          timezone,
        ]);
      await tell("Asia/Tokyo");
      expect((await other.created(desk.stepId)).ticket_id).to.equal(null);
      await tell("UTC");
      expect((await other.created(desk.stepId)).ticket_id).to.be.a("number");
    });

    it("of the whole business, at any time, for a step without a department", async () => {
      const other = new Tickets(world, 2);
      const desk = await other.desk({ agents: 3, withoutDepartment: true });
      await world.rows("update users set available = id = any($1) where business_id = 2", [desk.agentIds.slice(1)]);
      const given = [await other.created(desk.stepId), await other.created(desk.stepId)];
      const agents = await Promise.all(given.map(async ({ chat_id }) => (await other.ticketsOf(chat_id))[0]?.agent_id));
      expect(agents).to.deep.equal(desk.agentIds.slice(1));
    });
  });

  describe("announces the ticket", () => {
    it("to the contact in the business's name with the step's content (§5.4)", async () => {
      const phone = await tickets.customer();
      await world.control("POST", "/webhooks", { paused: true });
      const { chat_id } = await tickets.created(open.stepId, phone);
      const text = await tickets.settledText(chat_id);
      const [sent] = await tickets.accepted(phone);
      await world.control("POST", "/webhooks", { paused: false });
      expect(text).to.deep.include({
        body: "Hola, te atendemos",
        author: "business",
        author_name: "Negocio 1",
        state: "sent",
        platform_message_id: sent.id,
        reference: sent.reference,
        attempt: 1,
        lease_until: null,
      });
      expect(sent).to.include({ type: "text", text: "Hola, te atendemos" });
    });

    const welcomes: [what: string, step: Record<string, string>, kind: string, link: string][] = [
      [
        "a picture at an address",
        { media_url: "https://files.test/hola.jpg", media_type: "image/jpeg" },
        "image",
        "https://files.test/hola.jpg",
      ],
      [
        "a stored file",
        { media: "menú 1.pdf", media_type: "application/pdf" },
        "document",
        "https://media.test/men%C3%BA%201.pdf",
      ],
      ["a file of an unknown type", { media: "hola.bin" }, "document", "https://media.test/hola.bin"],
    ];
    for (const [what, step, kind, link] of welcomes) {
      it(`to the contact with the step's media: ${what} (§5.4)`, async () => {
        const desk = await tickets.desk();
        const values = [desk.stepId, step.media ?? null, step.media_url ?? null, step.media_type ?? null];
        await world.rows("update steps set media = $2, media_url = $3, media_type = $4 where id = $1", values);
        const phone = await tickets.customer();
        const { chat_id } = await tickets.created(desk.stepId, phone);
        await tickets.textsDone();
        const messages = await world.rows(
          "select kind, body, media_url from messages where chat_id = $1 and kind <> 'ticket' and direction = 'out'",
          [chat_id],
        );
        expect(messages).to.deep.equal([{ kind, body: "Hola, te atendemos", media_url: link }]);
        const [sent] = await tickets.accepted(phone);
        const name = kind === "document" && { filename: step.media };
        expect(sent).to.deep.include({ type: kind, media: { link, caption: "Hola, te atendemos", ...name } });
      });
    }

    it("to the contact with only the step's media if the step has no content", async () => {
      const desk = await tickets.desk({ content: "" });
      await world.rows(
        "update steps set media_url = 'https://files.test/a.ogg', media_type = 'audio/ogg' where id = $1",
        [desk.stepId],
      );
      const phone = await tickets.customer();
      await tickets.created(desk.stepId, phone);
      await tickets.textsDone();
      expect((await tickets.accepted(phone))[0]).to.include({ type: "audio" });
    });

    it("to the contact at their number on the platform", async () => {
      const [phone, platformId] = [tickets.newPhone(), tickets.newPhone()];
      await world.rows("insert into contacts (business_id, name, phone, platform_id) values (1, 'Ana', $1, $2)", [
        phone,
        platformId,
      ]);
      await world.control("POST", `/customers/${platformId}/say`, { text: "Hola" });
      await eventually(async () => (await tickets.chat(phone)) !== undefined);
      const { chat_id } = await tickets.created(open.stepId, platformId);
      await tickets.settledText(chat_id);
      expect(await tickets.accepted(platformId)).to.have.length(1);
      expect((await tickets.chat(phone))?.chat_id).to.equal(chat_id);
    });

    it("and succeeds even if the platform refuses the text (§5.4)", async () => {
      const { chat_id, ticket_id } = await tickets.created(open.stepId);
      expect(ticket_id).to.be.a("number");
      expect(await tickets.settledText(chat_id)).to.include({ state: "failed", error_code: 131047 });
    });

    it("with no text to the contact if the step has no content", async () => {
      const desk = await tickets.desk({ content: "  " });
      const { chat_id, ticket_id } = await tickets.created(desk.stepId, await tickets.customer());
      await tickets.textsDone();
      expect(ticket_id).to.be.a("number");
      expect((await tickets.messages(chat_id)).map(({ kind }) => kind)).to.deep.equal(["ticket"]);
    });

    it("at once, without waiting for the platform, and sends the text once (§5.4)", async () => {
      const phone = await tickets.customer();
      await world.control("POST", "/webhooks", { paused: true });
      await world.control("POST", "/faults", { hang: true, accept: true });
      const { chat_id, ticket_id } = await tickets.created(open.stepId, phone);
      expect(ticket_id).to.be.a("number");
      expect(await tickets.text(chat_id)).to.include({ state: "sending", error_reason: null });
      expect(await tickets.settledText(chat_id)).to.include({ state: "unknown" });
      await world.control("POST", "/webhooks", { paused: false });
      await eventually(async () => (await tickets.text(chat_id)).state === "read");
      await tickets.created(open.stepId, phone);
      expect(await tickets.accepted(phone)).to.have.length(1);
    });

    it("to the agents in the chat by a note that is not sent", async () => {
      const phone = await tickets.customer();
      const { chat_id, ticket_id } = await tickets.created(open.stepId, phone);
      await tickets.textsDone();
      const [note, text] = await tickets.messages(chat_id);
      expect(note).to.deep.include({
        kind: "ticket",
        body: "Ticket nuevo: Hablar (Agente 1)",
        author: "business",
        author_name: "Negocio 1",
        state: "sent",
        details: { ticketId: ticket_id, stepId: open.stepId, agentId: open.agentIds[0] },
      });
      expect(text?.kind).to.equal("text");
      expect(await tickets.accepted(phone)).to.have.length(1);
    });

    it("to the funnel, and adds the step's tags without announcing those that the chat has (§5.4)", async () => {
      const [a = 0, b = 0, c = 0] = await tickets.tags(3);
      const [theirs] = await new Tickets(world, 2).tags(1);
      const [first, second] = [
        await tickets.desk({ tags: `${a}, ${b}, ${theirs}, 999999` }),
        await tickets.desk({ tags: JSON.stringify([b, String(c), b]) }),
      ];
      const phone = await tickets.customer();
      const one = await tickets.created(first.stepId, phone);
      const created = { type: "ticket_created", step_id: first.stepId, tag_id: null, ticket_id: one.ticket_id };
      const tag = (tag_id: number) => ({ ...created, type: "assigned_tag", tag_id });
      expect(await tickets.funnel(one.chat_id)).to.deep.equal([created, tag(a), tag(b)]);

      const two = await tickets.created(second.stepId, phone);
      const again = { step_id: second.stepId, ticket_id: two.ticket_id };
      expect(await tickets.funnel(one.chat_id)).to.have.deep.members([
        created,
        tag(a),
        tag(b),
        { ...created, ...again },
        { ...tag(c), ...again },
      ]);
      const tagged = await world.rows<{ tag_id: number }>(
        "select tag_id from chat_tags where business_id = 1 and chat_id = $1 order by 1",
        [one.chat_id],
      );
      expect(tagged.map(({ tag_id }) => tag_id)).to.deep.equal([a, b, c]);
    });

    it("to the inbox: the chat moves to its top, and clients get the event after the commit (§5.5)", async () => {
      const phone = await tickets.customer();
      await tickets.customer();
      const [inbox, foreign] = [await world.listen(open.agentIds[0] ?? 0), await world.listen(202)];
      const { chat_id, ticket_id } = await tickets.created(open.stepId, phone);
      const [top] = await world.rows<{ id: number }>(
        "select id from chats where business_id = 1 order by last_message_at desc nulls last, id desc limit 1",
      );
      expect(top?.id).to.equal(chat_id);
      const chat = await tickets.chat(phone);
      const { payload: made } = await inbox.hears(({ name }) => name === "ticket:new");
      const contacto = { nombre: chat?.contact, numero: phone, platform_id: phone };
      expect(made.contacto).to.include(contacto);
      expect({ ...made, contacto: null, fecha: null, at: null, seq: null }).to.deep.equal({
        empresa_id: 1,
        at: null,
        seq: null,
        ticket_id,
        estado: "pendiente",
        chat_id,
        conversacion_id: chat?.conversation_id,
        conversacion_estado: "pendiente",
        contacto: null,
        provider: "platform-apicloud",
        soporte_id: open.agentIds[0],
        agente: { id: open.agentIds[0], nombre: "Agente 1" },
        paso: { id: open.stepId, nombre: "Hablar" },
        departamento: { id: open.departmentId, nombre: "Depto" },
        fecha: null,
      });
      for (const time of [made.fecha, made.at]) expect(new Date(time).toISOString()).to.equal(time);
      const { payload: reorder } = await inbox.hears(({ name }) => name === "inbox:reorder");
      expect(reorder).to.deep.include({
        empresa_id: 1,
        chat_id,
        soporte_id: open.agentIds[0],
        estado: "pendiente",
        conversacion_id: chat?.conversation_id,
      });
      expect(reorder.mensaje).to.include({ tipo: "ticket", texto: "Ticket nuevo: Hablar (Agente 1)" });
      const heard = () => inbox.heard.map(({ name }) => name).filter((name) => name !== "message:status");
      await eventually(() => heard().length >= 7);
      expect(heard()).to.deep.equal([
        "chat:changed",
        "ticket:new",
        "agent:changed",
        "message:new",
        "inbox:reorder",
        "message:new",
        "inbox:reorder",
      ]);
      expect(foreign.heard).to.deep.equal([]);
    });

    it("to clients all at once, and only after the commit", async () => {
      const desk = await tickets.desk({ content: "" });
      const published = await publishedBy(() => tickets.created(desk.stepId));
      expect(published.map(({ name }) => name)).to.deep.equal([
        "chat:changed",
        "ticket:new",
        "agent:changed",
        "message:new",
        "inbox:reorder",
      ]);
      for (const { committed } of published) expect(await committed).to.equal(true);
    });

    it("to no client if the ticket was not created", async () => {
      const desk = await tickets.desk();
      const phone = tickets.newPhone();
      await world.rows("alter table funnel_events rename to away");
      const answer = await tickets
        .create(desk.stepId, phone)
        .finally(() => world.rows("alter table away rename to funnel_events"));
      expectError(answer, 500, "Error: fallo inesperado");
      expect(await world.rows("select from contacts where phone = $1", [phone])).to.deep.equal([]);
      const events = "select from realtime_events where name = 'ticket:new' and (payload->'step'->>'id')::bigint = $1";
      expect(await world.rows(events, [desk.stepId])).to.deep.equal([]);
    });
  });

  describe("at the same time", () => {
    const together = <Made>(count: number, create: (index: number) => Promise<Made>): Promise<Made[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => create(index)));
    /** Runs `use` with several containers, which stand for processes: each has its own database connections. */
    const severalProcesses = async <Result>(
      count: number,
      use: (execute: (index: number, command: CreateTicketCommand) => Promise<CreatedTicket>) => Promise<Result>,
    ): Promise<Result> => {
      const containers = Array.from({ length: count }, () => createContainer(world.config));
      const made = containers.map((container) => resolve(container, tokens.createTicket));
      try {
        return await use(async (index, command) => {
          const createTicket = made[index % count];
          if (!createTicket) throw new Error("no process");
          return await createTicket.execute(command);
        });
      } finally {
        for (const container of containers) {
          await resolve(container, tokens.sendMessage).idle();
          await resolve(container, tokens.database).close();
        }
      }
    };

    it("gives 30 chats to three agents 10, 10 and 10", async () => {
      const desk = await tickets.desk({ agents: 3 });
      const made = await together(30, () => tickets.created(desk.stepId));
      expect(new Set(made.map(({ ticket_id }) => ticket_id)).size).to.equal(30);
      expect(await tickets.load(desk)).to.deep.equal([10, 10, 10]);
    });

    it("does so in several processes, by several steps of the department, and without a department", async () => {
      const desk = await tickets.desk({ agents: 3 });
      const steps = [desk.stepId, await tickets.step(desk.departmentId)];
      const other = new Tickets(world, 2);
      const everybody = await other.desk({ agents: 3, withoutDepartment: true });
      await world.rows("update users set available = id = any($1) where business_id = 2", [everybody.agentIds]);
      await severalProcesses(5, async (execute) => {
        await together(30, (index) =>
          execute(index, { businessId: 1, stepId: steps[index % 2] ?? 0, phone: tickets.newPhone() }),
        );
        await together(30, (index) =>
          execute(index, { businessId: 2, stepId: everybody.stepId, phone: tickets.newPhone() }),
        );
      });
      expect(await tickets.load(desk)).to.deep.equal([10, 10, 10]);
      expect(await other.load(everybody)).to.deep.equal([10, 10, 10]);
    });

    it("makes one ticket of requests for one new chat in several processes", async () => {
      const desk = await tickets.desk({ agents: 3 });
      const phone = tickets.newPhone();
      const made = await severalProcesses(5, (execute) =>
        together(20, (index) => execute(index, { businessId: 1, stepId: desk.stepId, phone })),
      );
      expect(new Set(made.map(({ ticketId }) => ticketId)).size).to.equal(1);
      expect(await tickets.ticketsOf(made[0]?.chatId ?? 0)).to.have.length(1);
    });

    it("leaves connections to others while a department is locked", async () => {
      const desk = await tickets.desk();
      const holder = new EventEmitter();
      const isHeld = once(holder, "held");
      const holding = world.database.transaction(async (transaction) => {
        const lock = { name: "", text: "select from departments where id = $1 for update" };
        await transaction.rows(lock, [desk.departmentId]);
        const released = once(holder, "release");
        holder.emit("held");
        await released;
      });
      await isHeld;
      const made = together(30, () => tickets.created(desk.stepId));
      await eventually(async () => {
        const waiting =
          "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%from departments%'";
        return (await world.rows(waiting)).length > 0;
      });
      for (let turn = 0; turn < 3; turn += 1) {
        expect((await world.get("/chats/obtener/pasos/tickets/1")).status).to.equal(200);
      }
      holder.emit("release");
      await holding;
      expect((await made).every(({ ticket_id }) => ticket_id !== null)).to.equal(true);
    });

    it("creates one ticket from 30 requests for one chat, announces it once and greets once", async () => {
      const desk = await tickets.desk({ agents: 3 });
      const phone = await tickets.customer();
      const made = await together(30, () => tickets.created(desk.stepId, phone));
      const [first] = made;
      for (const each of made) expect(each).to.deep.equal({ success: true, ...first });
      expect(await tickets.ticketsOf(first?.chat_id ?? 0)).to.have.length(1);
      await tickets.settledText(first?.chat_id ?? 0);
      expect(await tickets.accepted(phone)).to.have.length(1);
      const events = await tickets.events(first?.chat_id ?? 0);
      expect(events.filter((name) => name === "ticket:new")).to.have.length(1);
    });

    it("makes a ticket of each step for one new contact, in one chat, through different departments", async () => {
      const desks = await Promise.all(Array.from({ length: 6 }, () => tickets.desk()));
      const phone = tickets.newPhone();
      const made = await together(30, (index) => tickets.created(desks[index % 6]?.stepId ?? 0, phone));
      expect(new Set(made.map(({ chat_id }) => chat_id)).size).to.equal(1);
      expect(await tickets.ticketsOf(made[0]?.chat_id ?? 0)).to.have.length(6);
    });

    it("works while customers write", async () => {
      const desk = await tickets.desk({ agents: 2 });
      const phones = Array.from({ length: 20 }, () => tickets.newPhone());
      const [made] = await Promise.all([
        together(20, (index) => tickets.created(desk.stepId, phones[index])),
        ...phones.map((phone) => world.control("POST", `/customers/${phone}/say`, { text: "Hola" })),
      ]);
      expect(made.every(({ ticket_id }) => ticket_id !== null)).to.equal(true);
      expect(await tickets.load(desk)).to.deep.equal([10, 10]);
      await eventually(async () => {
        const written = "select from messages where business_id = 1 and chat_id = any($1) and direction = 'in'";
        return (await world.rows(written, [made.map(({ chat_id }) => chat_id)])).length === 20;
      });
      for (const { chat_id } of made) {
        const [ticket] = await tickets.ticketsOf(chat_id);
        const { json } = await world.get(`/chats/${chat_id}`);
        expect(json).to.deep.include({ soporte_id: ticket?.agent_id, estado: "pendiente" });
      }
    });
  });
});

const nextHour = (hour: string): string =>
  hour === "23" ? "24:00" : `${String(Number(hour) + 1).padStart(2, "0")}:00`;
