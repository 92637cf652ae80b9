import { expect } from "chai";
import fc from "fast-check";
import { triggerForms } from "../support/trigger-forms.ts";
import { aBusiness, aThread, startWorld, type World } from "../support/world.ts";
import { addOrder, openShop } from "./shop.ts";

const statuses = [1, 2, 3, 4, 5, 8];
const firstDay = Date.UTC(2026, 0, 1);

/** A write to orders, or to a chat (`assign`). With `modulo`, it changes the orders with `id % 4 < modulo`. */
type Write =
  | { readonly kind: "insert"; readonly rows: readonly Row[] }
  | { readonly kind: "status"; readonly modulo: number; readonly status: number }
  | { readonly kind: "move"; readonly modulo: number; readonly branch: number | null; readonly chat: number | null }
  | { readonly kind: "redate"; readonly modulo: number; readonly hours: number }
  | { readonly kind: "other"; readonly modulo: number }
  | { readonly kind: "assign"; readonly chat: number; readonly agent: number | null }
  | { readonly kind: "forge"; readonly modulo: number }
  | { readonly kind: "delete"; readonly modulo: number };

interface Row {
  readonly status: number;
  readonly branch: number | null;
  readonly chat: number | null;
  readonly hours: number;
}

const branch = fc.constantFrom(null, 1, 2);
const chat = fc.constantFrom(null, 1, 2, 3);
const hours = fc.integer({ min: 0, max: 100 });
const modulo = fc.integer({ min: 1, max: 4 });
const status = fc.constantFrom(...statuses);
const write: fc.Arbitrary<Write> = fc.oneof(
  fc.record({
    kind: fc.constant("insert" as const),
    rows: fc.array(fc.record({ status, branch, chat, hours }), { minLength: 1, maxLength: 5 }),
  }),
  fc.record({ kind: fc.constant("status" as const), modulo, status }),
  fc.record({ kind: fc.constant("move" as const), modulo, branch, chat }),
  fc.record({ kind: fc.constant("redate" as const), modulo, hours }),
  fc.record({ kind: fc.constant("other" as const), modulo }),
  fc.record({
    kind: fc.constant("assign" as const),
    chat: fc.constantFrom(1, 2, 3),
    agent: fc.constantFrom(null, 1, 2),
  }),
  fc.record({ kind: fc.constant("forge" as const), modulo }),
  fc.record({ kind: fc.constant("delete" as const), modulo }),
);

/** The expected counters, counted from the orders. */
const expected = `
  select business_id, agent_id, case when status = 3 then 2 else status end as tab, coalesce(branch_id, 0) as branch_id,
         count(*) as n
  from (select o.business_id, o.status, o.branch_id, chat.support_user_id
        from orders as o left join chats as chat on chat.business_id = o.business_id and chat.id = o.chat_id) as joined
  cross join lateral (select 0 as agent_id union all select support_user_id where support_user_id is not null) as agent
  group by 1, 2, 3, 4`;
const expectedByDay = `
  select business_id, case when status = 3 then 2 else status end as tab, (created_at at time zone 'UTC')::date as day,
         coalesce(branch_id, 0) as branch_id, count(*) as n
  from orders group by 1, 2, 3, 4`;

