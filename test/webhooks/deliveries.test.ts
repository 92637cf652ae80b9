import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import { addLine, addOrder, openShop } from "../orders/shop.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { Hooks, type Received } from "./support.ts";

const asHeaders = ({ headers }: Received): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

describe("Events for a business's own systems", () => {
  let hooks: Hooks;
  before(async () => {
    hooks = await Hooks.start();
    await openShop(hooks.world, 1);
  });
  after(() => hooks.stop());
  afterEach(() => hooks.clear());

  it("arrive signed according to Standard Webhooks, with the same data as on sockets for an App Key", async () => {
    const receiver = await hooks.receiver();
    const { secret } = await hooks.hook(receiver.url, ["message.new", "ticket.new"]);
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const socket = await hooks.world.listen(101);
    await hooks.says("Buenas");
    const got = await receiver.gets(1);
    const heard = await socket.hears(({ name }) => name === "message:new");
    const verified = new Webhook(secret).verify(got.body, asHeaders(got));
    expect(verified).to.deep.equal({ type: "message.new", timestamp: heard.payload.at, data: heard.payload });
    expect(got.headers["webhook-id"]).to.equal(`evt_1_${heard.payload.seq}`);
    const other = new Webhook(`whsec_${Buffer.alloc(32, 7).toString("base64")}`);
    expect(() => other.verify(got.body, asHeaders(got))).to.throw();
  });

  it("are those that the webhook selects, only of its business", async () => {
    const [messages, orders, others] = [await hooks.receiver(), await hooks.receiver(), await hooks.receiver()];
    await hooks.hook(messages.url, ["message.new", "chat.changed"]);
    await hooks.hook(orders.url, ["order.changed"]);
    await hooks.hook(others.url, ["message.new", "chat.changed", "order.changed"], 2);
    await hooks.says("Hola");
    for (const type of ["wa", "app"]) {
      const id = await addOrder(hooks.world, 1, { type });
      await addLine(hooks.world, 1, id);
      const headers = { "x-api-key": hooks.world.appKey(1) };
      const body = { orderId: id, raw_adress: "Calle 1" };
      const changed = await request(`${hooks.world.api}/catalogs/order/update`, { method: "PUT", body, headers });
      expect(changed.status, changed.text).to.equal(200);
    }
    await orders.gets(2);
    expect(orders.received.map(({ type, data }) => [type, data.type])).to.have.deep.members([
      ["order.changed", "wa"],
      ["order.changed", "app"],
    ]);
    await eventually(() => messages.received.length >= 2);
    expect([...new Set(messages.received.map(({ type }) => type))]).to.have.members(["message.new", "chat.changed"]);
    expect(others.received).to.deep.equal([]);
  });

  it("of one chat come in order, each after the answer to the one before, without delaying other chats", async () => {
    const receiver = await hooks.receiver();
    let release = () => {};
    const first = new Promise<void>((resolve) => {
      release = resolve;
    });
    receiver.answering = async ({ data }, response) => {
      if (data.mensaje.texto === "uno") await first;
      response.writeHead(200).end();
    };
    await hooks.hook(receiver.url);
    for (const text of ["uno", "dos", "tres"]) await hooks.says(text, "59170000001");
    await hooks.says("otro", "59170000002");
    await receiver.gets(2);
    expect(receiver.texts).to.have.members(["uno", "otro"]);
    release();
    await receiver.gets(4);
    expect(receiver.texts.filter((text) => text !== "otro")).to.deep.equal(["uno", "dos", "tres"]);
  });

  it("store at most 1,024 bytes of an answer, and only whole characters", async () => {
    const receiver = await hooks.receiver();
    const answers = [Buffer.from(`${"x".repeat(1_022)}${"🎂".repeat(9)}`), Buffer.alloc(1_024, 0xe9)];
    const kept = ["x".repeat(1_022), "\ufffd".repeat(341)];
    const hook = await hooks.hook(receiver.url);
    for (const [place, answer] of answers.entries()) {
      receiver.answering = (_, response) => void response.writeHead(200).end(answer);
      await hooks.says(`Hola ${place}`);
      await receiver.gets(place + 1);
      await eventually(async () => (await hooks.deliveries(hook, "?state=delivered")).length === place + 1);
      expect((await hooks.deliveries(hook))[0].answer).to.equal(kept[place]);
    }
  });

  it("are repeated with growing pauses and the same id, without delaying later ones", async () => {
    const receiver = await hooks.receiver();
    receiver.answering = ({ data }, response) =>
      void response.writeHead(data.mensaje.texto === "malo" ? 500 : 200).end("x".repeat(5_000));
    const hook = await hooks.hook(receiver.url);
    await hooks.says("malo");
    await hooks.says("bueno");
    await receiver.gets(2);
    expect(receiver.texts).to.deep.equal(["malo", "bueno"]);
    const [, failed] = await eventually(async () => {
      const found = await hooks.deliveries(hook);
      return found[1]?.attempts === 1 && found[0]?.state === "delivered" && found;
    });
    expect(failed).to.include({ state: "waiting", type: "message.new", status: 500, answer: "x".repeat(1_024) });
    const pauseMs = Date.parse(failed.next_attempt_at) - Date.parse(failed.last_attempt_at);
    expect(pauseMs).to.be.within(5_000, 5_501);

    await hooks.makeDue();
    await receiver.gets(3);
    const [once, , again] = receiver.received;
    expect(again?.body).to.equal(once?.body);
    expect(again?.headers["webhook-id"]).to.equal(once?.headers["webhook-id"]);
    const later = await eventually(async () => (await hooks.deliveries(hook)).find(({ attempts }) => attempts === 2));
    const secondPauseMs = Date.parse(later.next_attempt_at) - Date.parse(later.last_attempt_at);
    expect(secondPauseMs).to.be.within(300_000, 330_001);

    receiver.takes();
    await hooks.makeDue();
    const done = await eventually(async () => (await hooks.deliveries(hook)).find(({ attempts }) => attempts === 3));
    expect(done).to.include({ state: "delivered", status: 200, answer: "ok", next_attempt_at: null });
  });

  it("are given up after ten attempts", async () => {
    const receiver = await hooks.receiver();
    receiver.refuses(503);
    const hook = await hooks.hook(receiver.url);
    await hooks.says("Hola");
    for (let attempts = 1; attempts < 10; attempts += 1) {
      await hooks.newest(hook, (delivery) => delivery.attempts === attempts);
      await hooks.makeDue();
    }
    const given = await hooks.newest(hook, ({ state }) => state === "failed");
    expect(given).to.include({ attempts: 10, status: 503, next_attempt_at: null });
    expect(receiver.received).to.have.lengthOf(10);
  });

  it("are not sent to an endpoint that answered 410, which the audit shows", async () => {
    const receiver = await hooks.receiver();
    receiver.refuses(410);
    const hook = await hooks.hook(receiver.url);
    await hooks.says("Hola");
    const record = await eventually(async () => {
      const { json } = await hooks.ask("GET", `/${hook.id}`);
      return json.disabled && json;
    });
    expect(record.version).to.equal(2);
    await hooks.says("Adiós");
    hooks.nudge();
    const rows = await hooks.world.rows<{ actor_kind: string; after: object }>(
      "select actor_kind, after from audit where resource = 'webhooks' and record_id = $1 order by id",
      [hook.id],
    );
    expect(rows.at(-1)).to.deep.include({ actor_kind: "system" });
    expect(rows.at(-1)?.after).to.include({ disabled: true, reason: "410" });
    const test = await hooks.ask("POST", `/${hook.id}/test`);
    expect([test.status, test.json.code]).to.deep.equal([409, "disabled"]);

    // Once the endpoint is enabled again, it gets new events, but not those that were logged while it was disabled.
    receiver.takes();
    const { url, events } = record;
    expect((await hooks.ask("PUT", `/${hook.id}`, { url, events })).status).to.equal(200);
    await hooks.says("De nuevo");
    await eventually(() => receiver.texts.includes("De nuevo"));
    expect(receiver.texts).not.to.include("Adiós");
  });

  it("are not sent to an endpoint that failed for five days, which the audit shows", async () => {
    const receiver = await hooks.receiver();
    receiver.refuses(500);
    const hook = await hooks.hook(receiver.url);
    await hooks.says("Hola");
    await hooks.newest(hook, ({ attempts }) => attempts === 1);
    const failing = (days: number) =>
      hooks.world.rows(
        `update webhook_progress set failing_since = now() - make_interval(days => $2) where webhook_id = $1
         and failing_since is not null returning 1`,
        [hook.id, days],
      );
    expect(await failing(4)).to.have.lengthOf(1);
    await hooks.makeDue();
    await hooks.newest(hook, ({ attempts }) => attempts === 2);
    expect((await hooks.ask("GET", `/${hook.id}`)).json.disabled).to.equal(false);
    await failing(6);
    await hooks.makeDue();
    await eventually(async () => (await hooks.ask("GET", `/${hook.id}`)).json.disabled === true);
    const [row] = await hooks.world.rows<{ after: object }>(
      "select after from audit where resource = 'webhooks' and record_id = $1 and actor_kind = 'system'",
      [hook.id],
    );
    expect(row?.after).to.include({ reason: "failing" });
  });

  it("that succeed reset the five days", async () => {
    const receiver = await hooks.receiver();
    const hook = await hooks.hook(receiver.url);
    await hooks.world.rows("update webhook_progress set failing_since = now() - interval '6 days'");
    await hooks.says("bien");
    await hooks.newest(hook, ({ state }) => state === "delivered");
    receiver.refuses(500);
    await hooks.says("mal");
    await hooks.newest(hook, ({ attempts, state }) => attempts === 1 && state === "waiting");
    expect((await hooks.ask("GET", `/${hook.id}`)).json.disabled).to.equal(false);
  });

  it("to another URL reset the five days", async () => {
    const [wrong, right] = [await hooks.receiver(), await hooks.receiver()];
    const hook = await hooks.hook(wrong.url);
    await hooks.world.rows("update webhook_progress set failing_since = now() - interval '6 days'");
    const body = { url: right.url, events: ["message.new"] };
    expect((await hooks.ask("PUT", `/${hook.id}`, body)).status).to.equal(200);
    right.refuses(500);
    await hooks.says("mal");
    await hooks.newest(hook, ({ attempts, state }) => attempts === 1 && state === "waiting");
    expect((await hooks.ask("GET", `/${hook.id}`)).json.disabled).to.equal(false);
  });

  it("do not wait for an endpoint that hangs", async () => {
    const [hanging, quick] = [await hooks.receiver(), await hooks.receiver()];
    hanging.answering = () => {};
    await hooks.hook(hanging.url);
    await hooks.hook(quick.url);
    for (let n = 0; n < 12; n += 1) await hooks.says(`Hola ${n}`, `5917000010${n}`);
    await quick.gets(12);
    expect(hanging.received.length).to.be.within(1, 8);
  });

  it("do not wait for any number of hanging endpoints of the same business", async () => {
    for (let n = 0; n < 9; n += 1) {
      const hanging = await hooks.receiver();
      hanging.answering = () => {};
      await hooks.hook(hanging.url);
    }
    for (let n = 0; n < 10; n += 1) await hooks.says(`Antes ${n}`, `5917000040${n}`);
    const quick = await hooks.receiver();
    await hooks.hook(quick.url);
    await hooks.says("Hola", "59170000410");
    await quick.gets(1);
    expect(quick.texts).to.deep.equal(["Hola"]);
  });

  it("of an erased contact lose personal data, and are delivered without it", async () => {
    const receiver = await hooks.receiver();
    receiver.refuses(500, "Buenas, soy Carla");
    const hook = await hooks.hook(receiver.url);
    await hooks.says("Un secreto", "59170000777");
    await hooks.newest(hook, ({ attempts }) => attempts === 1);
    const [contact] = await hooks.world.rows<{ id: number }>("select id from contacts where phone = '59170000777'");
    const path = `${hooks.world.api}/contacts/${contact?.id}`;
    const session = await hooks.world.sessionToken(101);
    const erased = await request(path, { method: "DELETE", headers: { authorization: `Bearer ${session}` } });
    expect(erased.status, erased.text).to.equal(204);
    expect((await hooks.deliveries(hook)).at(-1)?.answer).to.equal(null);
    receiver.takes();
    const before = receiver.received.length;
    await hooks.makeDue();
    const again = await receiver.gets(before + 1);
    expect(again.body).not.to.match(/secreto|Carla|59170000777/);
  });
});
