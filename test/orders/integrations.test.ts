import { expect } from "chai";
import nock from "nock";
import { HttpClient } from "../../src/infra/http-client/http-client.ts";
import { HttpDeliveryPricing } from "../../src/orders/adapters/http-client/delivery-pricing.ts";
import { HttpDriverTracking } from "../../src/orders/adapters/http-client/driver-tracking.ts";
import { HttpSmsProvider } from "../../src/orders/adapters/http-client/sms-provider.ts";
import { useNock, useRealNetwork } from "../http-client/nocked.ts";
import { serve } from "../support/http.ts";

const host = "https://integration.test";

/** A client for each test, and what was told to logs. */
function stage() {
  const parts = { client: new HttpClient(), failures: [] as string[] };
  useNock();
  beforeEach(() => {
    parts.client = new HttpClient();
    parts.failures = [];
  });
  afterEach(() => parts.client.close());
  return parts;
}

const useless: [what: string, status: number, body: string | object][] = [
  ["a page", 200, "<html>Welcome</html>"],
  ["nothing", 200, ""],
  ["a list", 200, "[]"],
  ["null", 200, "null"],
  ["an error", 500, { price: "12.50", lat: 1, lng: 1, at: "2026-01-01T00:00:00Z" }],
  ["a redirect", 302, { price: "12.50", lat: 1, lng: 1, at: "2026-01-01T00:00:00Z" }],
  ["another object", 200, { cost: 1 }],
];

describe("the delivery pricing", () => {
  const parts = stage();
  const pricing = (timeoutMs = 5_000) =>
    new HttpDeliveryPricing({
      client: parts.client,
      baseUrl: `${host}/prices/`,
      timeoutMs,
      onFailure: (reason) => parts.failures.push(reason),
    });
  const request = {
    businessId: 1,
    orderId: 7,
    branch: { id: 3, latitude: -16.5, longitude: -68.15 },
    latitude: -16.51,
    longitude: -68.12,
  };
  const answering = (status: number, body: string | object) => nock(host).post("/prices/quotes").reply(status, body);

  it("is asked exactly this", async () => {
    const asked: unknown[] = [];
    nock(host)
      .post("/prices/quotes")
      .times(2)
      .reply(200, function (_uri, body) {
        asked.push(body, this.req.headers["content-type"]);
        return { price: "12.50" };
      });
    expect(await pricing().priceOf(request)).to.equal(1250n);
    await pricing().priceOf({ ...request, branch: null });
    const destination = { lat: -16.51, lng: -68.12 };
    expect(asked).to.deep.equal([
      { business_id: 1, order_id: 7, branch: { id: 3, lat: -16.5, lng: -68.15 }, destination },
      "application/json",
      { business_id: 1, order_id: 7, branch: null, destination },
      "application/json",
    ]);
  });

  it("names prices exactly", async () => {
    for (const [price, amount] of [
      ["0", 0n],
      ["0.1", 10n],
      ["12.50", 1250n],
      ["999999999999.99", 99_999_999_999_999n],
    ] as const) {
      answering(200, { price });
      expect(await pricing().priceOf(request), price).to.equal(amount);
    }
    expect(parts.failures).to.deep.equal([]);
  });

  const wrong = ["-1", "12.505", "1e3", "12,5", " 12", "", ".5", "1234567890123", 12.5, true, ["1"], {}];
  for (const price of wrong) {
    it(`takes ${JSON.stringify(price)} for no price`, async () => {
      answering(200, { price });
      expect(await pricing().priceOf(request)).to.equal("unanswered");
      expect(parts.failures).to.have.length(1);
    });
  }

  for (const [what, status, body] of useless) {
    it(`names none by ${what}`, async () => {
      answering(status, body);
      expect(await pricing().priceOf(request)).to.equal("unanswered");
      expect(parts.failures).to.have.length(1);
    });
  }

  it("may well have none", async () => {
    answering(404, "");
    answering(200, { price: null });
    expect([await pricing().priceOf(request), await pricing().priceOf(request)]).to.deep.equal(["none", "none"]);
    expect(parts.failures).to.deep.equal([]);
  });

  it("is given up when it is slow or breaks, without its address in the reason", async () => {
    nock(host).post("/prices/quotes").delay(2_000).reply(200, { price: "1" });
    expect(await pricing(30).priceOf(request)).to.equal("unanswered");
    nock(host).post("/prices/quotes").replyWithError("broken");
    expect(await pricing().priceOf(request)).to.equal("unanswered");
    expect(parts.failures).to.have.length(2);
    expect(parts.failures.join()).not.to.include("integration.test");
  });
});

