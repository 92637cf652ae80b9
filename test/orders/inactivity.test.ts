import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import pg from "pg";
import { resolve, resolveAll } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { IncomingMessage } from "../../src/inbox/domain/incoming.ts";
import { noNews } from "../../src/inbox/public.ts";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import { Database } from "../../src/infra/postgres/database.ts";
import type { LoggedEvent } from "../../src/kernel/events.ts";
import { PostgresAbandonedOrders, PostgresInactivity } from "../../src/orders/adapters/postgres/abandoned-orders.ts";
import { PostgresOrderEvents } from "../../src/orders/adapters/postgres/order-events.ts";
import { CancelInactive, type InactiveBatch } from "../../src/orders/application/inactivity/cancel-inactive.ts";
import { incomingOn } from "../inbox/incoming-support.ts";
import { cellsSettings } from "../support/two-cells.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aWebhook, startWorld, type World } from "../support/world.ts";
import { addLine, addOrder, openShop } from "./shop.ts";

const reason = "(BOT) Cancelada por inactividad en el chat";

interface CartPlan {
  readonly businessId?: number;
  readonly state?: "bot" | "pending" | "in_progress" | "closed" | "none";
  /** Minutes since the customer's last message; null if there is none. */
  readonly silent?: number | null;
  /** Minutes since the order's creation. */
  readonly age?: number;
  readonly order?: NonNullable<Parameters<typeof addOrder>[2]>;
}

interface Cart {
  readonly businessId: number;
  readonly id: number;
  readonly chatId: number;
  readonly phone: string;
}

interface Stored {
  readonly status: number;
  readonly cancel_reason: string | null;
  readonly version: number;
  readonly is_recent: boolean;
}

