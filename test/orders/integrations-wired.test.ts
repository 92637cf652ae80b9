import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { startWorld, type World } from "../support/world.ts";

const quote = { businessId: 1, orderId: 7, branch: null, latitude: -16.5, longitude: -68.15 };
const driver = "moto-7";

describe("the service's requests for delivery prices and drivers", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
  });
  after(() => world.stop());
  afterEach(() => world.control("DELETE", "/faults"));

  const price = () => resolve(world.container, tokens.deliveryPricing)?.priceOf(quote);
  const location = () => resolve(world.container, tokens.driverTracking).locate(driver);

  it("return the known price and location", async () => {
    expect([await price(), await location()]).to.deep.equal(["none", null]);
    await world.control("PUT", "/delivery-price", { price: "12.50" });
    await world.control("PUT", "/drivers/moto-7", { lat: -16.5, lng: -68.15, at: "2026-01-02T03:04:05Z" });
    expect(await price()).to.equal(1250n);
    expect(await location()).to.deep.equal({
      latitude: -16.5,
      longitude: -68.15,
      at: "2026-01-02T03:04:05.000Z",
    });
  });

  for (const fault of [{ hang: true }, { reset: true }, { garbage: true }, { status: 503 }, { delay_ms: 5_000 }]) {
    it(`return no price and no location after ${JSON.stringify(fault)}`, async () => {
      await world.control("PUT", "/delivery-price", { price: "12.50" });
      for (const path of ["delivery_quote", "driver_location"])
        await world.control("POST", "/faults", { ...fault, path });
      expect(await Promise.all([price(), location()])).to.deep.equal(["unanswered", null]);
    });
  }

  it("are not sent without a configured URL", async () => {
    const bare = await startWorld({ environment: { ROLE: "api", DELIVERY_PRICING_URL: "", DRIVER_TRACKING_URL: "" } });
    try {
      expect(resolve(bare.container, tokens.deliveryPricing)).to.equal(null);
      expect(await resolve(bare.container, tokens.driverTracking).locate(driver)).to.equal(null);
    } finally {
      await bare.stop();
    }
  });
});