describe("the driver tracking", () => {
  const parts = stage();
  const tracking = (timeoutMs = 5_000) =>
    new HttpDriverTracking({
      client: parts.client,
      baseUrl: host,
      timeoutMs,
      onFailure: (reason) => parts.failures.push(reason),
    });
  const driver = { businessId: 1, id: 9, trackingId: "moto 7/a" };
  const at = "2026-01-02T03:04:05Z";
  const answering = (status: number, body: string | object) =>
    nock(host).get("/drivers/moto%207%2Fa/location").reply(status, body);

  it("tells where a driver is", async () => {
    answering(200, { lat: -16.5, lng: -68.15, at });
    expect(await tracking().locate(driver)).to.deep.equal({
      latitude: -16.5,
      longitude: -68.15,
      at: "2026-01-02T03:04:05.000Z",
    });
  });

  const wrong: object[] = [
    { lat: 91, lng: 0, at },
    { lat: 0, lng: -181, at },
    { lat: "1", lng: 0, at },
    { lng: 0, at },
    { lat: 0, lng: 0 },
    { lat: 0, lng: 0, at: "yesterday" },
    { lat: 0, lng: 0, at: 1 },
  ];
  for (const body of wrong) {
    it(`takes ${JSON.stringify(body)} for no location`, async () => {
      answering(200, body);
      expect(await tracking().locate(driver)).to.equal(null);
      expect(parts.failures).to.have.length(1);
    });
  }

  for (const [what, status, body] of useless) {
    it(`tells nothing by ${what}`, async () => {
      answering(status, body);
      expect(await tracking().locate(driver)).to.equal(null);
      expect(parts.failures).to.have.length(1);
    });
  }

  it("may well not know", async () => {
    answering(404, "");
    expect(await tracking().locate(driver)).to.equal(null);
    expect(parts.failures).to.deep.equal([]);
  });

  it("is not asked about a driver whom it cannot know", async () => {
    for (const trackingId of [null, "", ".", ".."]) {
      expect(await tracking().locate({ ...driver, trackingId })).to.equal(null);
    }
    expect(parts.failures).to.deep.equal([]);
  });

  it("is given up when it is slow or breaks", async () => {
    nock(host).get(/.*/).delay(2_000).reply(200, { lat: 1, lng: 1, at });
    expect(await tracking(30).locate(driver)).to.equal(null);
    nock(host).get(/.*/).replyWithError("broken");
    expect(await tracking().locate(driver)).to.equal(null);
    expect(parts.failures).to.have.length(2);
  });
});

describe("the SMS provider", () => {
  const parts = stage();
  const message = { to: "59170000001", text: 'https://pay.example/?a=1&b="ñ"', reference: "5ac7f2f8" };
  const provider = (timeoutMs = 5_000, baseUrl = `${host}/sms/`) =>
    new HttpSmsProvider({ client: parts.client, baseUrl, connectMs: 5_000, timeoutMs });
  const outcomeOf = (status: number, body: string | object) => {
    nock(host).post("/sms/messages").reply(status, body);
    return provider().send(message);
  };

  it("is asked exactly this, once", async () => {
    const asked: unknown[] = [];
    nock(host)
      .post("/sms/messages")
      .reply(201, function (_uri, body) {
        asked.push(body, this.req.headers.authorization);
        return { id: "SM1" };
      });
    expect(await provider(5_000, "https://user:pa%20ss@integration.test/sms").send(message)).to.deep.equal({
      kind: "accepted",
      id: "SM1",
    });
    expect(asked).to.deep.equal([message, `Basic ${Buffer.from("user:pa ss").toString("base64")}`]);
  });

  it("refuses in its own words, which are cleared of numbers", async () => {
    expect(await outcomeOf(400, { code: 21211, message: "59170000001 is\nno number" })).to.deep.equal({
      kind: "refused",
      code: 21211,
      reason: "*** is no number",
    });
  });

  const proofless: [what: string, status: number, body: string | object][] = [
    ["a 200 of something else", 200, "<html>"],
    ["a 201 without an id", 201, { id: "" }],
    ["an id with an error", 502, { id: "SM1" }],
    ["a refusal of a gateway", 403, "denied"],
    ["a code without words", 400, { code: 1 }],
    ["a code that is no number", 400, { code: "1", message: "no" }],
    ["a code that nobody could keep", 400, { code: 2 ** 40, message: "no" }],
    ["an error of its own", 500, { code: 1, message: "no" }],
  ];
  for (const [what, status, body] of proofless) {
    it(`proves nothing by ${what}`, async () => {
      expect(await outcomeOf(status, body)).to.deep.equal({
        kind: "unknown",
        reason: `HTTP ${status} that proves nothing`,
      });
    });
  }
});

describe("the SMS provider, silent", () => {
  useRealNetwork();

  it("leaves unknown what it does not answer", async () => {
    const silent = await serve(() => {});
    const client = new HttpClient();
    const provider = new HttpSmsProvider({ client, baseUrl: silent.url, connectMs: 3_000, timeoutMs: 50 });
    const outcome = await provider.send({ to: "59170000001", text: "Hola", reference: "r" });
    await client.close();
    await silent.close();
    expect(outcome).to.deep.equal({ kind: "unknown", reason: "no answer within 50 ms" });
  });
});