describe("the cancellation of orders for inactivity", () => {
  let world: World;
  let phones = 59_175_000_000;
  before(async () => {
    // Business 2 is in the second cell if there are two cells.
    world = await startWorld({ businesses: [1, 2, 3].map((id) => aBusiness(id)), environment: { ROLE: "api" } });
    for (const id of [1, 2, 3]) await openShop(world, id);
  });
  after(() => world.stop());
  afterEach(async () => {
    await world.rows("delete from orders");
    await world.rows("update businesses set feature_flags = '{}'");
  });

  /**
   * An order that is due for cancellation unless the plan says otherwise: its chat is with the bot, and its customer
   * has been silent for two hours.
   */
  async function cart({ businessId = 1, state = "bot", silent = 120, age = 180, order = {} }: CartPlan = {}) {
    phones += 1;
    const phone = String(phones);
    const [chat] = await world.rows<{ id: number }>(
      `with contact as (
         insert into contacts (business_id, name, phone, platform_id) values ($1, 'Ana', $2, $2) returning id),
       chat as (
         insert into chats (business_id, contact_id, provider, last_inbound_at)
         select $1, id, 'platform-apicloud', now() - make_interval(secs => 60 * $3::float) from contact returning id),
       conversation as (
         insert into conversations (business_id, chat_id, state, closed_at)
         select $1, id, case when $4 = 'closed' then 'bot' else $4 end, case when $4 = 'closed' then now() end
         from chat where $4 <> 'none')
       select id from chat`,
      [businessId, phone, silent, state],
    );
    const chatId = chat?.id ?? 0;
    const created = new Date(Date.now() - age * 60_000).toISOString();
    const id = await addOrder(world, businessId, {
      chat_id: chatId,
      created_at: created,
      updated_at: created,
      ...order,
    });
    return { businessId, id, chatId, phone } satisfies Cart;
  }

  const run = () => resolve(world.container, tokens.cancelInactive).execute();
  const make = (url: string) =>
    promisify(execFile)("make", ["--silent", "job-inactivity"], {
      env: {
        ...process.env,
        MAKEFLAGS: "",
        DATABASE_URL: url,
        MASTER_SECRET: world.config.secrets.master,
        ...cellsSettings(),
      },
    });

  const setFlag = (value: unknown, businessId = 1) =>
    world.rows(
      "update businesses set feature_flags = jsonb_build_object('bot_inactivity_minutes', $2::jsonb) where id = $1",
      [businessId, JSON.stringify(value)],
    );

  async function stored({ businessId, id }: Cart): Promise<Stored | undefined> {
    const [row] = await world.rows<Stored>(
      `select status, cancel_reason, version, updated_at > now() - interval '1 minute' as is_recent
       from orders where business_id = $1 and id = $2`,
      [businessId, id],
    );
    return row;
  }
  const isCancelled = async (one: Cart): Promise<boolean> => (await stored(one))?.status === 5;

  /** Whether a run cancels the planned order. Fails if the run cancels any other order. */
  async function cancels(plan: CartPlan): Promise<boolean> {
    const one = await cart(plan);
    const { orders } = await run();
    const done = await isCancelled(one);
    expect(orders).to.equal(done ? 1 : 0);
    return done;
  }

  async function events(): Promise<{ readonly order: number; readonly business: number }[]> {
    return await world.rows(
      `select (payload->>'id')::bigint as order, business_id as business from realtime_events
       where name = 'order:changed' order by business_id, number`,
    );
  }

  const eventsOf = async ({ businessId, id }: Cart) =>
    (await events()).filter(({ order, business }) => order === id && business === businessId);

  describe("of an order whose customer is silent", () => {
    it("sets status 5, the bot's reason and the moment (States and transitions)", async () => {
      const one = await cart();
      expect(await run()).to.deep.equal({ orders: 1, businesses: 1, failed: 0 });
      expect(await stored(one)).to.deep.equal({ status: 5, cancel_reason: reason, version: 2, is_recent: true });
    });

    it("enters the bot in the order's history", async () => {
      const one = await cart({ order: { status: 1 } });
      await run();
      expect(
        await world.rows(
          `select change.version, action, actor, actor_id, changes, at = updated_at as at_once
           from order_changes as change join orders on orders.business_id = 1 and orders.id = order_id
           where change.business_id = 1 and order_id = $1`,
          [one.id],
        ),
      ).to.deep.equal([
        {
          version: 2,
          action: "cancelled",
          actor: "bot",
          actor_id: null,
          changes: { status: { from: 1, to: 5 }, cancelReason: { from: null, to: reason } },
          at_once: true,
        },
      ]);
    });

    for (const type of ["wa", "app", "web"]) {
      it(`emits the order event of an update, as the order is then: type ${type}`, async () => {
        const inbox = await world.listen(102);
        const stranger = await world.listen(202);
        const one = await cart({ order: { type } });
        await addLine(world, 1, one.id, { quantity: 2, extras: [101] });
        await run();
        const { payload } = await inbox.hears(({ name }) => name === "order:changed");
        expect(payload).to.include({
          empresa_id: 1,
          id: one.id,
          version: 2,
          status: 5,
          type,
          cancel_reason: reason,
        });
        expect(payload).to.include({ total: 26.9, discount: 0 });
        expect(payload.chat.contacto).to.include({ numero: one.phone });
        expect(payload.details).to.have.length(1);
        expect(stranger.heard).to.deep.equal([]);
        expect(await eventsOf(one)).to.have.length(1);
      });
    }

    it("happens once: a second run finds nothing", async () => {
      const one = await cart();
      await run();
      expect(await run()).to.deep.equal({ orders: 0, businesses: 0, failed: 0 });
      expect([(await stored(one))?.version, (await eventsOf(one)).length]).to.deep.equal([2, 1]);
    });

    it("goes through more than one batch, and several businesses", async () => {
      const mine = await cart();
      const theirs = await cart({ businessId: 2 });
      await world.rows(
        `insert into orders (business_id, type, chat_id, created_at)
         select 1, 'wa', $1, now() - interval '3 hours' from generate_series(1, 1100)`,
        [mine.chatId],
      );
      const before = (await events()).length;
      expect(await run()).to.deep.equal({ orders: 1_102, businesses: 2, failed: 0 });
      expect((await events()).length - before).to.equal(1_102);
      expect(await isCancelled(theirs)).to.equal(true);
      expect(await world.rows("select from orders where status <> 5")).to.deep.equal([]);
    });
  });

  describe("depends on the order, and", () => {
    for (const status of [8, 1, 2, 3]) {
      it(`cancels an order of status ${status}`, async () => {
        expect(await cancels({ order: { status } })).to.equal(true);
      });
    }

    it("keeps completed orders", async () => {
      const one = await cart({ order: { status: 4 } });
      await run();
      expect(await stored(one)).to.include({ status: 4, version: 1, is_recent: false });
    });

    it("keeps the reason of cancelled orders", async () => {
      const one = await cart({ order: { status: 5, cancel_reason: "Sin stock" } });
      expect((await run()).orders).to.equal(0);
      expect(await stored(one)).to.include({ status: 5, cancel_reason: "Sin stock", version: 1 });
    });

    it("keeps paid orders, and cancels those whose payment is unknown", async () => {
      expect(await cancels({ order: { paid: true } })).to.equal(false);
      expect(await cancels({ order: { paid: false } })).to.equal(true);
      expect(await cancels({ order: { paid: null } })).to.equal(true);
    });

    it("keeps orders younger than the idle time", async () => {
      expect(await cancels({ age: 59.9 })).to.equal(false);
      expect(await cancels({ age: 60.1 })).to.equal(true);
    });

    it("keeps orders without a chat", async () => {
      expect(await cancels({ order: { chat_id: null } })).to.equal(false);
    });
  });

  describe("depends on the chat, and", () => {
    for (const [state, expected] of [
      ["bot", true],
      ["pending", false],
      ["in_progress", false],
      ["closed", false],
      ["none", false],
    ] as const) {
      it(`${expected ? "cancels" : "keeps"} an order if the conversation is: ${state}`, async () => {
        expect(await cancels({ state })).to.equal(expected);
      });
    }

    it("uses only the open conversation", async () => {
      const one = await cart({ state: "closed" });
      await world.rows("insert into conversations (business_id, chat_id, state) values (1, $1, 'in_progress')", [
        one.chatId,
      ]);
      expect((await run()).orders).to.equal(0);
    });

    it("keeps an order if the customer wrote within the idle time, and cancels it afterwards", async () => {
      expect(await cancels({ silent: 59 })).to.equal(false);
      expect(await cancels({ silent: 61 })).to.equal(true);
      expect(await cancels({ silent: null })).to.equal(true);
    });

    it("counts the customer's messages, not those of the business", async () => {
      const one = await cart();
      await world.rows("update chats set last_message_at = now() where business_id = 1 and id = $1", [one.chatId]);
      expect((await run()).orders).to.equal(1);
    });

    it("counts a message from the platform's webhook", async () => {
      const one = await cart();
      await says(one);
      expect((await run()).orders).to.equal(0);
      expect(await isCancelled(one)).to.equal(false);
    });

    it("counts another customer's messages only for that customer", async () => {
      const [one, other] = [await cart(), await cart()];
      await says(other);
      await run();
      expect([await isCancelled(one), await isCancelled(other)]).to.deep.equal([true, false]);
    });
  });

  async function says({ phone, chatId }: Cart): Promise<void> {
    const message = {
      id: `wamid.${phone}`,
      from: phone,
      timestamp: String(Math.floor(Date.now() / 1_000)),
      type: "text",
      text: { body: "¡Ya vuelvo!" },
    };
    const contacts = [{ profile: { name: "Ana" }, wa_id: phone }];
    const answer = await world.webhook(aWebhook(1, { messages: [message], contacts }));
    expect(answer.status).to.equal(200);
    await eventually(async () => {
      const rows = await world.rows("select from messages where business_id = 1 and chat_id = $1", [chatId]);
      return rows.length > 0;
    });
  }

  describe("happens after the time that the business chooses (bot_inactivity_minutes),", () => {
    it("even if it is shorter than the default", async () => {
      await setFlag(5);
      expect(await cancels({ silent: 4.9, age: 30 })).to.equal(false);
      expect(await cancels({ silent: 30, age: 4.9 })).to.equal(false);
      expect(await cancels({ silent: 6, age: 6 })).to.equal(true);
    });

    it("even if it is longer than the default, or given as text", async () => {
      await setFlag("240");
      expect(await cancels({ silent: 230, age: 250 })).to.equal(false);
      expect(await cancels({ silent: 250, age: 250 })).to.equal(true);
    });

    it("which does not affect other businesses", async () => {
      await setFlag(10);
      const [mine, theirs] = [await cart({ silent: 30, age: 30 }), await cart({ businessId: 2, silent: 30, age: 30 })];
      expect(await run()).to.deep.equal({ orders: 1, businesses: 1, failed: 0 });
      expect([await isCancelled(mine), await isCancelled(theirs)]).to.deep.equal([true, false]);
      expect((await stored(theirs))?.version).to.equal(1);
    });

    for (const long of [1_000_000, 1e12, "99999999999999999999", `1${"0".repeat(900)}`]) {
      it(`and practically never with ${JSON.stringify(long).slice(0, 25)}`, async () => {
        await setFlag(long);
        expect(await cancels({ silent: 999_999, age: 999_999 })).to.equal(false);
      });
    }

    for (const wrong of [0, -5, 1.5, "soon", "", "5 minutes", true, null, {}, [5], "1e3"]) {
      it(`and after an hour with the invalid value ${JSON.stringify(wrong)}`, async () => {
        await setFlag(wrong);
        expect(await cancels({ silent: 50, age: 50 })).to.equal(false);
        expect(await cancels({ silent: 70, age: 70 })).to.equal(true);
      });
    }
  });

  describe("together with others", () => {
    /** Another instance of the use case. As in another process, its transactions use their own connections. */
    function another({
      hold = async () => {},
      searchPath = "public",
      statementTimeoutMs = world.config.database.statementTimeoutMs,
      troubleMs,
    }: {
      hold?: () => Promise<void>;
      searchPath?: string;
      statementTimeoutMs?: number;
      troubleMs?: number;
    } = {}) {
      const settings = { ...world.config.database, poolSize: 2, statementTimeoutMs };
      const database = Database.open(settings, () => {});
      const published: LoggedEvent[] = [];
      const failures: InactiveBatch[] = [];
      const unitOfWork = {
        run: <Result>(_: number, work: (stores: never) => Promise<Result>) =>
          database.transaction(async (transaction) => {
            await transaction.rows({ name: "", text: `set local search_path = ${searchPath}` }, []);
            const result = await work({
              abandoned: new PostgresInactivity(transaction),
              events: new PostgresOrderEvents(transaction),
            } as never);
            await hold();
            return result;
          }),
      };
      const cancelInactive = new CancelInactive(
        new PostgresAbandonedOrders(oneCell(world.database)),
        unitOfWork as never,
        { publish: (all) => void published.push(...all) },
        (_, batch) => failures.push(batch),
        troubleMs,
      );
      return { execute: () => cancelInactive.execute(), published, failures, close: () => database.close() };
    }

    const somebodyWaits = () =>
      eventually(async () => {
        const waiting = await world.rows(
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        );
        return waiting.length > 0;
      });

    async function session(work: (client: pg.Client) => Promise<void>): Promise<void> {
      const client = new pg.Client({ connectionString: world.config.database.url });
      await client.connect();
      try {
        await work(client);
      } finally {
        await client.end();
      }
    }

    it("cancels each order once, with one event, in simultaneous runs", async () => {
      const { chatId } = await cart();
      await world.rows(
        `insert into orders (business_id, type, chat_id, created_at)
         select 1, 'wa', $1, now() - interval '3 hours' from generate_series(1, 1500)`,
        [chatId],
      );
      const runs = [another(), another(), another()];
      const done = await Promise.all(runs.map(({ execute }) => execute()));
      await Promise.all(runs.map(({ close }) => close()));
      expect(done.reduce((sum, { orders }) => sum + orders, 0)).to.equal(1_501);
      const ids = runs.flatMap(({ published }) => published.map(({ payload }) => (payload as { id: number }).id));
      expect([ids.length, new Set(ids).size]).to.deep.equal([1_501, 1_501]);
      expect(await world.rows("select from orders where version <> 2")).to.deep.equal([]);
      expect(await world.rows("select from order_changes")).to.have.length(1_501);
    });

    it("keeps the order of a customer whose message is just being stored, without delaying others", async () => {
      const [writing, silent] = [await cart(), await cart({ businessId: 3 })];
      const message: IncomingMessage = {
        sender: "number-1",
        platformMessageId: "wamid.under-way",
        from: writing.phone,
        kind: "text",
        body: "¡Ya vuelvo!",
        details: {},
        occurredAt: new Date(),
      };
      await world.database.transaction(async (transaction) => {
        const inbox = incomingOn(transaction);
        await inbox.record({
          ...noNews,
          messages: [message],
        });
        expect((await run()).orders).to.equal(1);
      });
      expect([await isCancelled(writing), await isCancelled(silent)]).to.deep.equal([false, true]);
      expect((await run()).orders).to.equal(0);
    });

    it("counts a message that is committed during a run", async () => {
      const [one, silent] = [await cart(), await cart()];
      // The statement that cancels orders calls this function instead of PostgreSQL's. The function waits for a lock.
      await world.rows("create schema hooked");
      await world.rows(
        `create function hooked.make_interval(mins integer) returns interval language plpgsql as $$
         begin
           perform pg_advisory_xact_lock_shared(7265);
           return pg_catalog.make_interval(mins => mins);
         end $$`,
      );
      const other = another({ searchPath: "hooked,pg_catalog,public" });
      await session(async (client) => {
        await client.query("select pg_advisory_lock(7265)");
        const running = other.execute();
        await somebodyWaits();
        await client.query("update chats set last_inbound_at = now() where business_id = 1 and id = $1", [one.chatId]);
        await client.query("select pg_advisory_unlock(7265)");
        expect((await running).orders).to.equal(1);
      });
      await other.close();
      await world.rows("drop schema hooked cascade");
      expect([await isCancelled(one), await isCancelled(silent)]).to.deep.equal([false, true]);
    });

    it("lets a message wait for the run's end if its order was already cancelled", async () => {
      const one = await cart();
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      let reached = () => {};
      const atEnd = new Promise<void>((resolve) => {
        reached = resolve;
      });
      const other = another({
        hold: async () => {
          reached();
          await released;
        },
      });
      const running = other.execute();
      await atEnd;
      await session(async (client) => {
        const writing = client.query("update chats set last_inbound_at = now() where business_id = 1 and id = $1", [
          one.chatId,
        ]);
        await somebodyWaits();
        release();
        await Promise.all([writing, running]);
      });
      await other.close();
      expect(await isCancelled(one)).to.equal(true);
    });

    it("leaves an order that is being changed for the next run", async () => {
      for (const change of [
        "update orders set payment_method = 'qr' where business_id = 1 and id = $1",
        "update conversations set state = 'pending' where business_id = 1 and chat_id = $2",
      ]) {
        const one = await cart();
        await session(async (client) => {
          await client.query("begin");
          await client.query(change.replaceAll("$1", String(one.id)).replaceAll("$2", String(one.chatId)));
          expect((await run()).orders).to.equal(0);
          await client.query("rollback");
        });
        expect((await run()).orders).to.equal(1);
      }
    });

    it("leaves no event and no cancelled order after a failed run (Real time)", async () => {
      const one = await cart();
      const failing = another({ hold: () => Promise.reject(new Error("the process dies")) });
      expect(await failing.execute()).to.deep.equal({ orders: 0, businesses: 0, failed: 1 });
      await failing.close();
      expect([await isCancelled(one), failing.published, await eventsOf(one)]).to.deep.equal([false, [], []]);
    });

    it("does not delay other businesses if one has locked counters", async () => {
      for (const [held, free] of [
        [1, 3],
        [3, 1],
      ] as const) {
        const [stuck, other] = [await cart({ businessId: held }), await cart({ businessId: free })];
        await session(async (client) => {
          await client.query("begin");
          await client.query("select from order_counts where business_id = $1 for update", [held]);
          const running = run();
          await somebodyWaits();
          await session(async (writer) => {
            await writer.query("set lock_timeout = '1s'");
            for (const change of [
              "update chats set last_message_at = now() where business_id = $1 and id = $2",
              "update orders set payment_method = 'qr' where business_id = $1 and chat_id = $2",
            ]) {
              await writer.query(change, [free, other.chatId]);
            }
          });
          await client.query("rollback");
          expect(await running).to.deep.equal({ orders: 2, businesses: 2, failed: 0 });
        });
        expect([await isCancelled(stuck), await isCancelled(other)]).to.deep.equal([true, true]);
      }
    });

    it("leaves a hanging business for the next run, and handles the others", async () => {
      const stuck = await cart();
      await world.rows(
        `insert into orders (business_id, type, chat_id, created_at)
         select 1, 'wa', $1, now() - interval '3 hours' from generate_series(1, 600)`,
        [stuck.chatId],
      );
      const other = await cart({ businessId: 3 });
      const hasty = another({ statementTimeoutMs: 300, troubleMs: 500 });
      await session(async (client) => {
        await client.query("begin");
        await client.query("select from order_counts where business_id = 1 for update");
        expect(await hasty.execute()).to.deep.equal({ orders: 1, businesses: 1, failed: 601 });
        await client.query("rollback");
      });
      await hasty.close();
      expect([await isCancelled(stuck), await isCancelled(other)]).to.deep.equal([false, true]);
      expect((await run()).orders).to.equal(601);
    });

    it("cancels other orders if one cannot be cancelled, in this run and the next", async () => {
      const [before, broken, after] = [await cart({ age: 200 }), await cart({ age: 190 }), await cart()];
      const theirs = await cart({ businessId: 3 });
      await world.rows(
        `create function refuse() returns trigger language plpgsql as $$ begin raise 'a broken order'; end $$`,
      );
      await world.rows(
        `create trigger refusing before update on orders for each row when (old.id = ${broken.id}) execute function refuse()`,
      );
      try {
        const one = another();
        expect(await one.execute()).to.deep.equal({ orders: 3, businesses: 2, failed: 1 });
        const cancelled = [before, after, theirs].map((each) => isCancelled(each));
        expect([...(await Promise.all(cancelled)), await isCancelled(broken)]).to.deep.equal([true, true, true, false]);
        expect(one.failures.at(-1)).to.deep.equal({ businessId: 1, ids: [broken.id] });
        expect([await eventsOf(broken), (await eventsOf(after)).length]).to.deep.equal([[], 1]);
        await one.close();
        const late = await cart();
        expect(await run()).to.deep.equal({ orders: 1, businesses: 1, failed: 1 });
        expect(await isCancelled(late)).to.equal(true);
        const failure = await make(world.config.database.url).catch((error: { code: number; stderr: string }) => error);
        expect(failure).to.include({ code: 2 });
        expect(failure.stderr).to.match(/could not be cancelled: 1;/);
      } finally {
        await world.rows("drop function refuse cascade");
      }
      expect((await run()).orders).to.equal(1);
    });

    it("ends a stopped run after the current batch", async () => {
      await cart();
      const stopped = await resolve(world.container, tokens.cancelInactive).execute(AbortSignal.abort());
      expect(stopped.orders).to.equal(0);
    });
  });

  describe("runs", () => {
    it("every minute by the clock", async () => {
      const tick = resolveAll(world.container, tokens.tick).find(({ name }) => name === "orders.cancel-inactive");
      expect(tick?.everySeconds).to.equal(60);
      const one = await cart();
      await tick?.run(new AbortController().signal);
      expect(await isCancelled(one)).to.equal(true);
    });

    it("by make job-inactivity, which prints the number of orders and notifies the service's clients", async () => {
      const inbox = await world.listen(102);
      const carts = [await cart(), await cart({ businessId: 2 })];
      const { stdout } = await make(world.config.database.url);
      expect(stdout.trim().split("\n").at(-1)).to.equal("orders cancelled for inactivity: 2, of businesses: 2");
      for (const one of carts) expect(await isCancelled(one)).to.equal(true);
      await inbox.hears(({ name, payload }) => name === "order:changed" && payload.id === carts[0]?.id);
    });

    it("by make job-inactivity, which ends with an error when it cannot", async () => {
      const failure = await make("postgres://nobody@127.0.0.1:1/none").catch(
        (error: { code: number; stderr: string }) => error,
      );
      expect(failure).to.include({ code: 2 });
      expect(failure.stderr).to.match(/ECONNREFUSED/);
    });
  });
});
