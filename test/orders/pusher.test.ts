import { createHmac } from "node:crypto";
import { expect } from "chai";
import nock from "nock";
import type { Config } from "../../src/bootstrap/config.ts";
import { createContainer } from "../../src/bootstrap/container.ts";
import { resolve, resolveAll } from "../../src/bootstrap/provide.ts";
import { startService } from "../../src/bootstrap/service.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { LoggedEvent } from "../../src/kernel/events.ts";
import { PostgresOrderEvents } from "../../src/orders/adapters/postgres/order-events.ts";
import { PusherHost } from "../../src/orders/adapters/pusher/pusher-host.ts";
import { fitting } from "../../src/orders/adapters/realtime/pusher-channel.ts";
import { useNock } from "../http-client/nocked.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, pusherApp, startWorld, type World } from "../support/world.ts";
import { addOrder, openShop } from "./shop.ts";

const flags = { "payments-url": "https://pay.example" };
/** Both ids are odd, so that both businesses are in the first cell. These tests write events only to that cell. */
const businesses = [aBusiness(1, { flags }), aBusiness(3)];

/** Logs a change of the order. The caller must publish the event. */
const change = (world: World, businessId: number, id: number): Promise<LoggedEvent[]> =>
  world.database.transaction(async (transaction) => {
    const events = new PostgresOrderEvents(transaction);
    return events.logChanged(await events.read([{ businessId, id }]));
  });

