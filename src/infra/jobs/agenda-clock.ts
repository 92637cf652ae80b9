import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Agenda, type Job } from "agenda";
import type { Log } from "../../kernel/log.ts";
import { OccasionalLog } from "../../kernel/occasional-log.ts";
import type { Clock, Tick } from "./clock.ts";
import { postgresStore } from "./postgres-store.ts";
import type { ClockStore } from "./store.ts";

/** A process that dies holds a tick back for this long; one that lives renews its lock. */
const lockLifetimeMs = 3_000;
const renewLockEveryMs = 1_000;
const reopenAfterMs = 1_000;
const repeatErrorsEveryMs = 30_000;

export interface ClockSettings {
  readonly ticks: readonly Tick[];
  /** Where the times are kept, unless `mongoUri` is set. */
  readonly databaseUrl?: string;
  readonly mongoUri?: string;
  readonly log: Log;
  /** False where a process only triggers. */
  readonly runTicks?: boolean;
  /** When the signal of a run is aborted; 30,000 unless given. */
  readonly longestRunMs?: number;
  /** What a run gets to end in once its signal is aborted, and what `stop` waits; 5,000 unless given. */
  readonly graceMs?: number;
}

/**
 * The clock over Agenda, with two entries in its store for each tick: one that repeats, one for triggers. Agenda
 * runs an entry in one process at a time.
 */
export function createAgendaClock(settings: ClockSettings): Clock {
  if (!settings.mongoUri && !settings.databaseUrl) throw new Error("The clock needs databaseUrl or mongoUri");
  return new AgendaClock(settings);
}

interface Run {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

class AgendaClock implements Clock {
  private readonly ticks: ReadonlyMap<string, Tick>;
  private readonly log: Log;
  private readonly troubles: OccasionalLog;
  private readonly longestRunMs: number;
  private readonly graceMs: number;
  private readonly runs = new Map<string, Run>();
  private readonly jobs = new Set<Job>();
  private readonly stopping = new AbortController();
  private store: ClockStore | undefined;
  private agenda: Agenda | undefined;
  private opening: Promise<void> | undefined;
  private reopening: Promise<void> = Promise.resolve();

  constructor(private readonly settings: ClockSettings) {
    this.log = settings.log;
    this.troubles = new OccasionalLog(settings.log, repeatErrorsEveryMs);
    this.longestRunMs = settings.longestRunMs ?? 30_000;
    this.graceMs = settings.graceMs ?? 5_000;
    this.ticks = new Map(settings.ticks.map((tick) => [tick.name, tick]));
    if (this.ticks.size < settings.ticks.length) throw new Error("Two ticks have the same name");
  }

  start(): Promise<void> {
    this.opening ??= this.open().catch((error: unknown) => {
      if (this.stopping.signal.aborted) return;
      this.log.warn({ err: error }, "the clock does not reach its database and tries again");
      this.reopening = this.reopen();
    });
    return this.opening;
  }

