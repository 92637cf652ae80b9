import { expect } from "chai";
import { within } from "../../src/kernel/within.ts";
import { Inbox, people, sales, support } from "../inbox/inbox-support.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";

const { admin, ana, bea, carl } = people;
const step = 901;

/**
 * In each test, a change of users holds its locks and waits. It waits because a transaction of another business has
 * inserted the same e-mail address and is still open.
 */
describe("The inbox during changes of users", () => {
  let inbox: Inbox;
  before(async () => {
    inbox = await Inbox.start();
    await inbox.addTicketStep(step, sales);
    for (const user of [admin, ana, carl]) await inbox.headersOf(user);
  });
  after(() => inbox.stop());

  /** The request must be answered within 3 s, although the change of a user is still waiting. */
  const soon = async (who: number, method: string, path: string, body?: unknown): Promise<Answer["json"]> =>
    within(3_000, inbox.done(who, method, path, body));

  /** A business's usual work: customers write, and agents take, answer, transfer and close chats. */
  const aDay = async ({ chatId, phone }: { chatId: number; phone: string }) => {
    const { world } = inbox;
    const listener = await within(3_000, world.listen(ana));
    await within(3_000, inbox.customerWrites("¿Hola?", phone));
    await listener.hears(({ name, payload }) => name === "message:new" && JSON.stringify(payload).includes("¿Hola?"));
    await within(3_000, inbox.customerWrites("Buenas"));
    await soon(ana, "POST", `/chats/${chatId}/take`);
    await soon(ana, "POST", `/chats/${chatId}/messages`, { texto: "Un momento" });
    await soon(admin, "POST", `/chats/${chatId}/assign`, { soporte_id: carl });
    for (const department of [support, sales]) {
      await soon(admin, "POST", `/chats/${chatId}/assign`, { departamento_id: department });
    }
    for (const disponible of [false, true]) await soon(ana, "PUT", "/me/available", { disponible });
    const body = { empresa_id: 1, phone_number: phone };
    const ticket = await within(3_000, world.post(`/chats/crear/ticket/business/${step}`, body));
    expect([ticket.status, ticket.json.success], ticket.text).to.deep.equal([200, true]);
    await soon(admin, "POST", `/chats/${chatId}/close`, { ticket: "completado" });
  };

  /** Runs `meanwhile` while `change` waits for a transaction that inserted `email`. Then ends that transaction. */
  const whileHeld = async <Result>(email: string, change: () => Promise<Result>, meanwhile: () => Promise<void>) => {
    let changed: Promise<Result> | undefined;
    const ours = inbox.world.database.transaction(async (transaction) => {
      const ask = (text: string, values: readonly unknown[] = []) => transaction.rows({ name: "", text }, values);
      await ask("insert into businesses (id, name) values (900001, 'Otra')");
      await ask("insert into users (business_id, id, name, role_id) values (900001, 900001, 'Otra', 5)");
      await ask("insert into credentials (business_id, user_id, email) values (900001, 900001, $1)", [email]);
      changed = change();
      changed.catch(() => {});
      const [own] = await transaction.rows<{ pid: number }>({ name: "", text: "select pg_backend_pid() as pid" }, []);
      const waiting = "select from pg_stat_activity where $1 = any(pg_blocking_pids(pid)) and query ~ 'credentials'";
      await eventually(async () => (await inbox.world.rows(waiting, [own?.pid])).length === 1);
      await meanwhile();
      throw new Error("taken back");
    });
    await ours.catch((error: Error) => {
      if (error.message !== "taken back") throw error;
    });
    return changed as Promise<Result>;
  };

  let count = 0;
  const email = () => {
    count += 1;
    return `espera-${count}@b1.test`;
  };
  const asUser = (user: Answer["json"], changes: object) => ({ ...user, ...changes });
  const both = `${sales}|${support}`;
  const changes: Readonly<Record<string, (email: string) => Promise<void>>> = {
    "a file, with users who are there and new ones": async (email) => {
      const known = (id: number, name: string) => `${name} ${email},${name}@b1.test,5,${both},${id}`;
      const fresh = Array.from({ length: 120 }, (_, n) => `Nuevo ${n},fila-${n}@b1.test,5,${both},`);
      const file = ["nombre,email,role_id,departamentos,id", known(ana, "ana"), known(carl, "carl"), ...fresh];
      file.splice(8, 0, `Una,${email},5,${both},`);
      const answer = await request(`${inbox.world.api}/admin/users/import`, {
        method: "POST",
        rawBody: file.join("\n"),
        headers: { ...(await inbox.headersOf(admin)), "content-type": "text/csv" },
      });
      const told = JSON.parse(answer.text.trim().split("\n").at(-1) ?? "");
      expect(told, answer.text).to.include({ created: 121, updated: 2, refused: 0 });
    },
    "a new user": async (email) => {
      await inbox.done(admin, "POST", "/admin/users", {
        nombre: "Una",
        email,
        role_id: 5,
        departamentos: [sales, support],
      });
    },
    "another e-mail and other departments of an agent": async (email) => {
      const user = await inbox.done(admin, "GET", `/admin/users/${bea}`);
      const departamentos = user.departamentos.includes(support) ? [sales] : [support];
      await inbox.done(admin, "PUT", `/admin/users/${bea}`, asUser(user, { email, departamentos }));
    },
    "a change of a department that waits for a user's new e-mail": async (email) => {
      const user = await inbox.done(admin, "GET", `/admin/users/${bea}`);
      const department = await inbox.done(admin, "GET", `/admin/departments/${sales}`);
      await Promise.all([
        inbox.done(admin, "PUT", `/admin/users/${bea}`, asUser(user, { email })),
        inbox.done(admin, "PUT", `/admin/departments/${sales}`, { ...department, agentes: [ana, bea, carl] }),
      ]);
    },
    "forty changes of administrators at once": async (email) => {
      const users = await inbox.done(admin, "GET", "/admin/users?limit=40");
      await Promise.all([
        inbox.done(admin, "POST", "/admin/users", { nombre: "Una", email, role_id: 5, departamentos: [sales] }),
        ...Array.from({ length: 40 }, (_, n) => {
          const user = users.data[n % users.data.length];
          return inbox.done(admin, "PUT", `/admin/users/${user.id}`, asUser(user, { nombre: `Otro ${n}` }));
        }),
      ]);
    },
  };

  for (const [what, change] of Object.entries(changes)) {
    it(`works during ${what}`, async () => {
      await inbox.done(ana, "PUT", "/me/available", { disponible: true });
      const customer = await inbox.customerWrites("Hola");
      const wanted = email();
      await whileHeld(
        wanted,
        () => change(wanted),
        () => aDay(customer),
      );
      const found = await inbox.done(admin, "GET", `/admin/users?q=${wanted}`);
      expect(found.data.map(({ email }: { email: string }) => email)).to.include(wanted);
    });
  }
});
