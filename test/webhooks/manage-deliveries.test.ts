import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { Hooks, type Received } from "./support.ts";

const missing = 999_999_999;

const asHeaders = ({ headers }: Received): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const isSignedBy = (secret: string, received: Received): boolean => {
  try {
    new Webhook(secret).verify(received.body, asHeaders(received));
    return true;
  } catch {
    return false;
  }
};

describe("Webhooks of a business", () => {
  let hooks: Hooks;
  before(async () => {
    hooks = await Hooks.start();
  });
  after(() => hooks.stop());
  afterEach(() => hooks.clear());

  it("are limited to 50, even for simultaneous requests", async () => {
    const make = (businessId = 1) =>
      hooks.ask("POST", "", { url: "http://127.0.0.1:9/", events: ["message.new"] }, businessId);
    const made = await Promise.all(Array.from({ length: 53 }, () => make()));
    const refused = made.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, json }) => [status, json.code])).to.deep.equal(Array(3).fill([400, "invalid_input"]));
    expect(refused[0]?.json.error).to.include("50 webhooks");
    expect((await make(2)).status).to.equal(201);
  });

  it("can get a new secret, beside which the old one signs until the next rotation, or for a day", async () => {
    const receiver = await hooks.receiver();
    const hook = await hooks.hook(receiver.url);
    const rotated = await hooks.ask("POST", `/${hook.id}/rotate`);
    expect(rotated.status, rotated.text).to.equal(200);
    const { secret, previous_valid_until: until } = rotated.json;
    expect(secret)
      .to.match(/^whsec_/)
      .and.not.equal(hook.secret);
    expect(Date.parse(until)).to.be.closeTo(Date.now() + 24 * 3_600_000, 60_000);

    await hooks.says("uno");
    const both = await receiver.gets(1);
    expect(String(both.headers["webhook-signature"]).split(" ")).to.have.lengthOf(2);
    expect([isSignedBy(hook.secret, both), isSignedBy(secret, both)]).to.deep.equal([true, true]);

    const third = (await hooks.ask("POST", `/${hook.id}/rotate`)).json.secret;
    await hooks.says("dos");
    const next = await receiver.gets(2);
    const signers = [hook.secret, secret, third].map((each) => isSignedBy(each, next));
    expect(signers).to.deep.equal([false, true, true]);

    await hooks.world.rows("update webhooks set previous_until = now() - interval '1 second'");
    await hooks.says("tres");
    const alone = await receiver.gets(3);
    expect([isSignedBy(secret, alone), isSignedBy(third, alone)]).to.deep.equal([false, true]);
  });

  it("show the content of a delivery until it is erased", async () => {
    const receiver = await hooks.receiver();
    const hook = await hooks.hook(receiver.url);
    await hooks.says("¿Tienen salteñas?");
    const { body } = await receiver.gets(1);
    const [listed] = (await hooks.ask("GET", `/${hook.id}/deliveries`)).json.data;
    const show = (businessId = 1) => hooks.ask("GET", `/${hook.id}/deliveries/${listed.id}`, undefined, businessId);
    const { status, json } = await show();
    expect(status).to.equal(200);
    const { payload, ...delivery } = json;
    expect(payload).to.deep.equal(JSON.parse(body));
    expect(JSON.stringify(payload)).to.include("¿Tienen salteñas?");
    expect(delivery).to.include({ id: listed.id, webhook_id: listed.webhook_id, type: "message.new" });
    expect((await show(2)).status).to.equal(404);
    expect((await hooks.ask("GET", `/${hook.id}/deliveries/${missing}`)).status).to.equal(404);
    await hooks.world.rows("update webhook_events set payload = erased_payload(payload) where business_id = 1");
    expect(JSON.stringify((await show()).json.payload)).not.to.include("salteñas");
  });

  it("store no secret in a readable form", async () => {
    const receiver = await hooks.receiver();
    const hook = await hooks.hook(receiver.url);
    const { secret } = (await hooks.ask("POST", `/${hook.id}/rotate`)).json;
    for (const each of [hook.secret, secret]) {
      const bytes = Buffer.from(each).toString("hex");
      for (const table of ["webhooks", "audit", "idempotency_keys"]) {
        const held = await hooks.world.rows(
          `select from ${table} as held where strpos(held::text, $1) > 0 or strpos(held::text, $2) > 0`,
          [each, bytes],
        );
        expect(held, table).to.deep.equal([]);
      }
    }
    expect((await hooks.ask("GET", `/${hook.id}`)).json).not.to.have.property("secret");
    const [entry] = await hooks.world.rows<{ actor_id: number; after: object }>(
      "select actor_id, after from audit where resource = 'webhooks' and record_id = $1 order by id desc limit 1",
      [hook.id],
    );
    expect(entry).to.deep.include({ actor_id: 101 });
    expect(entry?.after).to.include({ secret: "rotated" });
  });

  it("can be tested", async () => {
    const receiver = await hooks.receiver();
    const hook = await hooks.hook(receiver.url, ["campaign.finished"]);
    const tested = await hooks.ask("POST", `/${hook.id}/test`);
    expect(tested.status, tested.text).to.equal(202);
    const got = await receiver.gets(1);
    expect(got.type).to.equal("webhook.test");
    expect(got.data.empresa_id).to.equal(1);
    expect(got.headers["webhook-id"]).to.equal(tested.json.webhook_id);
    expect(isSignedBy(hook.secret, got)).to.equal(true);
    const done = await hooks.newest(hook, ({ state }) => state === "delivered");
    expect(done).to.include({ id: tested.json.id, type: "webhook.test", attempts: 1, status: 200 });
  });

  it("list their deliveries page by page, and by state", async () => {
    const receiver = await hooks.receiver();
    const hook = await hooks.hook(receiver.url);
    for (const text of ["uno", "dos", "tres", "cuatro", "cinco"]) await hooks.says(text);
    await eventually(async () => (await hooks.deliveries(hook, "?state=delivered")).length === 5);
    const whole = (await hooks.deliveries(hook)).map(({ id }) => id);
    expect(whole).to.deep.equal([...whole].sort((a, b) => b - a));
    const pages: number[][] = [];
    for (let next: string | null = ""; next !== null; ) {
      const cursor: string = next === "" ? "" : `&cursor=${next}`;
      const { json } = await hooks.ask("GET", `/${hook.id}/deliveries?limit=2${cursor}`);
      pages.push(json.data.map(({ id }: { id: number }) => id));
      next = json.next;
    }
    expect(pages.map(({ length }) => length)).to.deep.equal([2, 2, 1]);
    expect(pages.flat()).to.deep.equal(whole);
    expect(await hooks.deliveries(hook, "?state=failed")).to.deep.equal([]);
    expect((await hooks.ask("GET", `/${hook.id}/deliveries?cursor=nothing`)).status).to.equal(400);
  });

  it("keep deliveries and their payloads for seven days", async () => {
    const receiver = await hooks.receiver();
    const hook = await hooks.hook(receiver.url);
    await hooks.says("viejo");
    await hooks.says("nuevo");
    await eventually(async () => (await hooks.deliveries(hook, "?state=delivered")).length === 2);
    const aged = (days: number) =>
      hooks.world.rows(
        `update webhook_events set kept_at = now() - make_interval(days => $1)
         where number = (select min(number) from webhook_events)`,
        [days],
      );
    const tidy = () => resolve(hooks.world.container, tokens.deliveryUpkeep).tidy();
    await aged(6);
    await tidy();
    expect(await hooks.deliveries(hook)).to.have.lengthOf(2);
    await aged(8);
    await tidy();
    expect(await hooks.deliveries(hook)).to.have.lengthOf(1);
    expect(await hooks.world.rows("select from webhook_events where payload::text like '%viejo%'")).to.deep.equal([]);
  });

  it("can deliver an event again with the same id", async () => {
    const receiver = await hooks.receiver();
    const hook = await hooks.hook(receiver.url);
    await hooks.says("Hola de nuevo");
    const done = await hooks.newest(hook, ({ state }) => state === "delivered");
    const again = await hooks.ask("POST", `/${hook.id}/deliveries/${done.id}/redeliver`);
    expect([again.status, again.json.state]).to.deep.equal([202, "waiting"]);
    const second = await receiver.gets(2);
    expect(second.headers["webhook-id"]).to.equal(receiver.received[0]?.headers["webhook-id"]);
    expect(second.body).to.equal(receiver.received[0]?.body);
    await hooks.newest(hook, ({ state, attempts }) => state === "delivered" && attempts === 2);
  });

  it("can deliver all events since a moment in order, also earlier ones", async () => {
    const receiver = await hooks.receiver();
    const since = new Date();
    for (const text of ["antes uno", "antes dos"]) await hooks.says(text);
    const hook = await hooks.hook(receiver.url);
    await hooks.says("después");
    await receiver.gets(1);
    const replayed = await hooks.ask("POST", `/${hook.id}/replay`, { since: since.toISOString() });
    expect(replayed.status, replayed.text).to.equal(202);
    await receiver.gets(4);
    expect(receiver.texts).to.deep.equal(["después", "antes uno", "antes dos", "después"]);
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids[3]).to.equal(ids[0]);
    expect(new Set(ids).size).to.equal(3);
  });

  it("read the beginning of a replay in the business's zone if it has none", async () => {
    const hook = await hooks.hook("https://crm.example.com/");
    const anHourAgo = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000);
    const inLaPaz = new Date(anHourAgo.getTime() - 4 * 3_600_000).toISOString().slice(0, 19);
    const replayed = await hooks.ask("POST", `/${hook.id}/replay`, { since: inLaPaz });
    expect([replayed.status, replayed.json]).to.deep.equal([202, { since: anHourAgo.toISOString() }]);
  });

  it("refuse a replay of future events, and of events that are no longer in the log", async () => {
    const hook = await hooks.hook("https://crm.example.com/");
    const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    for (const since of [hoursFromNow(-72.1), hoursFromNow(1), "ayer", undefined]) {
      const { status, json } = await hooks.ask("POST", `/${hook.id}/replay`, { since });
      expect([status, json.code]).to.deep.equal([400, "invalid_input"]);
    }
    expect((await hooks.ask("POST", `/${hook.id}/replay`, { since: hoursFromNow(-71.9) })).status).to.equal(202);
  });

  it("mark waiting deliveries as failed when they are disabled", async () => {
    const receiver = await hooks.receiver();
    receiver.refuses(500);
    const hook = await hooks.hook(receiver.url);
    await hooks.says("Hola");
    await hooks.newest(hook, ({ attempts }) => attempts === 1);
    const disabled = { url: receiver.url, events: ["message.new"], disabled: true };
    expect((await hooks.ask("PUT", `/${hook.id}`, disabled)).status).to.equal(200);
    await resolve(hooks.world.container, tokens.deliveryUpkeep).tidy();
    const [delivery] = await hooks.deliveries(hook);
    expect(delivery).to.include({ state: "failed", error: "disabled" });
    const again = await hooks.ask("POST", `/${hook.id}/deliveries/${delivery.id}/redeliver`);
    expect([again.status, again.json.code]).to.deep.equal([409, "disabled"]);
  });

  it("of another business do not exist", async () => {
    const receiver = await hooks.receiver();
    const hook = await hooks.hook(receiver.url);
    await hooks.says("Hola");
    const { id } = await hooks.newest(hook, ({ state }) => state === "delivered");
    const own = await hooks.hook(receiver.url, ["message.new"], 2);
    const since = new Date().toISOString();
    const requests: readonly (readonly [string, string, object?])[] = [
      ["POST", "/rotate"],
      ["POST", "/test"],
      ["GET", "/deliveries"],
      ["POST", `/deliveries/${id}/redeliver`],
      ["POST", "/replay", { since }],
    ];
    for (const [method, path, body] of requests) {
      const [foreign, none] = await Promise.all([
        hooks.ask(method, `/${hook.id}${path}`, body, 2),
        hooks.ask(method, `/${missing}${path}`, body, 2),
      ]);
      expect([foreign.status, foreign.text]).to.deep.equal([404, none.text]);
    }
    const mixed = await hooks.ask("POST", `/${own.id}/deliveries/${id}/redeliver`, undefined, 2);
    expect(mixed.status).to.equal(404);
    expect(await hooks.deliveries(hook)).to.have.lengthOf(1);
  });

  it("are counted for Prometheus", async () => {
    const receiver = await hooks.receiver();
    receiver.refuses(500);
    const hook = await hooks.hook(receiver.url);
    await hooks.says("Hola");
    await hooks.newest(hook, ({ attempts }) => attempts === 1);
    await hooks.world.rows("update webhook_deliveries set due_at = now() - interval '90 seconds', claim = null");
    const counts = await resolve(hooks.world.container, tokens.deliveryUpkeep).counts();
    expect(counts).to.include({ waiting: 1, failed: 0, disabled: 0 });
    expect(counts.oldest).to.be.within(80, 200);
    const text = await resolve(hooks.world.container, tokens.metrics).text();
    expect(text)
      .to.match(/outgoing_webhooks\{state="waiting"\} \d/)
      .and.match(/outgoing_webhooks_oldest_seconds \d/);
  });

  it("are only for administrators", async () => {
    const agent = await hooks.world.sessionToken(102);
    const hook = await hooks.hook("https://crm.example.com/");
    for (const path of ["rotate", "test", "replay"]) {
      const asked = await request(`${hooks.world.api}/admin/webhooks/${hook.id}/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${agent}` },
        body: { since: new Date().toISOString() },
      });
      expect(asked.status).to.equal(403);
    }
  });
});
