import { expect } from "chai";
import { Busy } from "../../src/kernel/errors.ts";
import { FairQueue, type FairQueueSettings } from "../../src/kernel/fair-queue.ts";

const settings: FairQueueSettings = {
  name: "work",
  width: 2,
  widthPerKey: 2,
  queuePerKey: 100,
  queue: 1_000,
  waitMs: 60_000,
};

/** Records the order in which work begins. Each work runs until the test ends it. */
function bench(gate: FairQueue) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = (key: string, name = key, signal?: AbortSignal) => {
    const work = gate.run(
      key,
      () => {
        began.push(name);
        return new Promise<void>((end) => ends.set(name, end));
      },
      signal,
    );
    // Work that still waits at the end of a test is refused during a later test, which must not fail because of that.
    work.catch(() => {});
    return work;
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await settled();
  };
  return { began, enter, end };
}

const settled = () => new Promise(setImmediate);

async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "done",
    (error: unknown) => error,
  );
}

describe("FairQueue", () => {
  it("starts a new key's work before the rest of another key's long queue", async () => {
    const { began, enter, end } = bench(new FairQueue(settings));
    for (const name of ["a1", "a2", "a3", "a4"]) void enter("a", name);
    void enter("b");
    await settled();
    await end("a1");
    await end("a2");
    expect(began).to.deep.equal(["a1", "a2", "b", "a3"]);
  });

  it("lets waiting keys take turns", async () => {
    const { began, enter, end } = bench(new FairQueue({ ...settings, width: 1 }));
    for (const name of ["a1", "a2", "a3", "b1", "b2", "b3", "c1"]) void enter(name[0] ?? "", name);
    await settled();
    for (const name of ["a1", "b1", "a2", "c1", "b2", "a3", "b3"]) await end(name);
    expect(began).to.deep.equal(["a1", "b1", "a2", "c1", "b2", "a3", "b3"]);
  });

  it("lets a key without running work pass the busy ones, but at most every second time", async () => {
    const { began, enter, end } = bench(new FairQueue({ ...settings, width: 1 }));
    for (const name of ["a1", "a2", "a3", "b1", "b2", "c1", "c2"]) void enter(name[0] ?? "", name);
    for (const name of ["a1", "b1", "a2", "c1"]) await end(name);
    for (const name of ["d1", "e1"]) void enter(name[0] ?? "", name);
    for (const name of ["b2", "d1", "a3", "e1", "c2"]) await end(name);
    expect(began).to.deep.equal(["a1", "b1", "a2", "c1", "b2", "d1", "a3", "e1", "c2"]);
  });

  it("keeps places free if a key has its share", async () => {
    const { began, enter, end } = bench(new FairQueue({ ...settings, width: 3 }));
    for (const name of ["a1", "a2", "a3"]) void enter("a", name);
    await settled();
    expect(began).to.deep.equal(["a1", "a2"]);
    void enter("b");
    await settled();
    expect(began).to.deep.equal(["a1", "a2", "b"]);
    await end("a1");
    expect(began).to.deep.equal(["a1", "a2", "b", "a3"]);
  });

  it("refuses a key whose own queue is full as its own fault, and accepts others", async () => {
    const gate = new FairQueue({ ...settings, width: 3, queuePerKey: 1 });
    const { began, enter } = bench(gate);
    for (const name of ["a1", "a2", "a3"]) void enter("a", name);
    const refusal = await refusalOf(enter("a", "a4"));
    expect(refusal).to.be.instanceOf(Busy).that.includes({ what: "work", isOwnDoing: true, retryAfter: 60 });
    void enter("b");
    await settled();
    expect(began).to.include("b");
  });

  it("lets a key without waiters replace the newest waiter of the longest queue", async () => {
    const gate = new FairQueue({ ...settings, width: 1, queue: 3 });
    const { began, enter, end } = bench(gate);
    for (const name of ["a0", "b1", "a1"]) void enter(name[0] ?? "", name);
    const dropped = refusalOf(enter("a", "a2"));
    void enter("c", "c1");
    expect(await dropped)
      .to.be.instanceOf(Busy)
      .that.includes({ isOwnDoing: true });
    for (const name of ["a0", "b1", "c1", "a1"]) await end(name);
    expect([...began].sort()).to.deep.equal(["a0", "a1", "b1", "c1"]);
  });

  it("does not blame a key that is refused because of the others' queue", async () => {
    const gate = new FairQueue({ ...settings, width: 1, queue: 2 });
    const { enter } = bench(gate);
    for (const key of ["a", "c", "d"]) void enter(key);
    expect(await refusalOf(enter("b")))
      .to.be.instanceOf(Busy)
      .that.includes({ isOwnDoing: false });
  });

  it("refuses new work before its queue is full, so that work that has begun can still enter", async () => {
    const gate = new FairQueue({ ...settings, width: 1, overload: { perKey: 2, all: 3, least: 0 } });
    const { began, enter, end } = bench(gate);
    for (const name of ["a1", "a2"]) void enter("a", name);
    gate.check("a");
    void enter("a", "a3");
    expect(() => gate.check("a"))
      .to.throw(Busy)
      .that.includes({ isOwnDoing: true });
    void enter("a", "a4");
    for (const name of ["a1", "a2", "a3"]) await end(name);
    expect(began).to.deep.equal(["a1", "a2", "a3", "a4"]);
  });

  it("refuses new work of an overloaded queue only for keys with an equal share waiting", async () => {
    const gate = new FairQueue({ ...settings, width: 1, overload: { perKey: 5, all: 4, least: 0 } });
    const { enter } = bench(gate);
    for (const name of ["a0", "a1", "a2", "a3", "b1"]) void enter(name[0] ?? "", name);
    expect(() => gate.check("a"))
      .to.throw(Busy)
      .that.includes({ isOwnDoing: false });
    gate.check("b");
    gate.check("c");
  });

  it("lets every key have a few waiting in an overloaded queue, however many others wait", async () => {
    const gate = new FairQueue({ ...settings, width: 1, overload: { perKey: 5, all: 4, least: 2 } });
    const { enter } = bench(gate);
    for (const name of ["a0", "b1", "c1", "d1", "e1", "f1"]) void enter(name[0] ?? "", name);
    gate.check("f");
    void enter("f", "f2");
    expect(() => gate.check("f"))
      .to.throw(Busy)
      .that.includes({ isOwnDoing: false });
  });

  it("refuses work that has waited too long, and frees its place", async () => {
    const gate = new FairQueue({ ...settings, width: 1, waitMs: 5 });
    const { began, enter, end } = bench(gate);
    void enter("a");
    expect(await refusalOf(enter("b")))
      .to.be.instanceOf(Busy)
      .that.includes({ isOwnDoing: false });
    expect(gate.stats()).to.deep.equal({ running: 1, waiting: 0 });
    await end("a");
    void enter("c");
    await settled();
    expect(began).to.deep.equal(["a", "c"]);
  });

  it("drops waiting work whose caller is gone", async () => {
    const gate = new FairQueue({ ...settings, width: 1 });
    const { began, enter, end } = bench(gate);
    const gone = new AbortController();
    void enter("a");
    const left = refusalOf(enter("b", "b1", gone.signal));
    void enter("b", "b2");
    gone.abort(new Error("gone"));
    expect(await left).to.include({ message: "gone" });
    await end("a");
    expect(began).to.deep.equal(["a", "b2"]);
    await end("b2");
    expect(gate.stats()).to.deep.equal({ running: 0, waiting: 0 });
  });

  it("continues after work that failed", async () => {
    const gate = new FairQueue({ ...settings, width: 1 });
    expect(await refusalOf(gate.run("a", () => Promise.reject(new Error("no"))))).to.include({ message: "no" });
    expect(await gate.run("b", async () => "yes")).to.equal("yes");
  });
});
