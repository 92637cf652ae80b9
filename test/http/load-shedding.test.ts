import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { loadShedder } from "../../src/infra/http/load-shedding.ts";
import { FairQueue } from "../../src/kernel/fair-queue.ts";

const businesses = 30;

/** A queue with one request of each business. Together they exceed the overload limit. */
function overloadedQueue() {
  const queue = new FairQueue({
    name: "database",
    width: 1,
    widthPerKey: 1,
    queuePerKey: 100,
    queue: 1_000,
    waitMs: 60_000,
    overload: { perKey: 50, all: businesses / 2, least: 10 },
  });
  for (let id = 1; id <= businesses; id += 1) wait(queue, id);
  return queue;
}

/** Adds a request that never ends. If it has to wait, the queue refuses it after 60 seconds, long after the test. */
const wait = (queue: FairQueue, businessId: number): void =>
  void queue.run(businessId, () => new Promise(() => {})).catch(() => {});

/** Returns how many of `count` requests of the business were let in. None of these requests enters the queue. */
function letIn(isAnswered: ReturnType<typeof loadShedder>, businessId: number, count: number): number {
  const res = { writeHead: () => res, end: () => res } as unknown as ServerResponse;
  const answered = Array.from({ length: count }, () => isAnswered({ headers: {} } as IncomingMessage, res, businessId));
  return answered.filter((each) => !each).length;
}

/** Returns how many of `count` requests of the business were refused at once. The other requests are refused later. */
function refusedAtOnce(isAnswered: ReturnType<typeof loadShedder>, businessId: number, count: number): number {
  let sent = 0;
  const end = () => (sent += 1);
  const res = { writeHead: () => ({ end }) } as unknown as ServerResponse;
  for (let n = 0; n < count; n += 1) isAnswered({ headers: {} } as IncomingMessage, res, businessId);
  return sent;
}

/** The milliseconds since this call. In this time, the allowances of the shedder grow. */
function stopwatch(): () => number {
  const since = performance.now();
  return () => performance.now() - since;
}

describe("The refusal of requests in an overloaded process", () => {
  it("lets each business begin ten requests beyond its equal share, and then few", () => {
    const isAnswered = loadShedder({ gate: overloadedQueue(), countRefusal: () => {} });
    const passedMs = stopwatch();
    expect(letIn(isAnswered, 2, 40)).to.be.within(10, 10 + passedMs() * 0.002);
    expect(letIn(isAnswered, 3, 10)).to.equal(10);
  });

  it("refuses a business with ten requests waiting that has its equal share", () => {
    const queue = overloadedQueue();
    for (let n = 0; n < 10; n += 1) wait(queue, 2);
    expect(letIn(loadShedder({ gate: queue, countRefusal: () => {} }), 2, 1)).to.equal(0);
  });

  it("refuses nothing of a business that has nothing waiting", () => {
    const isAnswered = loadShedder({ gate: overloadedQueue(), countRefusal: () => {} });
    expect(letIn(isAnswered, businesses + 1, 40)).to.equal(40);
  });

  it("is sent to each business at once for 300 requests, and later for those beyond", () => {
    const queue = overloadedQueue();
    for (const business of [2, 3]) for (let n = 0; n < 10; n += 1) wait(queue, business);
    const isAnswered = loadShedder({ gate: queue, countRefusal: () => {} });
    const passedMs = stopwatch();
    expect(refusedAtOnce(isAnswered, 2, 1_000)).to.be.within(300, 300 + passedMs() * 0.3);
    expect(refusedAtOnce(isAnswered, 3, 200)).to.equal(200);
  });

  it("is sent to all businesses together at once for 800 requests, and later for those beyond", () => {
    const queue = overloadedQueue();
    for (let business = 1; business <= businesses; business += 1) for (let n = 0; n < 10; n += 1) wait(queue, business);
    const isAnswered = loadShedder({ gate: queue, countRefusal: () => {} });
    const passedMs = stopwatch();
    let sent = 0;
    for (let business = 1; business <= businesses; business += 1) sent += refusedAtOnce(isAnswered, business, 250);
    expect(sent).to.be.within(800, 800 + passedMs() * 8);
  });
});
