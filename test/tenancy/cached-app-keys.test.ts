import { expect } from "chai";
import { Busy } from "../../src/kernel/errors.ts";
import { FairQueue } from "../../src/kernel/fair-queue.ts";
import { CachedAppKeys } from "../../src/tenancy/adapters/memory/cached-access.ts";
import type { KeyAccess } from "../../src/tenancy/domain/access.ts";
import { eventually } from "../support/wait.ts";

const network = "10.0.0.1";
const aGate = () =>
  new FairQueue({ name: "look-ups", width: 2, widthPerKey: 1, queuePerKey: 3, queue: 100, waitMs: 5_000 });

class Changes {
  live = true;

  isLiveFor(): boolean {
    return this.live;
  }

  announce: (businessId: number) => void = () => {};
  gap: (concerns?: (businessId: number) => boolean) => void = () => {};
  onChange(listener: (businessId: number) => void): void {
    this.announce = listener;
  }
  onGap(listener: (concerns: (businessId: number) => boolean) => void): void {
    this.gap = (concerns = () => true) => listener(concerns);
  }
}

/** Key `k1` belongs to business 1, `k2` to business 2, and so on. `asked` lists the keys that were requested. */
class Keys {
  readonly asked: string[] = [];
  readonly revoked = new Set<string>();
  expiresAt: Date | null = null;
  /** `accessOf` waits for this promise before it returns. */
  hold: Promise<void> | undefined;

  async accessOf(key: string): Promise<KeyAccess | null> {
    this.asked.push(key);
    const businessId = Number(/^k(\d+)/.exec(key)?.[1] ?? 0);
    const { expiresAt } = this;
    const isGood = businessId > 0 && !this.revoked.has(key) && (expiresAt === null || expiresAt > new Date());
    const access = isGood ? { keyId: 1, businessId, hasAdministrator: true, scopes: [], expiresAt } : null;
    await this.hold;
    return access;
  }
}