const counters = (functions: readonly string[]) => (): void => {
  let world: World;
  before(async () => {
    const withThreads = (id: number) => aBusiness(id, { threads: [1, 2, 3].map((n) => aThread(id * 100 + n)) });
    world = await startWorld({ businesses: [withThreads(1), withThreads(2)], environment: { ROLE: "api" } });
    for (const id of [1, 2]) await openShop(world, id);
    for (const text of functions) await world.rows(text);
  });
  after(() => world.stop());

  const expectExact = async (): Promise<void> => {
    for (const [table, truth] of [
      ["order_counts", expected],
      ["order_day_counts", expectedByDay],
    ]) {
      const held = `select * from ${table} where n <> 0`;
      const differing = await world.rows(`(${held} except (${truth})) union all ((${truth}) except ${held})`);
      expect(differing, table).to.deep.equal([]);
    }
  };

  const apply = async (businessId: number, each: Write): Promise<void> => {
    const base = businessId * 100;
    const some = "business_id = $1 and id % 4 < $2";
    const at = (n: number) => new Date(firstDay + n * 3_600_000).toISOString();
    const idOf = (n: number | null) => n && base + n;
    if (each.kind === "insert") {
      const rows = each.rows.map((row) => ({
        ...row,
        branch: idOf(row.branch),
        chat: idOf(row.chat),
        at: at(row.hours),
      }));
      await world.rows(
        `insert into orders (business_id, type, status, branch_id, chat_id, created_at)
         select $1, 'wa', status, branch, chat, at
         from jsonb_to_recordset($2) as row (status smallint, branch bigint, chat bigint, at timestamptz)`,
        [businessId, JSON.stringify(rows)],
      );
    } else if (each.kind === "status") {
      await world.rows(`update orders set status = $3 where ${some}`, [businessId, each.modulo, each.status]);
    } else if (each.kind === "move") {
      const values = [businessId, each.modulo, idOf(each.branch), idOf(each.chat)];
      await world.rows(`update orders set branch_id = $3, chat_id = $4 where ${some}`, values);
    } else if (each.kind === "redate") {
      await world.rows(`update orders set created_at = $3 where ${some}`, [businessId, each.modulo, at(each.hours)]);
    } else if (each.kind === "other") {
      await world.rows(`update orders set paid = true, version = version + 1 where ${some}`, [businessId, each.modulo]);
    } else if (each.kind === "assign") {
      const values = [businessId, base + each.chat, idOf(each.agent)];
      await world.rows("update chats set support_user_id = $3 where business_id = $1 and id = $2", values);
    } else if (each.kind === "forge") {
      await world.rows(`update orders set support_user_id = 1 where ${some}`, [businessId, each.modulo]);
    } else {
      await world.rows(`delete from orders where ${some}`, [businessId, each.modulo]);
    }
  };

  it("are exact after any kind of writes (§13.7)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 12 }), async (writes) => {
        for (const each of writes) await apply(1, each);
        await expectExact();
      }),
      { numRuns: 25 },
    );
  });

  it("are exact after simultaneous writes (§13.7)", async () => {
    // A write to orders can deadlock with the assignment of their chat. One of the two then changes nothing.
    const unlessDeadlocked = (error: { code?: unknown }) => {
      if (error.code !== "40P01") throw error;
    };
    for (const writes of fc.sample(fc.array(write, { minLength: 16, maxLength: 16 }), 8)) {
      await Promise.all(writes.map((each, n) => apply(1 + (n % 2), each).catch(unlessDeadlocked)));
      await expectExact();
    }
  });

  it("are exact if an order is added while its chat is assigned to another agent (§13.5)", async () => {
    await world.rows("update chats set support_user_id = null where business_id = 2 and id = 201");
    for (let round = 0; round < 10; round += 1) {
      const agent = 201 + (round % 2);
      await Promise.all([
        addOrder(world, 2),
        world.rows("update chats set support_user_id = $1 where business_id = 2 and id = 201", [agent]),
        addOrder(world, 2),
      ]);
      await expectExact();
    }
  });

  it("are exact after a rollback, a truncation and the deletion of a business", async () => {
    await addOrder(world, 1);
    const broken = world.database.transaction(async (queries) => {
      await queries.rows({ name: "", text: "delete from orders" }, []);
      throw new Error("changed my mind");
    });
    expect(await broken.catch((error: Error) => error.message)).to.equal("changed my mind");
    await expectExact();
    await world.rows("truncate orders cascade");
    await expectExact();
    await addOrder(world, 1);
    await addOrder(world, 2);
    await world.rows("delete from orders where business_id = 2");
    await world.rows("delete from chats where business_id = 2");
    await expectExact();
    await world.rowsOfCell(1, "insert into businesses (id, name) values (77, 'Passing')");
    await world.rowsOfCell(1, "insert into orders (business_id, type) values (77, 'wa'), (77, 'app')");
    await expectExact();
    await world.rowsOfCell(1, "delete from businesses where id = 77");
    await expectExact();
    expect(await world.rowsOfCell(1, "select from order_counts where business_id = 77")).to.deep.equal([]);
    expect(await world.rowsOfCell(1, "select from order_day_counts where business_id = 77")).to.deep.equal([]);
  });
};

for (const { name, functions } of triggerForms) describe(`counters of orders, ${name}`, counters(functions));