describe("changes of orders with a Pusher host", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ businesses, environment: { ROLE: "api" }, pusher: true });
    for (const { id } of businesses) await openShop(world, id);
  });
  after(() => world.stop());
  afterEach(async () => {
    await world.control("DELETE", "/faults");
    await world.rows("delete from push_outbox");
  });

  const changed = async (businessId: number, id: number): Promise<LoggedEvent[]> => {
    const events = await change(world, businessId, id);
    resolve(world.container, tokens.feed).publish(events);
    return events;
  };
  const pushed = (businessId: number): Promise<Answer["json"][]> =>
    world.control("GET", `/pusher/events?channel=private-empresa-${businessId}`);
  const pushedOf = async (businessId: number, id: number) =>
    (await pushed(businessId)).filter(({ data }) => data.id === id);
  const waiting = () => world.rows<{ number: number; attempts: number }>("select * from push_outbox order by number");
  const nudge = () => resolve(world.container, tokens.pushLoop).nudge();

  for (const type of ["app", "web"]) {
    it(`of type ${type} are sent to the business's private channel, and not to sockets (Realtime.3)`, async () => {
      const inbox = await world.listen(102);
      const id = await addOrder(world, 1, { type });
      const [event] = await changed(1, id);
      const [got] = await eventually(async () => (await pushedOf(1, id)).length > 0 && pushedOf(1, id));
      expect(got).to.include({ name: "order:changed", channel: "private-empresa-1" });
      expect(got.data).to.include({ empresa_id: 1, at: event?.at.toISOString(), seq: event?.number, version: 1 });
      // Events come in order: once the socket has heard this second event, the first can no longer come.
      const other = await addOrder(world, 1, { type: "wa" });
      await changed(1, other);
      await inbox.hears(({ payload }) => payload.id === other);
      expect(inbox.heard.map(({ payload }) => payload.id)).to.deep.equal([other]);
      expect(await eventually(async () => (await waiting()).length === 0)).to.equal(true);
    });
  }

  it("are pushed after any kind of change, such as a payment link", async () => {
    const id = await addOrder(world, 1, { type: "app" });
    const answer = await world.post("/catalogs/orders/payment/link/sms", { businessId: 1, orderId: id });
    expect(answer.status, answer.text).to.equal(200);
    const [got] = await eventually(async () => (await pushedOf(1, id)).length > 0 && pushedOf(1, id));
    expect(got.data).to.include({ version: 2 });
  });

  it("are sent to sockets for every other type, and not to the host (Realtime.3)", async () => {
    const inbox = await world.listen(102);
    for (const type of ["wa", "call", "kiosk", "App"]) {
      const id = await addOrder(world, 1, { type });
      await changed(1, id);
      await inbox.hears(({ name, payload }) => name === "order:changed" && payload.id === id);
      expect(await pushedOf(1, id)).to.deep.equal([]);
    }
    expect(await waiting()).to.deep.equal([]);
  });

  it("are not sent to a returning client either, which gets all other events", async () => {
    const [app, wa] = [await addOrder(world, 1, { type: "app" }), await addOrder(world, 1, { type: "wa" })];
    const [before] = await changed(1, wa);
    for (const id of [app, wa, app]) await changed(1, id);
    const { io } = await import("socket.io-client");
    const heard: [string, number][] = [];
    const socket = io(`${world.api}/realtime`, {
      forceNew: true,
      transports: ["websocket"],
      auth: { token: await world.sessionToken(102), since: before?.number },
    });
    try {
      socket.onAny((name, payload) => heard.push([name, payload.seq]));
      await eventually(() => heard.some(([name]) => name === "ready"));
      const first = before?.number ?? 0;
      expect(heard).to.deep.equal([
        ["order:changed", first + 2],
        ["ready", first + 3],
      ]);
    } finally {
      socket.disconnect();
    }
  });

  it("are only sent to their business", async () => {
    const id = await addOrder(world, 3, { type: "app" });
    await changed(3, id);
    await eventually(async () => (await pushedOf(3, id)).length > 0);
    expect((await pushed(1)).filter(({ data }) => data.empresa_id !== 1)).to.deep.equal([]);
  });

  it("are pushed even if the process died between the commit and the push", async () => {
    const id = await addOrder(world, 1, { type: "web" });
    await change(world, 1, id);
    expect(await waiting()).to.have.length(1);
    expect(await pushedOf(1, id)).to.deep.equal([]);
    const tick = resolveAll(world.container, tokens.tick).find(({ name }) => name === "orders.push");
    await tick?.run(new AbortController().signal);
    await eventually(async () => (await pushedOf(1, id)).length === 1);
    await eventually(async () => (await waiting()).length === 0);
  });

  it("are pushed in the order of the log, ten in each request", async () => {
    const ids: number[] = [];
    for (let each = 0; each < 25; each += 1) ids.push(await addOrder(world, 1, { type: "app" }));
    for (const id of ids) await change(world, 1, id);
    nudge();
    await eventually(async () => (await waiting()).length === 0);
    const got = (await pushed(1)).map(({ data }) => data.id).filter((id: number) => ids.includes(id));
    expect([...got].sort((a, b) => a - b)).to.deep.equal(ids);
    const firstTen = got.filter((id: number) => ids.indexOf(id) < 10);
    expect(firstTen).to.deep.equal(ids.slice(0, 10));
  });

  for (const fault of [{ reset: true }, { status: 503 }, { status: 401 }, { garbage: true, status: 500 }]) {
    it(`are pushed later after ${JSON.stringify(fault)}`, async () => {
      await world.control("POST", "/faults", { ...fault, path: "pusher_batch_events" });
      const id = await addOrder(world, 1, { type: "app" });
      await changed(1, id);
      await eventually(async () => (await world.control("GET", "/faults")).length === 0);
      await eventually(async () => (await waiting())[0]?.attempts === 1);
      expect(await pushedOf(1, id)).to.deep.equal([]);
      await world.rows("update push_outbox set due_at = now()");
      nudge();
      await eventually(async () => (await waiting()).length === 0);
      expect(await pushedOf(1, id)).to.have.length(1);
    });
  }

  it("are not due while they are being pushed, and are repeated with growing pauses", async () => {
    const id = await addOrder(world, 1, { type: "app" });
    await change(world, 1, id);
    const outbox = resolve(world.container, tokens.pushOutbox);
    const seconds: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(await outbox.claim(10)).to.have.length(1);
      expect(await outbox.claim(10)).to.deep.equal([]);
      const [row] = await world.rows<{ seconds: number }>(
        "select extract(epoch from due_at - now())::float as seconds from push_outbox",
      );
      seconds.push(Math.ceil((row?.seconds ?? 0) / 5) * 5);
      await world.rows("update push_outbox set due_at = now()");
    }
    expect(seconds).to.deep.equal([15, 30, 60, 60, 60]);
  });

  it("are removed from the outbox with their event", async () => {
    const id = await addOrder(world, 1, { type: "app" });
    await change(world, 1, id);
    await world.rows("delete from realtime_events");
    expect(await waiting()).to.deep.equal([]);
  });

  it("are sent without details, which they say, if they are too large (Realtime.3)", async () => {
    const large = {
      empresa_id: 1,
      id: 7,
      details: [{ name: "x".repeat(10_000) }],
      orden: { details: [1], raw_adress: "a" },
    };
    expect(JSON.parse(fitting(large, 10_240))).to.deep.equal(large);
    const larger = { ...large, note: "ñ".repeat(200) };
    expect(JSON.parse(fitting(larger, 10_240))).to.deep.equal({
      empresa_id: 1,
      id: 7,
      orden: { raw_adress: "a" },
      note: larger.note,
      truncado: true,
    });
    const largest = JSON.parse(fitting({ ...large, note: "ñ".repeat(20_000) }, 10_240));
    expect(largest).to.include({ truncado: true, id: 7, note: "ñ".repeat(200) });
  });

  it("are pushed for any number of lines of the order", async () => {
    const id = await addOrder(world, 1, { type: "app" });
    await world.rows(
      `insert into order_lines (business_id, order_id, article_id, type)
       select 1, $1, 101, 'item' from generate_series(1, 500)`,
      [id],
    );
    await world.rows("update orders set raw_address = repeat('calle ', 5000) where id = $1", [id]);
    await changed(1, id);
    await eventually(async () => (await pushedOf(1, id)).length === 1);
    const [got] = await pushedOf(1, id);
    expect(got.bytes).to.be.at.most(10_240);
    expect(got.data).to.include({ empresa_id: 1, truncado: true, total: 4_060.5 });
    expect(got.data).not.to.have.property("details");
  });

  describe("POST /realtime/pusher/auth", () => {
    const ask = async (fields: object | string, token?: string, type = "application/json") =>
      request(`${world.api}/realtime/pusher/auth`, {
        method: "POST",
        headers: {
          "content-type": type,
          authorization: `Bearer ${token ?? (await world.sessionToken(102))}`,
        },
        rawBody: typeof fields === "string" ? fields : JSON.stringify(fields),
      });
    const mine = { socket_id: "123.456", channel_name: "private-empresa-1" };
    const form = "application/x-www-form-urlencoded";

    it("asks for a token if a form has none", async () => {
      const answer = await request(`${world.api}/realtime/pusher/auth`, {
        method: "POST",
        headers: { "content-type": form },
        rawBody: new URLSearchParams(mine).toString(),
      });
      expect([answer.status, answer.json]).to.deep.equal([400, { error: "Token is required" }]);
    });

    it("authorizes a user for the business's channel, by form and by JSON (Realtime.1)", async () => {
      const signature = createHmac("sha256", pusherApp.secret).update("123.456:private-empresa-1").digest("hex");
      for (const answer of [
        await ask(mine),
        await ask("socket_id=123.456&channel_name=private-empresa-1", undefined, form),
      ]) {
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.json).to.deep.equal({ auth: `${pusherApp.key}:${signature}` });
      }
    });

    for (const channel of [
      "private-empresa-2",
      "private-empresa-999",
      "presence-empresa-1",
      "private-empresa-1 ",
      "x",
    ]) {
      it(`refuses ${JSON.stringify(channel)} (Realtime.2)`, async () => {
        const answer = await ask({ ...mine, channel_name: channel });
        expect({ status: answer.status, json: answer.json }).to.deep.equal({
          status: 403,
          json: { message: "Forbidden" },
        });
      });
    }

    const wrong: [fields: object | string, message: string][] = [
      [{ ...mine, socket_id: "x:private-empresa-2" }, "socket_id no es válido"],
      [{ ...mine, socket_id: 1 }, "socket_id es requerido"],
      [{ socket_id: "1.2" }, "channel_name es requerido"],
      ["null", "socket_id es requerido"],
      ["{", "Request body is not valid JSON"],
    ];
    for (const [fields, message] of wrong) {
      it(`answers 400 for ${JSON.stringify(fields)}`, async () => {
        const answer = await ask(fields);
        expect({ status: answer.status, json: answer.json }).to.deep.equal({ status: 400, json: { message } });
      });
    }

    it("answers 401 for a wrong token", async () => {
      expect((await ask(mine, "nonsense")).status).to.equal(401);
    });
  });
});

