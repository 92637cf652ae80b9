import { expect } from "chai";
import { BusinessFeed, type Listener } from "../../src/infra/realtime/business-feed.ts";
import type { WireEvent } from "../../src/infra/realtime/wire.ts";

class Recorder implements Listener {
  readonly connected = true;
  readonly userId = null;
  readonly view = { key: "all" };
  readonly heard: WireEvent[] = [];
  send(event: WireEvent): void {
    this.heard.push(event);
  }
  goLive(): void {}
  async ready(): Promise<void> {}
}

describe("The feed of a business", () => {
  it("accepts a client after reading the log failed for an earlier one", async () => {
    let failures = 1;
    const feed = new BusinessFeed(1, {
      log: {
        read: async () => [],
        lastNumbers: async () => {
          failures -= 1;
          if (failures >= 0) throw new Error("the database is away");
          return new Map([[1, 7]]);
        },
      },
      replayLimit: 100,
      tellLive: () => {},
      resyncLive: () => {},
      past: async () => [],
      isCongested: () => false,
      onFailure: () => {},
    });
    const [early, late] = [new Recorder(), new Recorder()];
    const refused = await feed.join(early).catch((error: Error) => error.message);
    await feed.join(late);
    expect(refused).to.equal("the database is away");
    expect(early.heard).to.deep.equal([]);
    expect(late.heard).to.deep.equal([{ name: "ready", payload: { seq: 7 } }]);
  });
});
