import { expect } from "chai";
import { AgendaClock, type ClockSettings } from "../../src/infra/jobs/agenda-clock.ts";
import type { Tick } from "../../src/infra/jobs/tick.ts";
import { eventually } from "../support/wait.ts";
import { Recorder, recordingLog } from "./recorder.ts";

/** The store's settings for `AgendaClock`. */
type StoreSettings = Pick<ClockSettings, "databaseUrl" | "mongoUri">;

type Limits = Pick<ClockSettings, "longestRunMs" | "graceMs">;

const oneDay = 86_400;
const shortly = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * The contract of the clock for any store. `freshStore` returns the settings of the store, which must be empty before
 * each test.
 */
export function clockContract(freshStore: () => StoreSettings): void {
  let clocks: AgendaClock[];
  let log: ReturnType<typeof recordingLog>;

  beforeEach(() => {
    clocks = [];
    log = recordingLog();
  });
  afterEach(() => Promise.all(clocks.map((clock) => clock.stop())));

  function clockOf(ticks: readonly Tick[], limits: Limits = {}): AgendaClock {
    const clock = new AgendaClock({ ...freshStore(), ticks, log, ...limits });
    clocks.push(clock);
    return clock;
  }

  it("runs each tick repeatedly", async () => {
    const [first, second] = [new Recorder(), new Recorder()];
    await clockOf([
      { name: "first", everySeconds: 0.1, run: first.run },
      { name: "second", everySeconds: 0.1, run: second.run },
    ]).start();
    await eventually(() => first.ended >= 3 && second.ended >= 3);
  });

  it("runs ticks in parallel, so that a long one does not delay others", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const [long, other] = [new Recorder(() => held), new Recorder()];
    await clockOf([
      { name: "long", everySeconds: 0.1, run: long.run },
      { name: "other", everySeconds: 0.1, run: other.run },
    ]).start();
    await eventually(() => long.begun === 1);
    const before = other.ended;
    await eventually(() => other.ended >= before + 3);
    expect([long.begun, long.overlapped]).to.deep.equal([1, false]);
    release();
    await eventually(() => long.ended >= 2);
  });

  it("starts in four processes, which together run a tick once in each period and never twice at a time", async () => {
    const shared = new Recorder(() => shortly(50));
    const counted = new Recorder();
    const ticks = [
      { name: "shared", everySeconds: 0.2, run: shared.run },
      { name: "daily", everySeconds: oneDay, run: counted.run },
    ];
    const four = [1, 2, 3, 4].map(() => clockOf(ticks));
    await Promise.all(four.map((clock) => clock.start()));
    await eventually(() => shared.ended >= 6);
    expect(shared.overlapped).to.equal(false);
    expect(counted.begun).to.equal(1);
    expect(log.lines).to.deep.equal([]);
  });

  it("repeats a tick that fails, and logs the reason", async () => {
    const failing = new Recorder(() => Promise.reject(new Error("out of order")));
    await clockOf([{ name: "failing", everySeconds: 0.1, run: failing.run }]).start();
    await eventually(() => failing.ended >= 3);
    const [line] = log.lines;
    expect(line?.level).to.equal("error");
    expect(line?.fields).to.deep.equal({ err: new Error("out of order"), tick: "failing" });
  });

  it("continues after a tick that throws synchronously", async () => {
    let runs = 0;
    const run = () => {
      runs += 1;
      throw new Error("at once");
    };
    await clockOf([{ name: "throwing", everySeconds: 0.1, run }]).start();
    await eventually(() => runs >= 3);
  });

  it("aborts the signal of a tick that takes too long", async () => {
    const long = new Recorder((signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())));
    const ticks = [{ name: "long", everySeconds: 0.1, run: long.run }];
    await clockOf(ticks, { longestRunMs: 50 }).start();
    await eventually(() => long.ended >= 2);
    expect(log.lines).to.deep.equal([]);
  });

  it("gives up a tick that does not end: others continue, another process runs it, and the clock can stop", async () => {
    const [stuck, other, elsewhere] = [new Recorder(() => new Promise(() => {})), new Recorder(), new Recorder()];
    const clock = clockOf(
      [
        { name: "stuck", everySeconds: 0.1, run: stuck.run },
        { name: "other", everySeconds: 0.1, run: other.run },
      ],
      { longestRunMs: 50, graceMs: 50 },
    );
    await clock.start();
    await eventually(() => log.lines.length > 0);
    expect(log.lines[0]).to.deep.equal({ level: "error", fields: { tick: "stuck" }, message: "a tick does not end" });
    const before = other.ended;
    await eventually(() => other.ended >= before + 2);
    await clockOf([{ name: "stuck", everySeconds: 0.1, run: elsewhere.run }]).start();
    await eventually(() => elsewhere.ended >= 2, 8_000);
    await clock.stop();
    expect(stuck.begun).to.equal(1);
  });

  it("aborts the running tick's signal when it stops, and waits for the tick", async () => {
    const patient = new Recorder(
      (signal) => new Promise((resolve) => signal.addEventListener("abort", () => setTimeout(resolve, 100))),
    );
    const clock = clockOf([{ name: "patient", everySeconds: 0.1, run: patient.run }]);
    await clock.start();
    await eventually(() => patient.begun === 1);
    await clock.stop();
    expect(patient.ended).to.equal(1);

    const next = new Recorder();
    await clockOf([{ name: "patient", everySeconds: 0.1, run: next.run }]).start();
    await eventually(() => next.ended >= 2);
    expect(patient.begun).to.equal(1);
  });

  it("continues in another process soon after the one that ran the ticks has stopped", async () => {
    const [first, second] = [new Recorder(), new Recorder()];
    const clock = clockOf([{ name: "often", everySeconds: 0.1, run: first.run }]);
    await clock.start();
    await eventually(() => first.ended >= 2);
    await clockOf([{ name: "often", everySeconds: 0.1, run: second.run }]).start();
    await clock.stop();
    expect(second.begun).to.equal(0);
    await eventually(() => second.ended >= 2);
  });
}
