import { expect } from "chai";
import fc from "fast-check";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { type Money, moneyOf } from "../../src/kernel/money.ts";
import { triggerForms } from "../support/trigger-forms.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { addConversation, addRecord, addTicket, assignTag } from "./support.ts";

/** The stored rows from which `countSlowly` computes the expected report. */
interface Rows {
  readonly records: readonly {
    readonly type: string;
    readonly closed: boolean;
    readonly source: string;
    readonly ad_id: string | null;
    readonly agent_id: number | null;
    readonly base_amount: string;
    readonly base_currency: string;
    readonly at: Date;
  }[];
  readonly conversations: readonly { readonly ai_temperature: string | null; readonly created_at: Date }[];
  readonly tickets: readonly { readonly state: string; readonly agent_id: number; readonly created_at: Date }[];
  readonly tags: readonly { readonly name: string; readonly at: Date }[];
}

interface Span {
  readonly from: Date;
  readonly until: Date;
}

/** The report computed row by row. */
function countSlowly(rows: Rows, currency: string, { from, until }: Span) {
  const inside = (at: Date) => at >= from && at < until;
  const records = rows.records.filter(({ at }) => inside(at));
  const tally = (matches: (record: Rows["records"][number]) => boolean) => {
    const found = records.filter(matches);
    return {
      count: found.length,
      amount: found
        .filter(({ base_currency }) => base_currency === currency)
        .reduce((sum: Money, record) => sum + moneyOf(record.base_amount), 0n),
    };
  };
  const isSale = (record: Rows["records"][number]) => record.type === "sale" && record.closed;
  const isQuotation = (record: Rows["records"][number]) => record.type === "quotation";
  const quotations = (matches: (record: Rows["records"][number]) => boolean) => ({
    ...tally((each) => isQuotation(each) && matches(each)),
    fromPdf: tally((each) => isQuotation(each) && matches(each) && each.source === "pdf"),
    fromMessage: tally((each) => isQuotation(each) && matches(each) && each.source === "message"),
  });
  const talks = rows.conversations.filter(({ created_at }) => inside(created_at));
  const temperatures = talks.flatMap(({ ai_temperature: each }) => (each === null ? [] : [Number(each)]));
  const names = rows.tags.filter(({ at }) => inside(at)).map(({ name }) => name);
  return {
    conversations: talks.length,
    sales: {
      all: tally(isSale),
      fromAds: tally((each) => isSale(each) && each.ad_id !== null),
      organic: tally((each) => isSale(each) && each.ad_id === null),
    },
    quotations: {
      all: quotations(() => true),
      fromAds: quotations(({ ad_id }) => ad_id !== null),
      organic: quotations(({ ad_id }) => ad_id === null),
    },
    ai: temperatures.length === 0 ? 0 : temperatures.reduce((sum, each) => sum + each, 0) / temperatures.length,
    tags: [...new Set(names)]
      .map((name) => ({ name, count: names.filter((each) => each === name).length }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
    agents: [102, 103].map((id) => {
      const tickets = rows.tickets.filter(({ agent_id, created_at }) => agent_id === id && inside(created_at));
      const count = (state: string) => tickets.filter((ticket) => ticket.state === state).length;
      return {
        id,
        tickets: {
          total: tickets.length,
          completed: count("completed"),
          cancelled: count("cancelled"),
          pending: count("pending"),
          inProgress: count("in_progress"),
        },
        sales: tally((each) => isSale(each) && each.agent_id === id),
        quotations: tally((each) => isQuotation(each) && each.agent_id === id),
      };
    }),
  };
}

const hourMs = 60 * 60 * 1000;
/** Records are dated up to 13 days before this moment. Days that are over can be folded, but the present day cannot. */
const today = new Date();
const daysAgo = (days: number, hours: number): string =>
  new Date(today.getTime() - days * 24 * hourMs - hours * hourMs).toISOString();

const zones = [
  "America/La_Paz",
  "Europe/Madrid",
  "Asia/Kathmandu",
  "America/Havana",
  "America/Santiago",
  "America/St_Johns",
  "Pacific/Apia",
] as const;

/** A random step: a change of the business or of its figures, or a fold. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("record" as const),
      at: fc.record({ days: fc.integer({ min: 0, max: 12 }), hours: fc.integer({ min: 0, max: 23 }) }),
      type: fc.constantFrom("sale" as const, "quotation" as const),
      closed: fc.boolean(),
      source: fc.constantFrom("pdf", "message", "web"),
      ad_id: fc.constantFrom(null, "a", "b"),
      agent_id: fc.constantFrom(null, 102, 103),
      cents: fc.integer({ min: 0, max: 1_000_000 }),
    }),
  },
  fc.record({
    kind: fc.constantFrom("conversation" as const, "ticket" as const, "tag" as const),
    at: fc.record({ days: fc.integer({ min: 0, max: 12 }), hours: fc.integer({ min: 0, max: 23 }) }),
    pick: fc.nat(100),
  }),
  fc.record({
    kind: fc.constantFrom(
      "amend" as const,
      "move" as const,
      "remove" as const,
      "ticket ends" as const,
      "warm up" as const,
      "tag removed" as const,
    ),
    pick: fc.nat(1_000),
  }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("fold" as const) }) },
  fc.record({ kind: fc.constant("zone" as const), zone: fc.constantFrom(...zones) }),
  fc.record({ kind: fc.constant("currency" as const), currency: fc.constantFrom("BOB", "USD", "EUR") }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const foldedDays = (functions: readonly string[]) => (): void => {
  let world: World;
  before(async () => {
    world = await startWorld({
      environment: { ROLE: "api" },
      businesses: [aBusiness(1, { flags: { timezone: zones[0], group_shared_report: [1] }, threads: [thread] })],
    });
    await world.rows("insert into users (business_id, id, name, role_id) values (1, 103, 'Beto', 5)");
    for (const text of functions) await world.rows(text);
  });
  after(() => world.stop());

  const thread = { ...aBusiness(1).threads[0], state: "closed" } as ReturnType<typeof aBusiness>["threads"][number];
  const fold = () => resolve(world.container, tokens.foldReports).execute();
  const picked = (table: string, order: number) =>
    `(select id from ${table} where business_id = 1 order by id
      offset ${order} % greatest(1, (select count(*) from ${table} where business_id = 1)) limit 1)`;

  async function take(each: Step): Promise<unknown> {
    switch (each.kind) {
      case "record": {
        const { type, closed, source, ad_id, agent_id, cents } = each;
        const at = daysAgo(each.at.days, each.at.hours);
        return addRecord(world, 1, { type, closed, source, ad_id, agent_id, amount: (cents / 100).toFixed(2), at });
      }
      case "conversation":
        return addConversation(world, 1, {
          at: daysAgo(each.at.days, each.at.hours),
          ai: each.pick % 3 === 0 ? null : each.pick,
        });
      case "ticket":
        return addTicket(world, 1, ["pending", "in_progress", "completed"][each.pick % 3] ?? "pending", {
          at: daysAgo(each.at.days, each.at.hours),
          agentId: 102 + (each.pick % 2),
        });
      case "tag":
        return assignTag(world, 1, ["A", "B", "C"][each.pick % 3] ?? "A", 1 + (each.pick % 2), {
          at: daysAgo(each.at.days, each.at.hours),
        });
      case "amend":
        return world.rows(
          `update registrations set base_amount = base_amount + 1, closed = not closed, source = 'pdf'
           where business_id = 1 and id = ${picked("registrations", each.pick)}`,
        );
      case "move":
        return world.rows(
          `update registrations set at = at - interval '25 hours'
           where business_id = 1 and id = ${picked("registrations", each.pick)}`,
        );
      case "remove":
        return world.rows(
          `delete from registrations where business_id = 1 and id = ${picked("registrations", each.pick)}`,
        );
      case "ticket ends":
        return world.rows(
          `update tickets set state = 'cancelled', closed_at = now()
           where business_id = 1 and id = ${picked("tickets", each.pick)}`,
        );
      case "warm up":
        return world.rows(
          `update conversations set ai_temperature = 77
           where business_id = 1 and id = ${picked("conversations", each.pick)}`,
        );
      case "tag removed":
        return world.rows(
          `delete from funnel_events where business_id = 1 and id = ${picked("funnel_events", each.pick)}`,
        );
      case "fold":
        return fold();
      case "currency":
        return countIn(each.currency, each.currency === "EUR" ? {} : { BOB: 0.1436781 });
      case "zone":
        return world.rows(
          `update businesses set feature_flags = feature_flags || jsonb_build_object('timezone', $1::text) where id = 1`,
          [each.zone],
        );
    }
  }

  const countIn = (currency: string, conversion: object) =>
    world.rows("update businesses set feature_flags = feature_flags || $1 where id = 1", [
      JSON.stringify({ currency, currency_conversion: conversion }),
    ]);

  const rows = async (): Promise<Rows> => ({
    records: await world.rows("select * from registrations where business_id = 1"),
    conversations: await world.rows("select * from conversations where business_id = 1"),
    tickets: await world.rows("select * from tickets where business_id = 1"),
    tags: await world.rows(
      `select name, at from funnel_events join tags using (business_id) where business_id = 1 and tags.id = tag_id`,
    ),
  });

  async function compare(startDate: string, endDate: string): Promise<void> {
    const [report] = await resolve(world.container, tokens.sharedReports).report({
      rootId: 1,
      forAdministrator: true,
      startDate,
      endDate,
    });
    if (!report) throw new Error("no report");
    const expected = countSlowly(await rows(), report.business.currency, report.period);
    const { conversations, sales, quotations, tags, agents, temperatures } = report;
    expect(temperatures.ai).to.be.closeTo(expected.ai, 0.00501);
    const shown = agents.map(({ name, ...agent }) => agent).sort((a, b) => a.id - b.id);
    const { ai, ...exact } = expected;
    expect({ conversations, sales, quotations, tags, agents: shown }).to.deep.equal(exact);
    await compareDays(startDate, endDate, expected.sales.all);
  }

  async function compareDays(startDate: string, endDate: string, all: { count: number; amount: Money }) {
    const [daily] = await resolve(world.container, tokens.sharedReports).daily({
      rootId: 1,
      forAdministrator: true,
      startDate,
      endDate,
    });
    const sales = (daily?.days ?? []).map((day) => day.sales);
    expect(sales.reduce((sum, { count }) => sum + count, 0)).to.equal(all.count);
    expect(sales.reduce((sum: Money, { amount }) => sum + amount, 0n)).to.equal(all.amount);
  }

  it("match the rows, even if these are late, corrected or deleted, whenever the days were folded", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 0, max: 8 }),
        async (steps, from) => {
          await world.rows("delete from registrations where business_id = 1");
          for (const each of steps) await take(each);
          await compare(daysAgo(20, 0).slice(0, 10), daysAgo(-1, 0).slice(0, 10));
          await compare(daysAgo(from + 4, 5), daysAgo(from, 1));
          await fold();
          await compare(daysAgo(20, 0).slice(0, 10), daysAgo(-1, 0).slice(0, 10));
        },
      ),
      { numRuns: 12 },
    );
  });

  it("are only in the business's currency, converted at known rates", async () => {
    await world.rows("delete from registrations where business_id = 1");
    await countIn("BOB", { USD: 6.96 });
    const at = daysAgo(3, 0);
    const day = at.slice(0, 10);
    const ids: number[] = [];
    for (const changes of [{ amount: 18.3 }, { amount: 10, currency: "USD", base_amount: 69.6 }, { currency: "EUR" }]) {
      ids.push(await addRecord(world, 1, { at, ad_id: "a", ...changes }));
    }
    const sales = async () => {
      const request = {
        rootId: 1,
        forAdministrator: true,
        startDate: daysAgo(6, 0).slice(0, 10),
        endDate: daysAgo(0, 0).slice(0, 10),
      };
      const [report] = await resolve(world.container, tokens.sharedReports).report(request);
      await compare(request.startDate, request.endDate);
      return report?.sales.all;
    };
    await world.rows("update registrations set rate_date = $1", [day]);
    await fold();
    expect(await sales()).to.deep.equal({ count: 3, amount: 18790n });

    await countIn("USD", [
      { from: "2020-01-01", BOB: 0.1436781 },
      { from: new Date().toISOString().slice(0, 10), BOB: 0.5 },
    ]);
    expect(await sales()).to.deep.equal({ count: 3, amount: 0n });
    await fold();
    const stored = () =>
      world.rows("select base_amount, base_currency, rate from registrations where id = any($1) order by id", [ids]);
    const converted = [
      { base_amount: "2.63", base_currency: "USD", rate: "0.1436781" },
      { base_amount: "10.00", base_currency: "USD", rate: "1" },
    ];
    expect(await stored()).to.deep.equal([...converted, { base_amount: "100.00", base_currency: "BOB", rate: "1" }]);
    expect(await sales()).to.deep.equal({ count: 3, amount: 1263n });

    await countIn("USD", { EUR: 1.1 });
    await fold();
    expect(await stored()).to.deep.equal([...converted, { base_amount: "110.00", base_currency: "USD", rate: "1.1" }]);
    expect(await sales()).to.deep.equal({ count: 3, amount: 12263n });
    const days = await world.rows("select from report_days where business_id = 1 and currency <> 'USD'");
    expect(days).to.deep.equal([]);
    await countIn("BOB", {});
  });

  it("match the rows again after they are rebuilt", async () => {
    await addRecord(world, 1, { at: daysAgo(3, 0) });
    await fold();
    await world.rows("update report_days set organic_sales = 99, ad_sales = 99 where business_id = 1");
    expect(await resolve(world.container, tokens.foldReports).rebuild(1)).to.equal(true);
    await compare(daysAgo(20, 0).slice(0, 10), daysAgo(-1, 0).slice(0, 10));
    expect(await resolve(world.container, tokens.foldReports).rebuild(55)).to.equal(false);
  });

  it("are not stored by a fold during which a late change arrives", async () => {
    await fold();
    const at = daysAgo(5, 0);
    await addRecord(world, 1, { at, amount: 1 });
    await world.database.transaction(async (transaction) => {
      const text = `insert into registrations (business_id, type, chat_id, amount, currency, base_amount, rate, rate_date,
                                               source, closed, at)
                    values (1, 'sale', 101, 2, 'BOB', 2, 1, '2026-01-01', 'pdf', true, $1)`;
      await transaction.rows({ name: "", text }, [at]);
      // This fold does not yet see the second record and its mark, since their transaction is not committed.
      await fold();
    });
    await compare(daysAgo(20, 0).slice(0, 10), daysAgo(-1, 0).slice(0, 10));
    await fold();
    await compare(daysAgo(20, 0).slice(0, 10), daysAgo(-1, 0).slice(0, 10));
    expect(await world.rows("select from report_marks where at < now() - interval '1 hour'")).to.deep.equal([]);
  });

  for (const [zone, days, hours] of [
    ["America/Santiago", ["2025-09-06", "2025-09-07", "2025-09-08"], [24, 23, 24]],
    ["America/Santiago", ["2025-04-04", "2025-04-05", "2025-04-06"], [24, 25, 24]],
    ["America/Havana", ["2025-03-08", "2025-03-09", "2025-03-10"], [24, 23, 24]],
    ["Europe/Madrid", ["2025-10-25", "2025-10-26", "2025-10-27"], [24, 25, 24]],
    // Clocks show midnight twice; the day begins at the first midnight.
    ["America/Havana", ["2025-11-01", "2025-11-02", "2025-11-03"], [24, 25, 24]],
    // Just after midnight, clocks go back into the day before.
    ["America/St_Johns", ["2010-11-06", "2010-11-07", "2010-11-08"], [24, 25, 24]],
    // The zone skipped the day in the middle.
    ["Pacific/Apia", ["2011-12-29", "2011-12-30", "2011-12-31"], [24, 0, 24]],
  ] as const) {
    it(`contain each moment in exactly one day when clocks change: ${zone} on ${days[1]}`, async () => {
      await take({ kind: "zone", zone });
      await world.rows("delete from registrations where business_id = 1");
      const noon = Date.parse(`${days[1]}T12:00:00Z`);
      const halfHours = Array.from({ length: 4 * 48 }, (_, n) => new Date(noon + (n - 96) * 30 * 60_000).toISOString());
      for (const at of halfHours) await addRecord(world, 1, { at, amount: 1 });
      for (const isFolded of [false, true]) {
        if (isFolded) await fold();
        for (const [index, day] of days.entries()) {
          const request = { rootId: 1, forAdministrator: true, startDate: day, endDate: day };
          const [report] = await resolve(world.container, tokens.sharedReports).report(request);
          expect(report?.sales.all.count, day).to.equal(2 * (hours[index] ?? 0));
          await compare(day, day);
          const [daily] = await resolve(world.container, tokens.sharedReports).daily(request);
          expect(daily?.days.map((each) => each.day)).to.deep.equal(hours[index] === 0 ? [] : [day]);
        }
        await compare(days[0], days[2]);
      }
      for (const at of halfHours) await addRecord(world, 1, { at, amount: 2 });
      await fold();
      await compare(days[0], days[2]);
      expect(await world.rows("select from report_marks where at < now() - interval '1 hour'")).to.deep.equal([]);
      await world.rows("delete from registrations where business_id = 1");
      await take({ kind: "zone", zone: zones[0] });
    });
  }

  it("are ignored if the day now begins at another moment because the zone's rules changed", async () => {
    await addRecord(world, 1, { at: daysAgo(3, 0) });
    await fold();
    await world.rows("update report_days set starts_at = starts_at + interval '1 hour', organic_sales = 99");
    await compare(daysAgo(20, 0).slice(0, 10), daysAgo(-1, 0).slice(0, 10));
    await world.rows(
      "update report_days set starts_at = starts_at - interval '1 hour', ends_at = ends_at + interval '1 day'",
    );
    await compare(daysAgo(20, 0).slice(0, 10), daysAgo(-1, 0).slice(0, 10));
    await resolve(world.container, tokens.foldReports).rebuild(1);
  });

  it("exclude times at which an open transaction may still write", async () => {
    await world.rows("delete from report_days; delete from report_progress");
    await world.database.transaction(async (transaction) => {
      const [now] = await transaction.rows<{ now: Date }>({ name: "", text: "select now()" }, []);
      await fold();
      const [folded] = await world.rows<{ until: Date }>("select max(ends_at) as until from report_days");
      const youngest = Number(now?.now) - 15 * 60_000;
      expect(folded?.until).to.be.instanceOf(Date);
      expect(Number(folded?.until)).to.be.at.most(youngest);
    });
  });

  it("are deleted with their business", async () => {
    await world.rows("insert into businesses (id, name) values (77, 'Corta vida')");
    await world.rows("insert into contacts (business_id, id, name, phone, platform_id) values (77, 1, 'A', '1', '1')");
    await world.rows("insert into chats (business_id, id, contact_id, provider) values (77, 7701, 1, 'x')");
    await addRecord(world, 77, {});
    await addConversation(world, 77, {});
    await assignTag(world, 77, "T", 1);
    await world.rows("delete from businesses where id = 77");
    expect(await world.rows("select from report_marks where business_id = 77")).to.deep.equal([]);
  });
};

for (const { name, functions } of triggerForms) {
  describe(`figures of folded days, with triggers ${name}`, foldedDays(functions));
}