describe("changes of orders without a Pusher host", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ businesses, environment: { ROLE: "api" } });
    await openShop(world, 1);
  });
  after(() => world.stop());

  it("are sent to sockets for every type of order", async () => {
    const inbox = await world.listen(102);
    for (const type of ["app", "web", "wa"]) {
      const id = await addOrder(world, 1, { type });
      resolve(world.container, tokens.feed).publish(await change(world, 1, id));
      await inbox.hears(({ name, payload }) => name === "order:changed" && payload.id === id);
    }
  });

  it("are deleted from the outbox after an hour", async () => {
    await world.rows("delete from push_outbox");
    for (let each = 0; each < 2; each += 1) await change(world, 1, await addOrder(world, 1, { type: "app" }));
    await world.rows(
      `update push_outbox set due_at = now() - interval '61 minutes'
       where number = (select max(number) from push_outbox)`,
    );
    const tick = resolveAll(world.container, tokens.tick).find(({ name }) => name === "orders.forget-unpushed");
    await tick?.run(new AbortController().signal);
    expect(await world.rows("select from push_outbox")).to.have.length(1);
  });

  it("are mentioned in the log once at the start", async () => {
    const said = async (config: Config): Promise<string[]> => {
      const lines: string[] = [];
      const note = (_fields: object, message: string) => void lines.push(message);
      const container = createContainer({ ...config, port: 0 });
      container.rebind(tokens.log).toConstantValue({ info: note, warn: note, error: note });
      const service = await startService(config, { container });
      await service.stop();
      return lines.filter((line) => line.includes("no Pusher host"));
    };
    expect(await said(world.config)).to.deep.equal([
      "no Pusher host is configured: changes of orders of type app or web go to the Socket.IO namespace",
    ]);
    const pusher = { ...pusherApp, host: "http://127.0.0.1:1", timeoutMs: 100 };
    expect(await said({ ...world.config, pusher })).to.deep.equal([]);
  });

  it("do not authorize any channel", async () => {
    const answer = await request(`${world.api}/realtime/pusher/auth`, {
      method: "POST",
      headers: { authorization: `Bearer ${await world.sessionToken(102)}` },
      body: { socket_id: "1.2", channel_name: "private-empresa-1" },
    });
    expect(answer.status).to.equal(404);
  });
});

