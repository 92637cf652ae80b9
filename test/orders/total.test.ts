import { expect } from "chai";
import fc from "fast-check";
import { decimalOf } from "../../src/kernel/money.ts";
import { customExtraKey, type ExtraData } from "../../src/orders/domain/extra-data.ts";
import type { Line } from "../../src/orders/domain/order.ts";
import { speedyPriceOf, totalsOf } from "../../src/orders/domain/total.ts";

type Priced = Parameters<typeof totalsOf>[0];

const orderId = 7;
const amount = fc.integer({ min: 0, max: 10_000_000 });

/** The `Drawn` types have amounts in hundredths. `orderOf` converts the amounts to their stored forms. */
interface DrawnExtra {
  readonly charge: number;
  readonly custom: number | null;
}
interface DrawnLine {
  readonly quantity: number;
  readonly price: number;
  readonly isCoupon: boolean;
  readonly extras: readonly DrawnExtra[];
}
interface Drawn {
  readonly shipmentMethod: "delivery" | "pickup" | null;
  readonly zonePrice: number | null;
  readonly speedyPrice: number | null;
  readonly discount: number;
  readonly lines: readonly DrawnLine[];
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  shipmentMethod: fc.constantFrom("delivery", "pickup", null),
  zonePrice: fc.option(amount),
  speedyPrice: fc.option(amount),
  discount: amount,
  lines: fc.array(
    fc.record({
      quantity: fc.integer({ min: 1, max: 10_000 }),
      price: amount,
      isCoupon: fc.boolean(),
      extras: fc.array(fc.record({ charge: amount, custom: fc.option(amount) }), { maxLength: 4 }),
    }),
    { maxLength: 5 },
  ),
});

const written = (hundredths: number): string => decimalOf(BigInt(hundredths));

function orderOf({ shipmentMethod, zonePrice, speedyPrice, discount, lines }: Drawn): Priced {
  const custom: Record<string, { price: number; picked: string }> = {};
  const built = lines.map((line, index): Line => {
    const id = index + 1;
    return {
      id,
      quantity: line.quantity,
      type: line.isCoupon ? "delivery_coupon" : "item",
      retailerId: null,
      article: { id, name: "", price: written(line.price) },
      extras: line.extras.map((extra, place) => {
        const extraId = index * 10 + place;
        if (extra.custom !== null) custom[customExtraKey(extraId, id)] = { price: extra.custom / 100, picked: "" };
        return { id: extraId, extra: { id: extraId, name: "", charge: written(extra.charge) } };
      }),
    };
  });
  const extraData: ExtraData = { version: 1, customExtras: { [orderId]: custom } };
  return {
    id: orderId,
    shipmentMethod,
    zone: zonePrice === null ? null : { id: 1, price: written(zonePrice), branch: null },
    speedyPrice: speedyPrice === null ? null : written(speedyPrice),
    lines: built,
    discount: written(discount),
    extraData,
  };
}

/** The expected total by the rules of §12.3 and §12.4, computed with integers in hundredths. */
function expectedTotal({ shipmentMethod, zonePrice, speedyPrice, discount, lines }: Drawn): bigint {
  let sum = 0;
  for (const { quantity, price, extras } of lines) {
    sum += quantity * price;
    for (const { charge, custom } of extras) sum += quantity * (custom ?? charge);
  }
  const isFree = shipmentMethod === "pickup" || zonePrice === null || lines.some(({ isCoupon }) => isCoupon);
  const asked = shipmentMethod === "delivery" && speedyPrice !== null ? speedyPrice : zonePrice;
  if (!isFree) sum += asked ?? 0;
  return BigInt(Math.max(0, sum - discount));
}

describe("the total of an order", () => {
  it("is the exact sum of lines with extras at their own or custom prices, plus shipping, minus discounts (§12.3, §12.4)", () => {
    fc.assert(
      fc.property(drawn, (each) => {
        const totals = totalsOf(orderOf(each));
        expect(totals.total).to.equal(expectedTotal(each));
        expect(totals.discount).to.equal(BigInt(each.discount));
      }),
      { numRuns: 1_000 },
    );
  });

  it("uses the extras' own prices if a custom price is not an amount (§12.3)", () => {
    const charged = (price: unknown) => {
      const each = orderOf({
        shipmentMethod: "pickup",
        zonePrice: null,
        speedyPrice: null,
        discount: 0,
        lines: [{ quantity: 1, price: 10, isCoupon: false, extras: [{ charge: 5, custom: null }] }],
      });
      return totalsOf({ ...each, extraData: { customExtras: { [orderId]: { [customExtraKey(0, 1)]: { price } } } } })
        .total;
    };
    for (const wrong of [1e22, 1e12, -1, -0.001, Number.NaN, Number.POSITIVE_INFINITY, "1.00", null, true, {}]) {
      expect(charged(wrong), String(wrong)).to.equal(15n);
    }
    expect([charged(0), charged(999_999_999_999.99)]).to.deep.equal([10n, 100_000_000_000_009n]);
  });

  it("is 0.30 for 0.10 and 0.20", () => {
    const line = { quantity: 1, isCoupon: false };
    const extras = [{ charge: 999, custom: 20 }];
    const each: Drawn = {
      shipmentMethod: "pickup",
      zonePrice: 100,
      speedyPrice: null,
      discount: 0,
      lines: [{ ...line, price: 10, extras }],
    };
    expect(totalsOf(orderOf(each)).total).to.equal(30n);
  });

  it("has no shipping with a delivery coupon, for pickup and without a zone (§12.3)", () => {
    const each: Drawn = { shipmentMethod: "delivery", zonePrice: 500, speedyPrice: 700, discount: 0, lines: [] };
    const coupon: DrawnLine = { quantity: 1, price: 0, isCoupon: true, extras: [] };
    expect(totalsOf(orderOf(each)).shipping).to.equal(700n);
    expect(totalsOf(orderOf({ ...each, speedyPrice: null })).shipping).to.equal(500n);
    expect(totalsOf(orderOf({ ...each, shipmentMethod: null })).shipping).to.equal(500n);
    expect(totalsOf(orderOf({ ...each, speedyPrice: 0 })).shipping).to.equal(0n);
    for (const changes of [{ shipmentMethod: "pickup" }, { zonePrice: null }, { lines: [coupon] }] as const) {
      expect(totalsOf(orderOf({ ...each, ...changes })).shipping).to.equal(0n);
    }
  });

  it("includes the integration's price only for a delivery (§12.5)", () => {
    const zone = { id: 1, price: "0.03", branch: null };
    const priced = { speedyPrice: "0.05", zone, lines: [] };
    expect(speedyPriceOf({ ...priced, shipmentMethod: "delivery" })).to.equal("0.05");
    expect(speedyPriceOf({ ...priced, shipmentMethod: "delivery", zone: null })).to.equal(null);
    expect(speedyPriceOf({ ...priced, shipmentMethod: "pickup" })).to.equal(null);
    expect(speedyPriceOf({ ...priced, shipmentMethod: null })).to.equal(null);
  });
});
