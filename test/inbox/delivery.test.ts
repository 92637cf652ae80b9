import { expect } from "chai";
import fc from "fast-check";
import { type DeliveryState, deliveryStates, isForward } from "../../src/inbox/domain/delivery.ts";

const stateAfter = (news: readonly DeliveryState[]): DeliveryState =>
  news.reduce<DeliveryState>((state, next) => (isForward(state, next) ? next : state), "queued");

describe("delivery states", () => {
  it("end alike in whatever order, and however often, the news arrive", () => {
    const news = fc.array(fc.constantFrom(...deliveryStates), { maxLength: 12 });
    const shuffled = news.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray([...list, ...list], { minLength: list.length * 2 })),
    );
    fc.assert(
      fc.property(shuffled, ([list, again]) => {
        expect(stateAfter(again)).to.equal(stateAfter(list));
      }),
    );
  });

  it("let a failure follow `sent`, and nothing but its delivery follow a failure", () => {
    expect(isForward("sent", "failed")).to.equal(true);
    expect(isForward("failed", "sent")).to.equal(false);
    expect(isForward("delivered", "failed")).to.equal(false);
  });
});