  async trigger(name: string): Promise<void> {
    if (!this.ticks.has(name)) throw new Error(`No tick is named ${name}`);
    try {
      if (!this.agenda || !this.store) throw new Error("The clock is not connected");
      const job = this.agenda.create(triggered(name), { mark: randomUUID() });
      job.attrs.type = "single";
      await job.schedule(new Date(Date.now() + this.store.triggerInMs)).save();
    } catch (error) {
      this.log.warn({ err: error, tick: name }, "a trigger was lost; the tick comes at its next time");
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    for (const { controller } of this.runs.values()) controller.abort();
    await atMost(this.graceMs, this.windDown());
    await atMost(1_000, this.store?.close().catch(this.onError) ?? Promise.resolve());
  }

  private async windDown(): Promise<void> {
    await this.opening;
    await this.reopening;
    await this.agenda?.stop(false).catch(this.onError);
    // Their locks are released after they have run.
    while (this.jobs.size > 0) await new Promise((resolve) => this.agenda?.once("complete", resolve));
  }

  private async reopen(): Promise<void> {
    while (await pause(reopenAfterMs, this.stopping.signal)) {
      try {
        await this.open();
        return this.log.info({}, "the clock has reached its database");
      } catch (error) {
        this.onError(error);
      }
    }
  }

  private async open(): Promise<void> {
    this.store ??= await this.createStore();
    await this.store.open();
    this.stopping.signal.throwIfAborted();
    const agenda = new Agenda({
      backend: this.store.backend,
      processEvery: this.pollEveryMs(),
      maxConcurrency: 2 * this.ticks.size,
      defaultConcurrency: 1,
      defaultLockLimit: 1,
      defaultLockLifetime: lockLifetimeMs,
    });
    agenda.on("error", this.onError);
    agenda.on("start", (job: Job) => this.jobs.add(job));
    agenda.on("complete", (job: Job) => this.jobs.delete(job));
    if (this.settings.runTicks ?? true) await this.schedule(agenda);
    this.agenda = agenda;
  }

  private async createStore(): Promise<ClockStore> {
    const { mongoUri, databaseUrl = "" } = this.settings;
    if (!mongoUri) return postgresStore(databaseUrl, this.log, this.onError);
    const { mongoStore } = await import("./mongo-store.ts");
    return mongoStore(mongoUri, this.onError);
  }

  /** Often enough to find each entry before its time, at which it then runs exactly. */
  private pollEveryMs(): number {
    const shortest = Math.min(...this.settings.ticks.map(({ everySeconds }) => everySeconds * 1_000));
    return Math.max(50, Math.min(1_000, shortest / 2));
  }

  private async schedule(agenda: Agenda): Promise<void> {
    for (const tick of this.ticks.values()) {
      agenda.define(tick.name, (job: Job) => this.whileLocked(job, () => this.run(tick)));
      agenda.define(triggered(tick.name), (job: Job) => this.whileLocked(job, () => this.runTriggered(tick)));
      agenda.on(`complete:${triggered(tick.name)}`, (job: Job) => {
        if (!this.stopping.signal.aborted) this.triggerAgain(tick, job).catch(this.onError);
      });
      await agenda.every(`${tick.everySeconds} seconds`, tick.name);
    }
    await agenda.start();
  }

  private async whileLocked(job: Pick<Job, "touch">, work: () => Promise<void>): Promise<void> {
    const done = new AbortController();
    const renewing = this.renewLock(job, done.signal);
    try {
      await work();
    } finally {
      done.abort();
      // A renewal that arrives after the release would lock the entry again.
      await renewing;
    }
  }

  private async renewLock(job: Pick<Job, "touch">, done: AbortSignal): Promise<void> {
    while (await pause(renewLockEveryMs, done)) await job.touch().catch(this.onError);
  }

  /** What the tick looked at before the trigger has to be looked at again. */
  private async runTriggered(tick: Tick): Promise<void> {
    const current = this.runs.get(tick.name);
    if (current) await atMost(this.longestRunMs + this.graceMs, current.ended);
    await this.run(tick);
  }

  /** The end of a run wipes out the time of a trigger that came during it; the trigger's mark stays. */
  private async triggerAgain(tick: Tick, job: Job): Promise<void> {
    const found = await job.agenda.queryJobs({ name: job.attrs.name });
    const [entry] = found.jobs;
    if (!entry || entry.nextRunAt || entry.lockedAt) return;
    if (markOf(entry) !== markOf(job.attrs)) await this.trigger(tick.name);
  }

  /** Runs a tick unless it already runs in this process; a run that does not end is left behind. */
  private async run(tick: Tick): Promise<void> {
    if (this.stopping.signal.aborted || this.runs.has(tick.name)) return;
    const controller = new AbortController();
    const over = new AbortController();
    const ended = this.watched(tick, controller.signal).finally(() => {
      this.runs.delete(tick.name);
      over.abort();
    });
    this.runs.set(tick.name, { controller, ended });
    await pause(this.longestRunMs, AbortSignal.any([controller.signal, over.signal]));
    controller.abort();
    if (await pause(this.graceMs, over.signal)) this.log.error({ tick: tick.name }, "a tick does not end");
  }

  private async watched(tick: Tick, signal: AbortSignal): Promise<void> {
    try {
      await tick.run(signal);
    } catch (error) {
      this.log.error({ err: error, tick: tick.name }, "a tick failed; it comes again at its next time");
    }
  }

  /** While the database is away every poll fails. */
  private readonly onError = (error: unknown): void => {
    if (!this.stopping.signal.aborted) this.troubles.error({ err: error }, "the clock has trouble with its database");
  };
}

/** Another one with each trigger. */
const markOf = ({ data }: { readonly data?: unknown }): unknown => (data as { mark?: unknown } | undefined)?.mark;

const triggered = (name: string): string => `${name} (triggered)`;

/** False when it was aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<boolean> => sleep(ms, true, { signal }).catch(() => false);

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work.finally(() => done.abort()), pause(ms, done.signal)]);
}