describe("the client of a Pusher host", () => {
  useNock();
  const failures: [string, boolean][] = [];
  beforeEach(() => failures.splice(0));

  const hostAt = (host: string, timeoutMs = 5_000) =>
    new PusherHost({
      ...pusherApp,
      host,
      timeoutMs,
      channelOf: (businessId) => `private-${businessId}`,
      serialize: ({ payload }) => JSON.stringify(payload),
      onFailure: (...failure) => failures.push(failure),
    });
  const anEvent = (number: number): LoggedEvent => ({
    businessId: 1,
    number,
    name: "order:changed",
    payload: { number },
    at: new Date(),
  });
  const events = [anEvent(1), anEvent(2)];
  const path = /^\/apps\/app-1\/batch_events\?/;

  for (const [host, origin] of [
    ["pusher.test", "https://pusher.test"],
    ["pusher.test:6001", "https://pusher.test:6001"],
    ["http://pusher.test:6001", "http://pusher.test:6001"],
  ] as const) {
    it(`posts a batch to ${origin} for ${host}`, async () => {
      const asked: unknown[] = [];
      nock(origin)
        .post(path)
        .reply(200, (uri, body) => {
          asked.push(Object.fromEntries(new URL(uri, origin).searchParams), body);
          return {};
        });
      expect(await hostAt(host).push(events)).to.deep.equal(events);
      expect(asked[0]).to.include({ auth_key: "pusher-key", auth_version: "1.0" });
      expect(asked[1]).to.deep.equal({
        batch: [1, 2].map((number) => ({
          channel: "private-1",
          name: "order:changed",
          data: JSON.stringify({ number }),
        })),
      });
      expect(failures).to.deep.equal([]);
    });
  }

  for (const status of [401, 403, 404, 429, 500, 503]) {
    it(`tries again after ${status}, with a log line that does not contain the URL`, async () => {
      nock("https://pusher.test").post(path).reply(status, "no");
      expect(await hostAt("pusher.test").push(events)).to.deep.equal([]);
      expect(failures).to.deep.equal([[`HTTP ${status}`, false]]);
    });
  }

  it("tries again after a missing answer or a broken connection", async () => {
    nock("https://pusher.test").post(path).delay(2_000).reply(200, {});
    expect(await hostAt("pusher.test", 30).push(events)).to.deep.equal([]);
    nock("https://pusher.test").post(path).replyWithError("broken");
    expect(await hostAt("pusher.test").push(events)).to.deep.equal([]);
    expect(failures).to.deep.equal([
      ["no answer", false],
      ["no answer", false],
    ]);
  });

  for (const status of [400, 413]) {
    it(`gives up only the event that the host refuses with ${status}`, async () => {
      nock("https://pusher.test")
        .post(path)
        .times(3)
        .reply((_uri, body) => [JSON.stringify(body).includes("2") ? status : 200, {}]);
      expect(await hostAt("pusher.test").push(events)).to.deep.equal(events);
      expect(failures).to.deep.equal([["the host refuses this event", true]]);
    });
  }
});
