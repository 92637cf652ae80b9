import { expect } from "chai";
import { providerBChannel } from "../../src/kernel/channels.ts";
import { FairQueue } from "../../src/kernel/fair-queue.ts";
import { RememberedSenderTokens } from "../../src/messaging/adapters/memory/remembered-sender-tokens.ts";
import { eventually } from "../support/wait.ts";

const gate = () =>
  new FairQueue({ name: "test", width: 2, widthPerKey: 1, queuePerKey: 50, queue: 100, waitMs: 5_000 });

describe("cached tokens of senders", () => {
  let asked: string[];
  let stored: Map<string, string>;
  const store = {
    find: async (_: string, platformId: string) => {
      asked.push(platformId);
      const token = stored.get(platformId);
      return token === undefined ? null : { token };
    },
  };
  beforeEach(() => {
    asked = [];
    stored = new Map([["AC1", "token 1"]]);
  });

  it("are requested once for any number of webhooks, also if there is none", async () => {
    const tokens = new RememberedSenderTokens(store, gate());
    const find = (id: string) => tokens.find(providerBChannel, id, "192.0.2.1");
    for (const id of ["AC1", "AC2"]) await Promise.all(Array.from({ length: 20 }, () => find(id)));
    expect(await find("AC1")).to.deep.equal({ token: "token 1" });
    expect(await find("AC2")).to.equal(null);
    expect(asked).to.deep.equal(["AC1", "AC2"]);
  });

  it("are valid until they expire", async () => {
    const tokens = new RememberedSenderTokens(store, gate(), { lifeMs: 30, size: 10 });
    const find = async (id: string) => (await tokens.find(providerBChannel, id, "192.0.2.1"))?.token;
    expect(await find("AC1")).to.equal("token 1");
    expect(await find("AC2")).to.equal(undefined);
    stored = new Map([["AC2", "token 2"]]);
    await eventually(async () => (await find("AC1")) === undefined);
    await eventually(async () => (await find("AC2")) === "token 2");
  });

  it("are requested again after a failure of the store", async () => {
    let isAway = true;
    const flaky = { find: async () => (isAway ? Promise.reject(new Error("away")) : { token: "token 1" }) };
    const tokens = new RememberedSenderTokens(flaky, gate());
    const find = () => tokens.find(providerBChannel, "AC1", "192.0.2.1");
    expect(await find().catch((error: Error) => error.message)).to.equal("away");
    isAway = false;
    expect(await find()).to.deep.equal({ token: "token 1" });
  });

  it("do not delay a network because of another network's wrong requests", async () => {
    let release = () => {};
    const held = new Promise<null>((resolve) => {
      release = () => resolve(null);
    });
    const slow = {
      find: (_: string, id: string) => (id === "AC1" ? store.find(_, id) : held),
    };
    const tokens = new RememberedSenderTokens(slow, gate());
    const guesses = Array.from({ length: 20 }, (_, n) => tokens.find(providerBChannel, `guess ${n}`, "192.0.2.1"));
    expect(await tokens.find(providerBChannel, "AC1", "198.51.100.1")).to.deep.equal({ token: "token 1" });
    release();
    expect(await Promise.all(guesses)).to.deep.equal(guesses.map(() => null));
  });
});
