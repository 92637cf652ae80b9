import { expect } from "chai";
import { resolve, resolveAll } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { type Desk, Tickets } from "./ticket-support.ts";

describe("contacts who wait for an agent", () => {
  let world: World;
  let tickets: Tickets;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(2)], environment: { ROLE: "api" } });
    tickets = new Tickets(world);
  });
  after(() => world.stop());
  afterEach(async () => {
    await tickets.textsDone();
    await world.rows("delete from waiting_tickets");
  });

  const closed = { hours: {}, message: "Volvemos a las 8" };
  const waits = async (desk: Desk, phone?: string): Promise<number> => {
    const { chat_id, ticket_id } = await tickets.created(desk.stepId, phone);
    expect(ticket_id).to.equal(null);
    return chat_id;
  };
  const longAgo = () => world.rows("update waiting_tickets set told_at = now() - interval '11 minutes'");

  describe("while no agent is available", () => {
    it("get no ticket, and the department's out-of-hours message (§5.6)", async () => {
      const desk = await tickets.desk(closed);
      const phone = await tickets.customer();
      const answer = await tickets.create(desk.stepId, phone);
      const chat = await tickets.chat(phone);
      expect([answer.status, answer.json]).to.deep.equal([
        200,
        { success: false, chat_id: chat?.chat_id, ticket_id: null },
      ]);
      const text = await tickets.settledText(chat?.chat_id ?? 0);
      expect(text).to.include({ body: "Volvemos a las 8", author: "business", author_name: "Negocio 1" });
      expect(await tickets.accepted(phone)).to.have.length(1);
      expect(await tickets.ticketsOf(chat?.chat_id ?? 0)).to.deep.equal([]);
      expect(await tickets.funnel(chat?.chat_id ?? 0)).to.deep.equal([]);
    });

    it("get the default message if the department has none, also during its hours, and without a department", async () => {
      const other = new Tickets(world, 2);
      await world.rows("update users set available = false where business_id = 2");
      for (const [from, desk] of [
        [tickets, await tickets.desk({ agents: 0 })],
        [other, await other.desk({ agents: 0, withoutDepartment: true })],
      ] as const) {
        const { chat_id, ticket_id } = await from.created(desk.stepId);
        expect(ticket_id).to.equal(null);
        expect((await from.settledText(chat_id)).body).to.match(/^En este momento no hay nadie disponible/);
      }
    });

    it("stay with the bot, at the top of the inbox, with a note for the agents (§5.5)", async () => {
      const desk = await tickets.desk(closed);
      const phone = await tickets.customer();
      const inbox = await world.listen(desk.agentIds[0] ?? 0);
      const chatId = await waits(desk, phone);
      const { payload } = await inbox.hears(({ name }) => name === "inbox:reorder");
      expect(payload).to.deep.include({ chat_id: chatId, estado: "bot", soporte_id: null });
      expect(payload.mensaje).to.include({ tipo: "ticket", texto: "Nadie disponible: Hablar" });
      expect(await tickets.chat(phone)).to.include({ state: "bot", bot_available: true, support_user_id: null });
      expect(inbox.heard.filter(({ name }) => name === "ticket:new")).to.deep.equal([]);
    });

    it("get the message at most once in ten minutes (§5.6)", async () => {
      const desk = await tickets.desk(closed);
      const phone = await tickets.customer();
      const asked = await Promise.all(Array.from({ length: 30 }, () => tickets.created(desk.stepId, phone)));
      const chatId = asked[0]?.chat_id ?? 0;
      for (const each of asked) expect(each).to.include({ success: false, chat_id: chatId, ticket_id: null });
      await tickets.textsDone();
      expect(await tickets.messages(chatId)).to.have.length(2);
      expect(await tickets.accepted(phone)).to.have.length(1);
      await longAgo();
      await waits(desk, phone);
      await tickets.textsDone();
      expect(await tickets.accepted(phone)).to.have.length(2);
      await waits(await tickets.desk(closed), phone);
      await tickets.textsDone();
      expect(await tickets.accepted(phone)).to.have.length(3);
      expect(await tickets.waiting(chatId)).to.have.length(2);
    });

    it("get the message again in a new conversation", async () => {
      const desk = await tickets.desk(closed);
      const phone = await tickets.customer();
      const chatId = await waits(desk, phone);
      await world.rows("update conversations set closed_at = now() where business_id = 1 and chat_id = $1", [chatId]);
      await waits(desk, phone);
      await tickets.textsDone();
      expect(await tickets.accepted(phone)).to.have.length(2);
    });

    it("get a ticket at once when they ask again and an agent is available", async () => {
      const desk = await tickets.desk(closed);
      const phone = await tickets.customer();
      const chatId = await waits(desk, phone);
      await tickets.setHours(desk, null);
      expect((await tickets.created(desk.stepId, phone)).ticket_id).to.be.a("number");
      expect(await tickets.waiting(chatId)).to.deep.equal([]);
    });
  });

  describe("when agents are available again", () => {
    it("get a complete ticket (§5.6)", async () => {
      const [tag = 0] = await tickets.tags(1);
      const desk = await tickets.desk({ ...closed, tags: `[${tag}]` });
      const phone = await tickets.customer();
      const chatId = await waits(desk, phone);
      await tickets.textsDone();
      expect(await tickets.sweep()).to.equal(0);
      await tickets.setHours(desk, null);
      const inbox = await world.listen(desk.agentIds[0] ?? 0);
      expect(await tickets.sweep()).to.equal(1);
      const [ticket] = await tickets.ticketsOf(chatId);
      expect(ticket).to.include({ agent_id: desk.agentIds[0], step_id: desk.stepId, state: "pending" });
      expect(await tickets.chat(phone)).to.include({
        state: "pending",
        bot_available: false,
        support_user_id: desk.agentIds[0],
      });
      const created = { type: "ticket_created", step_id: desk.stepId, tag_id: null, ticket_id: ticket?.id };
      expect(await tickets.funnel(chatId)).to.deep.equal([created, { ...created, type: "assigned_tag", tag_id: tag }]);
      const { payload } = await inbox.hears(({ name }) => name === "ticket:new");
      expect(payload).to.deep.include({ ticket_id: ticket?.id, chat_id: chatId, soporte_id: desk.agentIds[0] });
      await inbox.hears(({ name }) => name === "inbox:reorder");
      const bodies = (await tickets.accepted(phone)).map(({ text }) => text);
      expect(bodies).to.deep.equal(["Volvemos a las 8", "Hola, te atendemos"]);
      expect(await tickets.waiting(chatId)).to.deep.equal([]);
      expect(await tickets.sweep()).to.equal(0);
    });

    it("are announced live", async () => {
      const desk = await tickets.desk({ ...closed, content: "" });
      await waits(desk);
      await tickets.textsDone();
      await tickets.setHours(desk, null);
      const feed = resolve(world.container, tokens.feed);
      const publish = feed.publish;
      const names: string[] = [];
      feed.publish = (events) => void names.push(...events.map(({ name }) => name));
      await tickets.sweep().finally(() => {
        feed.publish = publish;
      });
      expect(names.filter((name) => name !== "message:status")).to.deep.equal([
        "chat:changed",
        "ticket:new",
        "agent:changed",
        "message:new",
        "inbox:reorder",
      ]);
    });

    it("get a ticket from a tick, without another message", async () => {
      const desk = await tickets.desk({ agents: 1 });
      await tickets.setAvailable(desk.agentIds, false);
      const chatId = await waits(desk);
      await tickets.setAvailable(desk.agentIds, true);
      const tick = resolveAll(world.container, tokens.tick).find(({ name }) => name === "tickets.assign-waiting");
      await tick?.run(new AbortController().signal);
      expect(await tickets.ticketsOf(chatId)).to.have.length(1);
      expect(tick?.everySeconds).to.be.at.most(60);
    });

    it("are served in the order of waiting, evenly over the agents, and by the agent that the step names", async () => {
      const desk = await tickets.desk({ ...closed, agents: 3 });
      const named = await tickets.step(desk.departmentId, "Hola", null, String(desk.agentIds[2]));
      const chats: number[] = [];
      for (let turn = 0; turn < 5; turn += 1) chats.push(await waits(desk));
      const special = await waits({ ...desk, stepId: named });
      await world.rows("update waiting_tickets set since = now() - interval '1 day' where chat_id = $1", [special]);
      await tickets.setHours(desk, null);
      expect(await tickets.sweep()).to.equal(6);
      const agents = await Promise.all(
        [special, ...chats].map(async (chatId) => (await tickets.ticketsOf(chatId))[0]?.agent_id),
      );
      const [a, b, c] = desk.agentIds;
      expect(agents).to.deep.equal([c, a, b, c, a, b]);
      expect(await tickets.load(desk)).to.deep.equal([2, 2, 2]);
    });

    it("are served alone if only the agent of their step is available", async () => {
      const desk = await tickets.desk({ agents: 0 });
      const [stranger = 0] = await tickets.agents(1);
      const named = await tickets.step(desk.departmentId, "Hola", null, ` ${stranger}`);
      await tickets.setAvailable([stranger], false);
      const [others, theirs] = [await waits(desk), await waits({ ...desk, stepId: named })];
      expect(await tickets.sweep()).to.equal(0);
      await tickets.setAvailable([stranger], true);
      expect(await tickets.sweep()).to.equal(1);
      expect(await tickets.ticketsOf(theirs)).to.have.length(1);
      expect(await tickets.waiting(others)).to.have.length(1);
    });

    it("get one ticket for each step, in the open conversation", async () => {
      const desk = await tickets.desk(closed);
      const second = await tickets.step(desk.departmentId);
      const phone = tickets.newPhone();
      const chatId = await waits(desk, phone);
      await waits({ ...desk, stepId: second }, phone);
      await tickets.setHours(desk, null);
      expect(await tickets.sweep()).to.equal(2);
      expect((await tickets.ticketsOf(chatId)).map(({ step_id }) => step_id)).to.have.members([desk.stepId, second]);
    });

    it("get none if their conversation is closed or has an agent", async () => {
      const desk = await tickets.desk(closed);
      const [over, attended, open] = [await waits(desk), await waits(desk), await waits(desk)];
      await world.rows("update conversations set closed_at = now() where chat_id = $1", [over]);
      await world.rows("update conversations set state = 'in_progress' where chat_id = $1", [attended]);
      await tickets.setHours(desk, null);
      expect(await tickets.sweep()).to.equal(1);
      expect(await tickets.ticketsOf(open)).to.have.length(1);
      for (const chatId of [over, attended]) {
        expect(await tickets.ticketsOf(chatId)).to.deep.equal([]);
        expect(await tickets.waiting(chatId)).to.deep.equal([]);
      }
    });

    it("each get one ticket while several workers serve several businesses and queues", async () => {
      const other = new Tickets(world, 2);
      const desks = [await tickets.desk({ ...closed, agents: 3 }), await tickets.desk({ ...closed, agents: 2 })];
      const theirs = await other.desk({ ...closed, agents: 3, withoutDepartment: true });
      await world.rows("update users set available = false where business_id = 2");
      const [first, second] = desks as [Desk, Desk];
      const chatIds = await Promise.all([
        ...Array.from({ length: 30 }, () => waits(first)),
        ...Array.from({ length: 10 }, () => waits(second)),
      ]);
      for (let turn = 0; turn < 6; turn += 1) await other.created(theirs.stepId);
      for (const desk of desks) await tickets.setHours(desk, null);
      await other.setAvailable(theirs.agentIds, true);
      const [a, b, c, late] = await Promise.all([
        tickets.sweep(),
        tickets.sweep(),
        tickets.sweep(),
        tickets.created(first.stepId),
      ]);
      expect(late.ticket_id).to.be.a("number");
      // A sweep skips a department that another sweep has locked. This last sweep assigns the tickets that still wait.
      const rest = await tickets.sweep();
      expect(a + b + c + rest).to.equal(46);
      expect(await tickets.load(first)).to.deep.equal([11, 10, 10]);
      expect(await tickets.load(second)).to.deep.equal([5, 5]);
      expect(await other.load(theirs)).to.deep.equal([2, 2, 2]);
      for (const chatId of chatIds) {
        expect(await tickets.ticketsOf(chatId)).to.have.length(1);
        expect((await tickets.events(chatId)).filter((name) => name === "ticket:new")).to.have.length(1);
      }
    });

    it("all get one, even if there are too many for one batch", async () => {
      const desk = await tickets.desk({ agents: 2 });
      await world.rows(
        `with contact as (
           insert into contacts (business_id, name, phone, platform_id)
           select 1, 'Ana', 59150000000 + n, 59150000000 + n from generate_series(1, 120) as n returning id
         ), chat as (
           insert into chats (business_id, contact_id, provider) select 1, id, 'page' from contact returning id
         ), talk as (
           insert into conversations (business_id, chat_id, state) select 1, id, 'bot' from chat returning id, chat_id
         )
         select chat_id, id from talk`,
      );
      await world.rows(
        `insert into waiting_tickets (business_id, chat_id, step_id, conversation_id)
         select 1, chat.id, $1, talk.id from chats as chat join conversations as talk on talk.chat_id = chat.id
         where chat.business_id = 1 and chat.provider = 'page'`,
        [desk.stepId],
      );
      expect(await tickets.sweep()).to.equal(120);
      expect(await tickets.load(desk)).to.deep.equal([60, 60]);
    });

    it("get one although a queue before them fails", async () => {
      const [broken, good] = [await tickets.desk(closed), await tickets.desk(closed)];
      await waits(broken);
      const chatId = await waits(good);
      await tickets.setHours(broken, null);
      await tickets.setHours(good, null);
      await world.rows(
        `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
         create trigger refuse before insert on tickets for each row
         when (new.step_id = ${broken.stepId}) execute function refuse()`,
      );
      expect(await tickets.sweep()).to.equal(1);
      await world.rows("drop function refuse cascade");
      expect(await tickets.ticketsOf(chatId)).to.have.length(1);
    });
  });

  it("are not stored if the department's hours are invalid", async () => {
    for (const hours of [[], { lun: [] }, { mon: null }, { mon: ["08:00", "18:00"] }, { mon: [["8:00", "18:00"]] }]) {
      const error = await tickets.desk({ hours }).then(
        () => null,
        ({ constraint }) => constraint,
      );
      expect(error, JSON.stringify(hours)).to.equal("departments_opening_hours_check");
    }
    for (const hours of [{ mon: [["08:00", "25:00"]] }, { mon: [["08:00"]] }, { mon: [[8, 18]] }, "08:00"]) {
      expect(await tickets.desk({ hours } as { hours: object }).catch(() => "refused")).to.equal("refused");
    }
    await tickets.desk({
      hours: {
        mon: [],
        sun: [
          ["00:00", "24:00"],
          ["22:30", "02:00"],
        ],
      },
    });
  });

  it("have the outcome of their text stored before the service stops", async () => {
    const own = await startWorld({ environment: { ROLE: "api" } });
    const [texts, database] = [resolve(own.container, tokens.sendMessage), resolve(own.container, tokens.database)];
    const order: string[] = [];
    const [idle, close] = [texts.idle.bind(texts), database.close.bind(database)];
    texts.idle = async () => {
      await idle();
      order.push("texts");
    };
    database.close = async () => {
      order.push("database");
      await close();
    };
    const theirs = new Tickets(own);
    const desk = await theirs.desk();
    const phone = await theirs.customer();
    await own.control("POST", "/faults", { delay_ms: 200 });
    const { chat_id } = await theirs.created(desk.stepId, phone);
    await idle();
    expect((await theirs.text(chat_id)).state).not.to.equal("sending");
    await own.stop();
    expect(order).to.deep.equal(["texts", "database"]);
  });
});
