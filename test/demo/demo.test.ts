import { expect } from "chai";
import { demoBusinesses } from "../../src/demo/data.ts";
import { type DemoDescription, giveAccess } from "../../src/demo/description.ts";
import { demandDemo, makeDemo } from "../../src/demo/seed.ts";
import type { BusinessFixture } from "../../src/fixtures/businesses/business.ts";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import type { Database } from "../../src/infra/postgres/database.ts";
import { PostgresAbandonedOrders } from "../../src/orders/adapters/postgres/abandoned-orders.ts";
import { PostgresOrderEvents } from "../../src/orders/adapters/postgres/order-events.ts";
import { totalsOf } from "../../src/orders/domain/total.ts";
import { type StartedDemo, startDemo } from "./started-demo.ts";

const dayMs = 24 * 60 * 60 * 1_000;

describe("the demo", () => {
  const now = new Date();
  let database: Database;
  let businesses: BusinessFixture[];
  let description: DemoDescription;
  let demo: StartedDemo;
  before(async function () {
    this.timeout(60_000);
    demo = await startDemo(now);
    ({ database, businesses, description } = demo);
  });
  after(() => demo.close());

  const rows = <Row extends object>(text: string, values: readonly unknown[] = []) =>
    database.rows<Row>({ name: "", text }, values);
  const read = (businessId: number, id: number) => new PostgresOrderEvents(database).read([{ businessId, id }]);

  it("is written once", async () => {
    expect(await makeDemo(demo.service.container, demo.api, businesses, now)).to.equal(false);
    await demandDemo(database);
  });

  it("is set up by what its administrators asked for, and each record has the id that the demo names", async () => {
    for (const { id: businessId, departments, tags, steps, shop } of businesses) {
      const made = await rows<{ resource: string; ids: number[] }>(
        `select resource, array_agg(record_id order by record_id)::int[] as ids from audit
         where business_id = $1 and actor_kind = 'user' and change <> 'removed' group by resource`,
        [businessId],
      );
      const found = new Map(made.map(({ resource, ids }) => [resource, ids]));
      for (const [resource, records = []] of [
        ["departments", departments],
        ["tags", tags],
        ["steps", steps],
        ["branches", shop?.branches],
        ["zones", shop?.zones],
        ["articles", shop?.articles],
        ["extras", shop?.extras],
        ["drivers", shop?.drivers],
      ] as const) {
        expect(found.get(resource), resource).to.deep.equal(records.map(({ id }) => id));
      }
      expect(found.get("quick-replies")).to.have.length(8);
      expect(found.get("senders")).to.have.length(5);
      expect([...found.keys()]).to.include.members(["ad-accounts", "app-keys", "flags"]);
    }
  });

  it("gives each business a key that opens it, in the place of that of the start before", async () => {
    const before = description.business.appKey;
    const counted = (key: string) => fetch(`${demo.api}/chats/counts`, { headers: { "x-api-key": key } });
    expect((await counted(before)).status).to.equal(200);
    const { appKeys } = await giveAccess(demo.service.container, demo.api, businesses);
    expect((await counted(before)).status).to.equal(401);
    expect((await counted(appKeys.get(1) ?? "")).status).to.equal(200);
  });

  it("is the same for the same moment, its ids and names at any moment", () => {
    expect(demoBusinesses(now)).to.deep.equal(businesses);
    const later = demoBusinesses(new Date(now.getTime() + 40 * dayMs));
    const ids = (all: readonly BusinessFixture[]) =>
      all.map(({ shop }) => shop?.orders.map(({ id, chatId }) => [id, chatId]));
    expect(ids(later)).to.deep.equal(ids(businesses));
  });

  it("has a report with tickets in every state, tags and temperatures", async () => {
    const states = await rows<{ agent_id: number; states: string[] }>(
      `select agent_id, array_agg(distinct state order by state) as states from tickets where business_id = 1
       group by agent_id`,
    );
    expect(states.length).to.be.at.least(2);
    const seen = new Set(states.flatMap((each) => each.states));
    expect([...seen].sort()).to.deep.equal(["cancelled", "completed", "in_progress", "pending"]);
    const [tags] = await rows<{ tags: number; days: number }>(
      `select count(distinct tag_id)::int as tags, count(distinct at::date)::int as days from funnel_events
       where business_id = 1 and type = 'assigned_tag' and at > now() - interval '91 days'`,
    );
    expect(tags?.tags).to.be.at.least(2);
    expect(tags?.days).to.be.at.least(10);
    const [warmth] = await rows<{ ai: number; agent: number }>(
      `select count(distinct ai_temperature)::int as ai, count(distinct agent_temperature)::int as agent
       from conversations where business_id = 1`,
    );
    expect(warmth?.ai).to.be.at.least(5);
    expect(warmth?.agent).to.be.at.least(5);
  });

  it("has 300 orders in every status, over 90 days, of every type", async () => {
    const [seen] = await rows<{ count: number; statuses: number[]; types: string[]; days: number }>(
      `select count(*), array_agg(distinct status order by status) as statuses,
              array_agg(distinct type order by type) as types,
              extract(day from max(created_at) - min(created_at))::int as days
       from orders where business_id = 1`,
    );
    expect(seen).to.include({ count: 300 });
    expect(seen?.statuses).to.deep.equal([1, 2, 3, 4, 5, 8]);
    expect(seen?.types).to.deep.equal(["app", "call", "wa", "web"]);
    expect(seen?.days).to.be.within(80, 90);
    const [future] = await rows<{ count: number }>(
      "select count(*) from orders where greatest(created_at, updated_at) > $1",
      [now],
    );
    expect(future?.count).to.equal(0);
  });

  it("has orders of everything that a total is made of, and those of the app are their chats' customers'", async () => {
    const [seen] = await rows<Record<string, number>>(
      `select count(*) filter (where exists (select from order_discounts as d where d.order_id = o.id)) as discounted,
              count(*) filter (where extra_data -> 'customExtras' <> '{}') as custom,
              count(*) filter (where exists (
                select from order_lines as l where l.order_id = o.id and l.type = 'delivery_coupon')) as free,
              count(*) filter (where speedy_price is not null) as speedy,
              count(*) filter (where driver_id is not null) as driven,
              count(*) filter (where cancel_reason like '%inactividad%') as abandoned
       from orders as o where business_id = 1`,
    );
    for (const [name, count] of Object.entries(seen ?? {})) expect(count, name).to.be.above(3);
    const strangers = await rows(
      `select o.id, person.name from orders as o
       join chats as chat on chat.business_id = o.business_id and chat.id = o.chat_id
       join contacts as contact on contact.business_id = o.business_id and contact.id = chat.contact_id
       left join in_app_contacts as person
         on person.business_id = o.business_id and person.platform_id = o.external_user_id
       where o.type in ('app', 'web') and person.name is distinct from contact.name`,
    );
    expect(strangers).to.deep.equal([]);
  });

  it("is left alone by the inactivity cancellation: nothing in it changes by itself", async () => {
    expect(await new PostgresAbandonedOrders(oneCell(database)).next(null, 10)).to.deep.equal([]);
  });

  it("names pending orders with products, by chat and by app, and a product (.run/demo.json)", async () => {
    for (const [type, id] of [
      ["wa", description.orders.whatsapp],
      ["app", description.orders.app],
    ] as const) {
      const [order] = await read(1, id ?? 0);
      expect(order).to.include({ status: 8, type, paid: false });
      expect(order?.lines.length).to.be.above(0);
      expect(order && totalsOf(order).total > 0n).to.equal(true);
    }
    expect(
      await rows("select from articles where business_id = 1 and id = $1", [description.article.id]),
    ).to.have.length(1);
  });

  it("names an order, a detail of it and a product of another business, which the first has not", async () => {
    const { id, orderId, detailId, articleId } = description.otherBusiness;
    const [order] = await read(id, orderId ?? 0);
    expect(order).to.include({ status: 8 });
    expect(order?.lines.map((line) => line.id)).to.include(detailId);
    for (const [table, its] of [
      ["orders", orderId],
      ["order_lines", detailId],
      ["articles", articleId],
    ] as const) {
      const found = await rows<{ business_id: number }>(`select business_id from ${table} where id = $1`, [its]);
      expect(found, table).to.deep.equal([{ business_id: id }]);
    }
  });

  it("has records of every ad of the account that its report shows, and of no other", async () => {
    const [first] = businesses;
    expect(first?.flags).to.include({ ad_account_for_report: "act_1" });
    const account = first?.ads?.accounts.find(({ accountId }) => accountId === "act_1");
    const ads = account?.campaigns?.flatMap(({ adSets }) => adSets.flatMap((adSet) => adSet.ads.map(({ id }) => id)));
    const recorded = await rows<{ ad_id: string }>(
      "select distinct ad_id from registrations where business_id = 1 and ad_id is not null order by ad_id",
    );
    expect(recorded.map(({ ad_id }) => ad_id)).to.deep.equal(ads?.sort());
  });

  describe("has an inbox worth reading", () => {
    const newest = `
      select id, state, unread, department_id, provider, last_inbound_at, read_up_to from chats
      where business_id = 1 order by last_message_at desc, id desc limit 100`;

    it("with long conversations among its newest, with files, voice, notes, reactions and answers", async () => {
      const long = await rows<Record<string, number>>(
        `select chat.id, count(*) as messages, count(*) filter (where kind = 'image') as pictures,
                count(*) filter (where internal) as notes, count(*) filter (where reactions <> '[]') as reactions,
                count(*) filter (where reply_to_id is not null) as answers
         from (${newest}) as chat join messages as message on message.business_id = 1 and message.chat_id = chat.id
         group by chat.id having count(*) >= 20`,
      );
      expect(long.length).to.be.at.least(12);
      for (const { id, messages, ...parts } of long) {
        for (const [name, count] of Object.entries(parts)) expect(count, `${name} of ${id}`).to.be.above(0);
      }
      const [kinds] = await rows<{ kinds: string[] }>(
        "select array_agg(distinct kind order by kind) as kinds from messages where business_id = 1",
      );
      expect(kinds?.kinds).to.include.members(["audio", "document", "image", "location", "note", "template", "text"]);
    });

    it("with chats in every state, of both departments, unread ones, and cloud chats whose window is over", async () => {
      const [seen] = await rows<{ states: string[]; departments: number; unread: number; over: number }>(
        `select array_agg(distinct state order by state) as states, count(distinct department_id)::int as departments,
                count(*) filter (where unread > 0)::int as unread,
                count(*) filter (where provider = 'platform-apicloud'
                                       and last_inbound_at < $1::timestamptz - interval '24 hours')::int as over
         from (${newest}) as chat`,
        [now],
      );
      expect(seen?.states).to.deep.equal(["bot", "closed", "in_progress", "pending"]);
      expect(seen).to.include({ departments: 2 });
      expect(seen?.unread).to.be.at.least(10);
      expect(seen?.over).to.be.at.least(5);
    });

    it("with unread messages counted as they are, answers in the same chat, and a count of chats that is right", async () => {
      const wrong = await rows(
        `select chat.id from chats as chat where unread <> (
           select count(*) from messages as message
           where message.business_id = chat.business_id and message.chat_id = chat.id and direction = 'in'
             and message.id > chat.read_up_to)`,
      );
      expect(wrong).to.deep.equal([]);
      const strays = await rows(
        `select message.id from messages as message left join messages as answered
           on answered.business_id = message.business_id and answered.id = message.reply_to_id
         where message.reply_to_id is not null
           and (answered.chat_id is distinct from message.chat_id or answered.id >= message.id)`,
      );
      expect(strays).to.deep.equal([]);
      const [counts] = await rows(
        `select (select sum(chats)::int from (
                   select chats from chat_counts union all select chats from chat_count_changes) as all_counts) as counted,
                (select count(*)::int from chats where last_message_at is not null) as there`,
      );
      expect(counts).to.have.property("counted", (counts as { there: number }).there);
    });

    it("with quick replies, and contacts with fields and tags", async () => {
      const [seen] = await rows<Record<string, number>>(
        `select (select count(*) from quick_replies where business_id = 1) as replies,
                (select count(*) from contacts where business_id = 1 and fields <> '{}') as described,
                (select count(distinct tag_id) from contact_tags where business_id = 1) as tags,
                (select count(distinct tag_id) from chat_tags where business_id = 1) as chat_tags`,
      );
      expect(seen?.replies).to.be.at.least(5);
      expect(seen?.described).to.be.at.least(100);
      expect(seen).to.include({ tags: 4, chat_tags: 4 });
    });
  });

  it("says who its users are, what they sign in with, and what it has for the console (.run/demo.json)", () => {
    const { agent, agent2, password, departments, tags, channels } = description;
    expect(agent2.id).to.not.equal(agent.id);
    expect(agent2.email).to.match(/@business1\./);
    expect(password).to.be.a("string");
    expect(departments).to.deep.include({ id: 2, nombre: "Reclamos" });
    expect(tags).to.deep.include({ id: 4, nombre: "Cliente frecuente" });
    expect(channels).to.deep.equal({ cloud: { phoneNumberId: "10001" } });
  });

  it("leaves the next ids free", async () => {
    const made = await rows(`insert into orders (business_id, type) values (1, 'wa') returning id`);
    await rows("delete from orders where id = $1", [(made[0] as { id: number }).id]);
    expect(made).to.have.length(1);
    await rows("insert into articles (business_id, name, price) values (1, 'Otro', 1)");
    await rows("delete from articles where name = 'Otro'");
  });
});
