import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { PostgresIncomingQueue } from "../../src/inbox/adapters/postgres/incoming/incoming-queue.ts";
import { KeepIncoming, type WebhookOrigin } from "../../src/inbox/public.ts";
import type { Queries } from "../../src/infra/postgres/database.ts";
import { isDatabaseFailure } from "../../src/infra/postgres/database-failure.ts";
import { cloudChannel, qrChannel } from "../../src/kernel/channels.ts";
import { startWorld, type World } from "../support/world.ts";

describe("the queue of received webhooks", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "worker" } });
    // The worker's loop would take the webhooks that these tests look for.
    await resolve(world.container, tokens.incomingLoop).stop();
  });
  after(() => world.stop());
  afterEach(() => world.rows("delete from incoming_webhooks"));

  const cloud: WebhookOrigin = { channel: cloudChannel, about: null };
  const payloads = async () =>
    (await world.rows<{ payload: string }>("select payload from incoming_webhooks order by id")).map(
      ({ payload }) => payload,
    );
  /** Returns `keep`, which stores a webhook, and `sizes`, the number of rows that each statement inserted. */
  const watched = () => {
    const sizes: number[] = [];
    const queries: Queries = {
      rows: (statement, values) => {
        sizes.push(String(values[1]).split(",").length);
        return world.database.rows(statement, values);
      },
    };
    const keeper = new KeepIncoming(new PostgresIncomingQueue(queries), isDatabaseFailure);
    return { sizes, keep: (payload: string, origin = cloud) => keeper.keep(payload, origin) };
  };

  it("writes up to a hundred that arrive together in one statement, with their origin", async () => {
    const { sizes, keep } = watched();
    const given = Array.from({ length: 250 }, (_, n) => `{"n":"${n}, \\"ñ\\""}`);
    await Promise.all(given.map((payload) => keep(payload)));
    expect((await payloads()).sort()).to.deep.equal(given.toSorted());
    expect(sizes).to.deep.equal([100, 100, 50]);

    const about = { platformId: "casa", owner: { businessId: 1, senderId: 7 } };
    await Promise.all([keep("{}", { channel: qrChannel, about }), keep("[]")]);
    const rows = await world.rows(
      "select provider, platform_id, owner_business_id, owner_sender_id from incoming_webhooks where payload in ('{}', '[]') order by id",
    );
    expect(rows).to.deep.equal([
      { provider: qrChannel, platform_id: "casa", owner_business_id: 1, owner_sender_id: 7 },
      { provider: cloudChannel, platform_id: null, owner_business_id: null, owner_sender_id: null },
    ]);
  });

  it("writes at most a megabyte in one statement", async () => {
    const { sizes, keep } = watched();
    await Promise.all(Array.from({ length: 5 }, () => keep("x".repeat(400 * 1024))));
    await keep("y".repeat(3 * 1024 * 1024));
    expect(sizes).to.deep.equal([2, 2, 1, 1]);
  });

  it("reports the outcome of each webhook, and stores the others if one cannot be stored", async () => {
    const { keep } = watched();
    const outcomes = await Promise.allSettled([keep("one"), keep("a\0b"), keep("three")]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected", "fulfilled"]);
    expect(await payloads()).to.deep.equal(["one", "three"]);
  });

  it("refuses all webhooks while the database is away", async () => {
    const away = Object.assign(new Error("gone"), { code: "ECONNREFUSED" });
    let asked = 0;
    const queue = {
      keepAll: async () => {
        asked += 1;
        throw away;
      },
    };
    const keeper = new KeepIncoming(queue, isDatabaseFailure);
    const outcomes = await Promise.allSettled([keeper.keep("1", cloud), keeper.keep("2", cloud)]);
    expect(outcomes).to.deep.equal(Array(2).fill({ status: "rejected", reason: away }));
    expect(asked).to.equal(1);
  });

  it("hands out webhooks limited by number and size, but always the first one", async () => {
    const queue = new PostgresIncomingQueue(world.database);
    for (const size of [10, 10, 10, 50]) await queue.keepAll([{ payload: "x".repeat(size), origin: cloud }]);
    const sizes = async (webhooks: number, bytes: number) =>
      (await queue.claim(cloudChannel, { webhooks, bytes })).map(({ payload }) => payload.length);
    expect(await sizes(2, 1_000)).to.deep.equal([10, 10]);
    expect(await sizes(9, 20)).to.deep.equal([10, 10]);
    expect(await sizes(9, 21)).to.deep.equal([10, 10, 10]);
    await world.rows("delete from incoming_webhooks where length(payload) = 10");
    expect(await sizes(9, 20)).to.deep.equal([50]);
  });

  it("keeps a webhook's time of arrival in another cell, because erasures look for what arrived before them", async () => {
    const queue = new PostgresIncomingQueue(world.database);
    const receivedAt = new Date("2026-01-02T03:04:05.678Z");
    await world.rows("insert into away_businesses (business_id) values (9)");
    await world.rows(
      `insert into incoming_webhooks (payload, provider, platform_id, owner_business_id, owner_sender_id, received_at)
       values ('{"text": "hola, qué tal"}', 'qr', 'phone', 9, 90, $1)`,
      [receivedAt],
    );
    const found = await queue.ofAway([]);
    await queue.remove(found.map(({ id }) => id));
    await queue.bring(found);
    const brought = await queue.ofAway([]);
    expect(brought.map(({ id, ...webhook }) => webhook)).to.deep.equal([
      {
        ...{ payload: '{"text": "hola, qué tal"}', channel: "qr", platformId: "phone" },
        ...{ businessId: 9, senderId: 90, receivedAt },
      },
    ]);
    await world.rows("delete from away_businesses");
  });

  it("gives a webhook up after ten statement timeouts, but not because the database is away", async () => {
    const queue = new PostgresIncomingQueue(world.database);
    await queue.keepAll([{ payload: "slow", origin: cloud }]);
    const [row] = await world.rows<{ id: number }>("select id from incoming_webhooks");
    const id = row?.id ?? 0;
    const attempts = async () =>
      (await world.rows("select attempts, gave_up_at is not null as over from incoming_webhooks"))[0];
    const failing = (code: string) => Object.assign(new Error("no"), { code });
    for (let time = 0; time < 12; time += 1) await queue.postpone(id, failing("57P01"));
    expect(await attempts()).to.deep.equal({ attempts: 0, over: false });
    for (let time = 0; time < 10; time += 1) await queue.postpone(id, failing("57014"));
    expect(await attempts()).to.deep.equal({ attempts: 10, over: true });
  });
});
