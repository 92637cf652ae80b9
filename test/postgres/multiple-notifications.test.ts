import { expect } from "chai";
import { MultipleNotifications } from "../../src/infra/postgres/cells/multiple-notifications.ts";
import type { Announcements } from "../../src/infra/postgres/notifications.ts";

/** A fake listener of one database. It does nothing but report a gap in its notifications when it starts. */
class Listener implements Announcements {
  constructor(readonly live = true) {}

  private readonly hearers: ((concerns: (businessId: number) => boolean) => void)[] = [];

  isLiveFor(): boolean {
    return this.live;
  }
  on(): void {}
  onWork(): void {}
  onGap(hearer: (concerns: (businessId: number) => boolean) => void): void {
    this.hearers.push(hearer);
  }
  notify(): void {}
  async start(): Promise<void> {
    for (const hear of this.hearers) hear(() => true);
  }
  async close(): Promise<void> {}
}

describe("notifications of several databases", () => {
  it("report a gap of one database only for the businesses that live there", async () => {
    const [first, second] = [new Listener(), new Listener()];
    const all = new MultipleNotifications([first, second], (businessId) => (businessId === 2 ? second : first));
    const concerned: number[][] = [];
    all.onGap((concerns) => concerned.push([1, 2, 3].filter(concerns)));
    await second.start();
    await first.start();
    expect(concerned).to.deep.equal([[2], [1, 3]]);
  });

  it("about a business that is being moved may come from each database", async () => {
    const [first, second] = [new Listener(), new Listener(false)];
    const all = new MultipleNotifications([first, second], (businessId) => (businessId === 1 ? first : undefined));
    const concerned: number[][] = [];
    all.onGap((concerns) => concerned.push([1, 2].filter(concerns)));
    await second.start();
    await first.start();
    expect(concerned).to.deep.equal([[2], [1, 2]]);
    expect([1, 2].map((businessId) => all.isLiveFor(businessId))).to.deep.equal([true, false]);
  });
});
