import { createHash, createHmac } from "node:crypto";
import { expect } from "chai";
import Pusher from "pusher";
import { anAccount, Bench, customer } from "./support.ts";

const app = { appId: "app-1", key: "key-1", secret: "secret-1" };

describe("the sandbox's Pusher host", () => {
  let bench: Bench;
  let pusher: Pusher;
  before(async () => {
    bench = await Bench.start({ pusherApps: [app] });
    const { hostname: host, port } = new URL(bench.sandbox.url);
    pusher = new Pusher({ ...app, host, port, useTLS: false });
  });
  after(() => bench.stop());
  beforeEach(() => bench.control("DELETE"));

  const events = async (query = "") =>
    (await bench.control<Record<string, unknown>[]>("GET", `/pusher/events${query}`)).body;

  it("accepts and lists events that the vendor's own client signed", async () => {
    await pusher.trigger(["a", "b"], "changed", { text: "ñandú & más" });
    await pusher.triggerBatch([
      { channel: "a", name: "one", data: { n: 1 } },
      { channel: "c", name: "two", data: "text" },
    ]);
    const seen = (await events()).map(({ channel, name, data }) => ({ channel, name, data }));
    expect(seen).to.deep.equal([
      { channel: "a", name: "changed", data: { text: "ñandú & más" } },
      { channel: "b", name: "changed", data: { text: "ñandú & más" } },
      { channel: "a", name: "one", data: { n: 1 } },
      { channel: "c", name: "two", data: "text" },
    ]);
    expect(await events("?channel=a")).to.have.length(2);
    expect(await events("?channel=a&name=one")).to.have.length(1);
    await bench.control("DELETE");
    expect(await events()).to.deep.equal([]);
  });

  const body = JSON.stringify({ name: "x", channels: ["a"], data: "{}" });
  const md5 = (text: string) => createHash("md5").update(text).digest("hex");
  /** A path that is signed as the protocol demands, without the vendor's client. */
  function signed(changes: Record<string, string> = {}, secret = app.secret, path = "/apps/app-1/events"): string {
    const query: Record<string, string> = {
      auth_key: app.key,
      auth_timestamp: String(Math.floor(Date.now() / 1_000)),
      auth_version: "1.0",
      body_md5: md5(body),
      ...changes,
    };
    const text = Object.keys(query)
      .sort()
      .map((name) => `${name}=${query[name]}`)
      .join("&");
    const signature = createHmac("sha256", secret).update(`POST\n${path}\n${text}`).digest("hex");
    return `${path}?${text}&auth_signature=${signature}`;
  }
  const post = async (path: string, text = body) =>
    fetch(`${bench.sandbox.url}${path}`, { method: "POST", body: text }).then((answer) => answer.status);

  it("checks the signature according to the protocol", async () => {
    expect(await post(signed())).to.equal(200);
    expect(await post(signed({}, "another secret"))).to.equal(401);
    expect(await post(signed({ auth_key: "key-2" }))).to.equal(401);
    expect(await post(signed({ auth_version: "2.0" }))).to.equal(401);
    expect(await post(signed({ auth_timestamp: String(Math.floor(Date.now() / 1_000) - 700) }))).to.equal(401);
    expect(await post(signed(), body.replace("x", "y"))).to.equal(401);
    expect(await post(signed({}, app.secret, "/apps/app-2/events"))).to.equal(404);
    expect(await post(`${signed()}00`)).to.equal(401);
    expect(await post(signed().replace("/events", "/batch_events"))).to.equal(401);
    expect(await events()).to.have.length(1);
  });

  const refused: [what: string, send: () => Promise<unknown>, status: number][] = [
    ["a batch of eleven", () => pusher.triggerBatch(Array(11).fill({ channel: "a", name: "x", data: "1" })), 400],
    ["an event of more than 10 KiB", () => pusher.trigger("a", "x", "y".repeat(10_241)), 413],
  ];
  for (const [what, send, status] of refused) {
    it(`refuses ${what}`, async () => {
      const error = await send().then(
        () => null,
        (failure: { status: number }) => failure.status,
      );
      expect(error).to.equal(status);
      expect(await events()).to.deep.equal([]);
    });
  }
});

describe("the people of a number in the sandbox", () => {
  it("can always be written to by that number, while others have to write first", async () => {
    const bench = await Bench.start({ accounts: [anAccount({ people: [customer] })] });
    try {
      const hello = { type: "text", text: { body: "Hola" } };
      expect((await bench.send(hello)).status).to.equal(200);
      await bench.control("DELETE");
      expect((await bench.send(hello)).status).to.equal(200);
      expect((await bench.send({ ...hello, to: "59170000002" })).body.error).to.include({ code: 131047 });
    } finally {
      await bench.stop();
    }
  });
});

describe("the sandbox for SMS, delivery prices and drivers", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ undeliverable: ["59170000009"] });
  });
  after(() => bench.stop());
  beforeEach(() => bench.control("DELETE"));

  it("accepts and lists an SMS", async () => {
    const message = { to: "+59170000001", text: "Hola", reference: "r" };
    const { status, body } = await bench.call("POST", "/sms/messages", message);
    expect(status).to.equal(201);
    const [seen, ...others] = (await bench.control<Record<string, unknown>[]>("GET", "/sms?to=59170000001")).body;
    expect(others).to.deep.equal([]);
    expect(seen).to.deep.include({ id: body.id, to: "59170000001", text: "Hola", reference: "r" });
  });

  for (const wrong of [{ to: "59170000009" }, { to: "x" }, { text: "" }]) {
    it(`refuses an SMS with ${JSON.stringify(wrong)}`, async () => {
      const { status, body } = await bench.call("POST", "/sms/messages", { to: "59170000001", text: "Hola", ...wrong });
      expect(status).to.equal(400);
      expect(body.code).to.be.a("number");
      expect(body.message).to.be.a("string");
    });
  }

  it("returns a delivery price only after it was set", async () => {
    const quote = { business_id: 1, order_id: 7, destination: { lat: 1, lng: 2 } };
    expect((await bench.call("POST", "/delivery-pricing/quotes", quote)).status).to.equal(404);
    await bench.control("PUT", "/delivery-price", { price: "12.50" });
    expect((await bench.call("POST", "/delivery-pricing/quotes", quote)).body).to.deep.equal({ price: "12.50" });
    expect((await bench.control("GET", "/delivery-quotes")).body).to.deep.equal([quote, quote]);
  });

  it("returns a driver's location after it was set", async () => {
    const path = "/driver-tracking/drivers/moto%207/location";
    expect((await bench.call("GET", path)).status).to.equal(404);
    const position = { lat: -16.5, lng: -68.15, at: "2026-01-02T03:04:05Z" };
    await bench.control("PUT", "/drivers/moto%207", position);
    expect((await bench.call("GET", path)).body).to.deep.equal(position);
    expect((await bench.control("PUT", "/drivers/x", { lat: 91, lng: 0 })).status).to.equal(400);
  });
});