describe("Cached App Keys", () => {
  const set = (settings?: { lifeMs: number; size: number; perf?: { now(): number } }) => {
    const [keys, changes] = [new Keys(), new Changes()];
    return { keys, changes, cached: new CachedAppKeys(keys, changes, aGate(), settings) };
  };

  it("are requested once", async () => {
    const { keys, cached } = set();
    for (const key of ["k1", "k1", "k2", "k1"]) await cached.accessOf(key, network);
    expect(keys.asked).to.deep.equal(["k1", "k2"]);
    expect(await cached.accessOf("k2", network)).to.deep.equal({
      keyId: 1,
      businessId: 2,
      hasAdministrator: true,
      scopes: [],
      expiresAt: null,
    });
  });

  it("are refused from their expiry on, however long they stay in the cache", async () => {
    const { keys, cached } = set({ lifeMs: 60_000, size: 2 });
    keys.expiresAt = new Date(Date.now() + 30);
    expect(await cached.accessOf("k1", network)).to.include({ businessId: 1 });
    await eventually(async () => (await cached.accessOf("k1", network)) === null);
    expect(new Date()).to.be.at.least(keys.expiresAt);
  });

  it("are not stored as unknown, so that a new key works at once", async () => {
    const { keys, cached } = set();
    keys.revoked.add("k1");
    expect(await cached.accessOf("k1", network)).to.equal(null);
    keys.revoked.delete("k1");
    expect(await cached.accessOf("k1", network)).to.include({ businessId: 1 });
  });

  it("are dropped at once when access to their business changes, but others are not", async () => {
    const { keys, changes, cached } = set();
    for (const key of ["k1", "k1b", "k2"]) await cached.accessOf(key, network);
    keys.revoked.add("k1");
    changes.announce(1);
    expect(await cached.accessOf("k1", network)).to.equal(null);
    await cached.accessOf("k1b", network);
    await cached.accessOf("k2", network);
    expect(keys.asked).to.deep.equal(["k1", "k1b", "k2", "k1", "k1b"]);
  });

  it("are all dropped after a gap in which changes could be missed", async () => {
    const { keys, changes, cached } = set();
    for (const key of ["k1", "k2"]) await cached.accessOf(key, network);
    changes.gap();
    for (const key of ["k1", "k2"]) await cached.accessOf(key, network);
    expect(keys.asked).to.have.length(4);
  });

  it("stay in the cache after a gap that does not concern their business", async () => {
    const { keys, changes, cached } = set();
    for (const key of ["k1", "k2"]) await cached.accessOf(key, network);
    changes.gap((businessId) => businessId === 2);
    for (const key of ["k1", "k2"]) await cached.accessOf(key, network);
    expect(keys.asked).to.deep.equal(["k1", "k2", "k2"]);
  });

  it("are requested each time while changes could be missed", async () => {
    const { keys, changes, cached } = set();
    await cached.accessOf("k1", network);
    changes.live = false;
    keys.revoked.add("k1");
    expect(await cached.accessOf("k1", network)).to.equal(null);
    keys.revoked.clear();
    for (const _ of [1, 2]) await cached.accessOf("k1", network);
    expect(keys.asked).to.have.length(4);
  });

  const happenings: [what: string, happen: (changes: Changes) => void][] = [
    ["a change of access", (changes) => changes.announce(1)],
    ["a gap", (changes) => changes.gap()],
    [
      "the loss of the announcements",
      (changes) => {
        changes.live = false;
      },
    ],
  ];
  for (const [what, happen] of happenings) {
    it(`are not stored if their answer was requested before ${what}`, async () => {
      const { keys, changes, cached } = set();
      let release = () => {};
      keys.hold = new Promise((resolve) => {
        release = resolve;
      });
      const asked = cached.accessOf("k1", network);
      keys.revoked.add("k1");
      happen(changes);
      release();
      expect(await asked).to.include({ businessId: 1 });
      changes.live = true;
      expect(await cached.accessOf("k1", network)).to.equal(null);
    });
  }

  it("are stored for a short time in case an announcement is lost, and in a limited number", async () => {
    const { keys, cached } = set({ lifeMs: 20, size: 2 });
    await cached.accessOf("k1", network);
    keys.revoked.add("k1");
    await eventually(async () => (await cached.accessOf("k1", network)) === null);
    const small = set({ lifeMs: 60_000, size: 2 });
    for (const key of ["k1", "k2", "k3", "k1"]) await small.cached.accessOf(key, network);
    expect(small.keys.asked).to.deep.equal(["k1", "k2", "k3", "k1"]);
  });

  describe("that are in use", () => {
    const life = 60_000;
    const used = async () => {
      const perf = { time: 1, now: () => perf.time };
      const parts = set({ lifeMs: life, size: 2, perf });
      await parts.cached.accessOf("k1", network);
      return { ...parts, pass: (ms: number) => (perf.time += ms) };
    };

    it("are looked up again before they expire, and no request waits for it", async () => {
      const { keys, cached, pass } = await used();
      keys.hold = new Promise(() => {});
      pass(life * 0.5);
      expect(await cached.accessOf("k1", network)).to.include({ businessId: 1 });
      expect(keys.asked).to.deep.equal(["k1"]);
      pass(life * 0.2);
      await eventually(async () => {
        expect(await cached.accessOf("k1", network)).to.include({ businessId: 1 });
        return keys.asked.length > 1;
      });
      expect(keys.asked).to.deep.equal(["k1", "k1"]);
    });

    it("are refused as soon as a further look-up does not find them", async () => {
      const { keys, cached, pass } = await used();
      keys.revoked.add("k1");
      pass(life * 0.7);
      await eventually(async () => (await cached.accessOf("k1", network)) === null);
      expect(cached.businessOf("k1")).to.equal(undefined);
    });

    it("lead to their business after they expired, but give no access", async () => {
      const { keys, cached, pass } = await used();
      keys.hold = new Promise(() => {});
      pass(life * 1.1);
      await eventually(() => {
        void cached.accessOf("k1", network);
        return keys.asked.length > 1;
      });
      expect(cached.businessOf("k1")).to.equal(1);
    });
  });

  describe("during requests with many unknown keys", () => {
    const held = () => {
      const parts = set();
      let release = () => {};
      parts.keys.hold = new Promise((resolve) => {
        release = resolve;
      });
      return { ...parts, release };
    };

    it("are looked up a few at a time, in turns among networks, and refused if a network's queue is full", async () => {
      const { keys, cached, release } = held();
      const wrong = Array.from({ length: 6 }, (_, i) => cached.accessOf(`wrong${i}`, network).catch((error) => error));
      const other = cached.accessOf("k2", "10.0.0.2");
      expect(keys.asked).to.deep.equal(["wrong0", "k2"]);
      release();
      expect(await other).to.include({ businessId: 2 });
      const answers = await Promise.all(wrong);
      for (const answer of answers.slice(0, 4)) expect(answer).to.equal(null);
      for (const answer of answers.slice(4)) expect(answer).to.be.instanceOf(Busy).and.include({ isOwnDoing: true });
    });

    it("are still found in the cache", async () => {
      const { keys, cached } = set();
      await cached.accessOf("k1", network);
      keys.hold = new Promise(() => {});
      for (let i = 0; i < 6; i++) cached.accessOf(`wrong${i}`, network).catch(() => {});
      expect(await cached.accessOf("k1", network)).to.include({ businessId: 1 });
    });

    it("are looked up once more for all callers who arrive while a lookup runs", async () => {
      const { keys, cached, release } = held();
      const first = cached.accessOf("k1", network);
      const others = Array.from({ length: 20 }, () => cached.accessOf("k1", network));
      keys.revoked.add("k1");
      release();
      expect(await first).to.include({ businessId: 1 });
      for (const access of await Promise.all(others)) expect(access).to.equal(null);
      expect(keys.asked).to.deep.equal(["k1", "k1"]);
    });
  });
});
