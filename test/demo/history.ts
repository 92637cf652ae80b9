import { expect } from "chai";
import type { BusinessFixture } from "../../src/fixtures/businesses/business.ts";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import type { Database } from "../../src/infra/postgres/database.ts";
import { chatChannels, cloudChannel, isNumbered, photoChannel, providerBChannel } from "../../src/kernel/channels.ts";
import { PostgresAbandonedOrders } from "../../src/orders/adapters/postgres/abandoned-orders.ts";
import type { StartedDemo } from "./started-demo.ts";

/** Defines the tests of the demo's history. The tests only read. `started` is called when the tests begin to run. */
export const describeHistory = (started: () => StartedDemo, now: Date) =>
  describe("its history", () => {
    let database: Database;
    let businesses: BusinessFixture[];
    before(() => {
      ({ database, businesses } = started());
    });

    const rows = <Row extends object>(text: string, values: readonly unknown[] = []) =>
      database.rows<Row>({ name: "", text }, values);

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

    it("has orders with every part of a total, and app orders of their chats' customers", async () => {
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

    it("has no orders that the inactivity cancellation changes", async () => {
      expect(await new PostgresAbandonedOrders(oneCell(database)).next(null, 10)).to.deep.equal([]);
    });

    it("has records of every ad of the reported account, and of no other", async () => {
      const [first] = businesses;
      expect(first?.flags).to.include({ ad_account_for_report: "act_1" });
      const account = first?.ads?.accounts.find(({ accountId }) => accountId === "act_1");
      const ads = account?.campaigns?.flatMap(({ adSets }) => adSets.flatMap((adSet) => adSet.ads.map(({ id }) => id)));
      const recorded = await rows<{ ad_id: string }>(
        "select distinct ad_id from registrations where business_id = 1 and ad_id is not null order by ad_id",
      );
      expect(recorded.map(({ ad_id }) => ad_id)).to.deep.equal(ads?.sort());
    });

    describe("has a realistic inbox", () => {
      const newest = `
        select id, state, unread, department_id, provider, last_inbound_at, read_up_to from chats
        where business_id = 1 order by last_message_at desc, id desc limit 100`;

      it("with long conversations among the newest, with files, voice, notes, reactions and replies", async () => {
        const long = await rows<Record<string, number | string>>(
          `select chat.id, chat.provider, count(*) as messages, count(*) filter (where kind = 'image') as pictures,
                  count(*) filter (where internal) as notes, count(*) filter (where reactions <> '[]') as reactions,
                  count(*) filter (where reply_to_id is not null) as answers
           from (${newest}) as chat join messages as message on message.business_id = 1 and message.chat_id = chat.id
           group by chat.id, chat.provider having count(*) >= 20`,
        );
        expect(long.length).to.be.at.least(12);
        for (const { id, messages, provider, ...parts } of long) {
          for (const [name, count] of Object.entries(parts)) {
            // ProviderB does not report reactions.
            if (name === "reactions" && provider === providerBChannel) continue;
            expect(count, `${name} of ${id}`).to.be.above(0);
          }
        }
        const [kinds] = await rows<{ kinds: string[] }>(
          "select array_agg(distinct kind order by kind) as kinds from messages where business_id = 1",
        );
        expect(kinds?.kinds).to.include.members(["audio", "document", "image", "location", "note", "template", "text"]);
      });

      it("with conversations on each channel, with places, pictures, voice, documents, replies and states of answers", async () => {
        for (const channel of chatChannels) {
          const [seen] = await rows<Record<string, unknown>>(
            `select array_agg(distinct kind) filter (where direction = 'in') as kinds,
                    array_agg(distinct message.state) filter (where direction = 'out') as states,
                    count(*) filter (where reactions <> '[]')::int as reactions,
                    count(*) filter (where reply_to_id is not null)::int as answers,
                    bool_and((contact.phone is null) = $2 and (contact.known_on is not null) = $2) as known
             from (${newest}) as chat
             join messages as message on message.business_id = 1 and message.chat_id = chat.id
             join chats on chats.business_id = 1 and chats.id = chat.id
             join contacts as contact on contact.business_id = 1 and contact.id = chats.contact_id
             where chat.provider = $1`,
            [channel, !isNumbered(channel)],
          );
          expect(seen?.kinds, channel).to.include.members(["audio", "image", "location", "text"]);
          if (channel !== cloudChannel) expect(seen?.kinds, channel).to.include("document");
          expect(seen?.states, channel).to.include.members(["read", channel === photoChannel ? "sent" : "delivered"]);
          expect(seen?.answers, channel).to.be.above(3);
          expect(Number(seen?.reactions) > 0, channel).to.equal(channel !== providerBChannel);
          expect(seen?.known, channel).to.equal(true);
        }
      });

      it("with chats in every state and both departments, unread ones, and cloud chats without an open window", async () => {
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

      it("with exact unread counts, replies within their chat, and an exact number of chats", async () => {
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
  });
