import { expect } from "chai";
import nock from "nock";
import { HttpClient } from "../../src/infra/http-client/http-client.ts";
import { HttpDeliveryPricing } from "../../src/orders/adapters/http-client/delivery-pricing.ts";
import { HttpDriverTracking } from "../../src/orders/adapters/http-client/driver-tracking.ts";
import { useNock } from "../http-client/nocked.ts";

const host = "https://integration.test";

/** A client and its reported failures, new for each test. */
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
  ["an HTML page", 200, "<html>Welcome</html>"],
  ["an empty body", 200, ""],
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

  it("gets exactly this request", async () => {
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

  it("returns exact prices", async () => {
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
    it(`treats ${JSON.stringify(price)} as no price`, async () => {
      answering(200, { price });
      expect(await pricing().priceOf(request)).to.equal("unanswered");
      expect(parts.failures).to.have.length(1);
    });
  }

  for (const [what, status, body] of useless) {
    it(`returns no price after ${what}`, async () => {
      answering(status, body);
      expect(await pricing().priceOf(request)).to.equal("unanswered");
      expect(parts.failures).to.have.length(1);
    });
  }

  it("can answer that there is no price", async () => {
    answering(404, "");
    answering(200, { price: null });
    expect([await pricing().priceOf(request), await pricing().priceOf(request)]).to.deep.equal(["none", "none"]);
    expect(parts.failures).to.deep.equal([]);
  });

  it("is given up if it is slow or broken, with a reason that does not contain its URL", async () => {
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
  const driver = "moto 7/a";
  const at = "2026-01-02T03:04:05Z";
  const answering = (status: number, body: string | object) =>
    nock(host).get("/drivers/moto%207%2Fa/location").reply(status, body);

  it("returns a driver's location", async () => {
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
    it(`treats ${JSON.stringify(body)} as no location`, async () => {
      answering(200, body);
      expect(await tracking().locate(driver)).to.equal(null);
      expect(parts.failures).to.have.length(1);
    });
  }

  for (const [what, status, body] of useless) {
    it(`returns no location after ${what}`, async () => {
      answering(status, body);
      expect(await tracking().locate(driver)).to.equal(null);
      expect(parts.failures).to.have.length(1);
    });
  }

  it("can answer that there is no location", async () => {
    answering(404, "");
    expect(await tracking().locate(driver)).to.equal(null);
    expect(parts.failures).to.deep.equal([]);
  });

  it("is not asked about a driver without a usable tracking id", async () => {
    for (const trackingId of [null, "", ".", ".."]) {
      expect(await tracking().locate(trackingId)).to.equal(null);
    }
    expect(parts.failures).to.deep.equal([]);
  });

  it("is given up if it is slow or broken", async () => {
    nock(host).get(/.*/).delay(2_000).reply(200, { lat: 1, lng: 1, at });
    expect(await tracking(30).locate(driver)).to.equal(null);
    nock(host).get(/.*/).replyWithError("broken");
    expect(await tracking().locate(driver)).to.equal(null);
    expect(parts.failures).to.have.length(2);
  });
});
