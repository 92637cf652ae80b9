import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { Inbox, people, sales, support } from "../inbox/inbox-support.ts";
import type { Answer } from "../support/http.ts";
import { eventually } from "../support/wait.ts";

const { admin, ana, bea, carl } = people;
const step = 901;

/**
 * Changes of steps, changes of users and the assignment of tickets lock some of the same rows. They must not deadlock
 * when they run at the same time.
 */
describe("Simultaneous changes of steps, users and tickets", () => {
  let inbox: Inbox;
  before(async () => {
    inbox = await Inbox.start();
    await inbox.addTicketStep(step, sales);
  });
  after(() => inbox.stop());

  const deadlocks = async (): Promise<number> => {
    const counted = "select deadlocks::int as n from pg_stat_database where datname = current_database()";
    return (await inbox.world.rows<{ n: number }>(counted))[0]?.n ?? 0;
  };
  const rewrite = async (path: string, changes: object) => {
    const record = await inbox.done(admin, "GET", path);
    return inbox.ask(admin, "PUT", path, { ...record, ...changes });
  };
  const openTicket = (phone: string) =>
    inbox.world.post(`/chats/crear/ticket/business/${step}`, { empresa_id: 1, phone_number: phone });
  const moves = async (user: number) => {
    const { departamentos } = await inbox.done(admin, "GET", `/admin/users/${user}`);
    return rewrite(`/admin/users/${user}`, { departamentos: departamentos.includes(sales) ? [support] : [sales] });
  };

  /**
   * Locks the chat's open conversation, and starts the works in order meanwhile. A work starts when the previous work
   * waits for a lock or is done.
   */
  const inOrder = async (chatId: number, works: readonly (() => Promise<unknown>)[]): Promise<unknown[]> => {
    const begun: Promise<unknown>[] = [];
    await inbox.world.database.transaction(async (transaction) => {
      const held = "select from conversations where business_id = 1 and chat_id = $1 and closed_at is null for update";
      await transaction.rows({ name: "", text: held }, [chatId]);
      for (const work of works) {
        const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        const earlier = (await inbox.world.rows(waiting)).length;
        let isDone = false;
        begun.push(
          work().finally(() => {
            isDone = true;
          }),
        );
        await eventually(async () => isDone || (await inbox.world.rows(waiting)).length > earlier);
      }
    });
    return Promise.all(begun);
  };
  const succeeded = (answers: readonly Answer[]) =>
    expect(answers.map(({ status, text }) => (status === 200 ? 200 : text))).to.deep.equal(answers.map(() => 200));

  it("are all stored: a ticket, then a user's departments, then the step with that user", async () => {
    const { chatId, phone } = await inbox.customerWrites("Hola");
    const before = await deadlocks();
    const answers = await inOrder(chatId, [
      () => openTicket(phone),
      () => moves(carl),
      () => rewrite(`/admin/steps/${step}`, { agente: carl, nombre: "Con agente" }),
    ]);
    succeeded(answers as Answer[]);
    expect((await inbox.done(admin, "GET", `/admin/users/${carl}`)).departamentos).to.deep.equal([sales]);
    expect((await inbox.done(admin, "GET", `/admin/steps/${step}`)).agente).to.equal(`${carl}`);
    expect((await inbox.chat("key", chatId)).tickets).to.have.length(1);
    expect(await deadlocks()).to.equal(before);
  });

  it("are all stored: a chat that is assigned to an agent, and the agent's departments", async () => {
    await inbox.done(ana, "PUT", "/me/available", { disponible: false });
    const { chatId } = await inbox.customerWrites("Hola");
    await inbox.done(admin, "POST", `/chats/${chatId}/assign`, { departamento_id: sales });
    await inbox.world.rows("update users set available = id = $1 where business_id = 1", [bea]);
    const before = await deadlocks();
    const [, moved] = await inOrder(chatId, [
      () => resolve(inbox.world.container, tokens.assignWaitingChats).executeFor(1),
      () => rewrite(`/admin/users/${bea}`, { departamentos: [support] }),
    ]);
    succeeded([moved as Answer]);
    expect((await inbox.chat("key", chatId)).soporte_id).to.equal(bea);
    expect(await deadlocks()).to.equal(before);
  });

  it("are all stored in many rounds, in any order", async () => {
    const before = await deadlocks();
    let seed = 7265;
    const upTo = (bound: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * bound);
    };
    const agents = [ana, bea, carl];
    await inbox.world.rows("update users set available = true where business_id = 1 and id = any($1)", [agents]);
    for (let round = 0; round < 8; round += 1) {
      const customers = await Promise.all([1, 2, 3].map(() => inbox.customerWrites("Hola")));
      const works: (() => Promise<Answer>)[] = [
        () => rewrite(`/admin/steps/${step}`, { agente: agents[upTo(3)], nombre: `Paso ${round}` }),
        ...agents.map((agent) => () => moves(agent)),
        () => rewrite(`/admin/departments/${sales}`, { agentes: agents.slice(upTo(3)), nombre: `Ventas ${round}` }),
        ...customers.map(
          ({ phone }) =>
            () =>
              openTicket(phone),
        ),
        ...customers.map(
          ({ chatId }) =>
            () =>
              inbox.ask(admin, "POST", `/chats/${chatId}/assign`, { departamento_id: [sales, support][upTo(2)] }),
        ),
      ];
      const shuffled = works.map((work) => [upTo(1_000), work] as const).sort(([one], [other]) => one - other);
      succeeded(await Promise.all(shuffled.map(([, work]) => work())));
    }
    expect(await deadlocks()).to.equal(before);
  });
});
