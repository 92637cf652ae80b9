import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Agenda, type Job } from "agenda";
import type { Log } from "../../kernel/log.ts";
import { OccasionalLog } from "../../kernel/occasional-log.ts";
import { postgresStore } from "./postgres-store.ts";
import { type ClockStore, saveNothingOf } from "./store.ts";
import type { Tick } from "./tick.ts";

const entryName = "recado.clock";
/** The process with the lock renews it. If that process dies, ticks pause for at most this long plus one poll. */
const lockLifetimeMs = 5_000;
const renewLockEveryMs = 2_000;
/** After an orderly stop of the process with the lock, another takes over within about this many milliseconds. */
const pollEveryMs = 1_000;
const reopenAfterMs = 1_000;
const repeatErrorsEveryMs = 30_000;

export interface ClockSettings {
  readonly ticks: readonly Tick[];
  /** The PostgreSQL database that stores the clock's entry, unless there is a `mongoUri`. */
  readonly databaseUrl: string;
  /** The MongoDB database that stores the clock's entry. Empty or missing if PostgreSQL stores it. */
  readonly mongoUri?: string;
  readonly log: Log;
  /**
   * If true, a process that starts while the store is down runs all ticks until the store is back, so that work in
   * other databases goes on. Other processes may then run the same ticks at the same time.
   */
  readonly ticksMeanwhile?: boolean;
  /** Milliseconds after which a run is aborted; 30,000 unless given. */
  readonly longestRunMs?: number;
  /** Milliseconds that an aborted run may take to end, and that `stop` waits for runs. 5,000 unless given. */
  readonly graceMs?: number;
}

/**
 * A clock on Agenda. Its store has one entry, which Agenda locks for one process at a time; that process runs all ticks
 * while it renews the lock.
 */
export class AgendaClock {
  private readonly log: Log;
  private readonly troubles: OccasionalLog;
  private readonly longestRunMs: number;
  private readonly graceMs: number;
  private readonly runs = new Map<string, AbortController>();
  private readonly leftBehind = new Set<string>();
  private readonly dueAt = new Map<string, number>();
  private readonly jobs = new Set<Job>();
  private readonly stopping = new AbortController();
  /** Aborted when this process must end its ticks, for example because it lost the lock. */
  private term = new AbortController();
  private store: ClockStore | undefined;
  private agenda: Agenda | undefined;
  private opening: Promise<void> | undefined;
  private reopening: Promise<void> = Promise.resolve();

  constructor(private readonly settings: ClockSettings) {
    this.log = settings.log;
    this.troubles = new OccasionalLog(settings.log, repeatErrorsEveryMs);
    this.longestRunMs = settings.longestRunMs ?? 30_000;
    this.graceMs = settings.graceMs ?? 5_000;
    const names = new Set(settings.ticks.map(({ name }) => name));
    if (names.size < settings.ticks.length) throw new Error("Two ticks have the same name");
  }

  /** Resolves after the first attempt to reach the database; further attempts follow in the background. */
  start(): Promise<void> {
    this.opening ??= this.open().catch((error: unknown) => {
      if (this.stopping.signal.aborted) return;
      this.log.warn({ err: error }, "the clock does not reach its database and tries again");
      this.reopening = this.reopen();
    });
    return this.opening;
  }

  /** Aborts running ticks and waits at most `graceMs` for their end, then at most 1 s until the store is closed. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.term.abort();
    for (const controller of this.runs.values()) controller.abort();
    await atMost(this.graceMs, this.windDown());
    await atMost(1_000, this.store?.close().catch(this.onError) ?? Promise.resolve());
  }

  private async windDown(): Promise<void> {
    await this.opening;
    await this.reopening;
    await this.agenda?.stop(false).catch(this.onError);
    // When the ticks have ended, Agenda releases the lock and then emits `complete`.
    while (this.jobs.size > 0) await new Promise((resolve) => this.agenda?.once("complete", resolve));
  }

  private async reopen(): Promise<void> {
    const meanwhile = this.settings.ticksMeanwhile ? this.begin() : undefined;
    while (await pause(reopenAfterMs, this.stopping.signal)) {
      try {
        await this.open();
        this.log.info({}, "the clock has reached its database");
        break;
      } catch (error) {
        this.onError(error);
      }
    }
    meanwhile?.term.abort();
    await meanwhile?.ended;
  }

  private async open(): Promise<void> {
    this.store ??= await this.createStore();
    await this.store.open();
    this.stopping.signal.throwIfAborted();
    const agenda = new Agenda({
      backend: this.store.backend,
      processEvery: pollEveryMs,
      defaultConcurrency: 1,
      defaultLockLimit: 1,
      defaultLockLifetime: lockLifetimeMs,
    });
    agenda.on("error", this.onError);
    agenda.on("start", (job: Job) => this.jobs.add(job));
    agenda.on("complete", (job: Job) => this.jobs.delete(job));
    agenda.define(entryName, (job: Job) => this.lead(job));
    // In MongoDB, creating the entry again would steal the lock.
    const { total } = await agenda.queryJobs({ name: entryName });
    if (total === 0) await agenda.every("1 second", entryName);
    await agenda.start();
    this.agenda = agenda;
  }

  private async createStore(): Promise<ClockStore> {
    const { mongoUri, databaseUrl } = this.settings;
    if (!mongoUri) return postgresStore(databaseUrl, this.onError);
    const { mongoStore } = await import("./mongo-store.ts");
    return mongoStore(mongoUri, this.onError);
  }

  /** Runs the ticks for as long as this process has the lock. */
  private async lead(job: Job): Promise<void> {
    if (this.stopping.signal.aborted) return;
    const { term, ended: allReturned } = this.begin();
    const ended = new AbortController();
    void allReturned.then(() => ended.abort());
    // On `stop`, this process keeps the lock until every tick has returned, so that no other process runs ticks yet.
    while (await pause(this.leftBehind.size > 0 ? pollEveryMs : renewLockEveryMs, ended.signal)) {
      // A tick hangs in this process, so this process gives up the lock. Another process has almost a second to take
      // it before this process polls again.
      if (this.leftBehind.size > 0) break;
      if (await this.keeps(job)) continue;
      saveNothingOf(job.attrs);
      break;
    }
    term.abort();
  }

  /** Runs all ticks until `term` is aborted; `ended` resolves once they have returned. */
  private begin(): { readonly term: AbortController; readonly ended: Promise<unknown> } {
    // Ends the ticks that `reopen` may have begun while the store was down.
    this.term.abort();
    const term = new AbortController();
    setMaxListeners(0, term.signal);
    this.term = term;
    return { term, ended: Promise.all(this.settings.ticks.map((tick) => this.repeat(tick, term.signal))) };
  }

  private async repeat(tick: Tick, term: AbortSignal): Promise<void> {
    while (await pause((this.dueAt.get(tick.name) ?? 0) - performance.now(), term)) {
      this.dueAt.set(tick.name, performance.now() + tick.everySeconds * 1_000);
      await this.run(tick);
    }
  }

  /** Renews the lock. Returns false if the lock was lost, for example while the whole process was paused. */
  private async keeps(job: Job): Promise<boolean> {
    try {
      const { jobs } = await job.agenda.queryJobs({ name: entryName });
      if (jobs[0]?.lastRunAt?.getTime() !== job.attrs.lastRunAt?.getTime()) return false;
      await job.touch();
    } catch (error) {
      this.onError(error);
    }
    return job.getCanceledMessage() === undefined;
  }

  /** Starts a tick if its previous run has ended. Waits for the new run at most `longestRunMs` plus `graceMs`. */
  private async run(tick: Tick): Promise<void> {
    const { name } = tick;
    if (this.runs.has(name)) return;
    const controller = new AbortController();
    const over = new AbortController();
    this.runs.set(name, controller);
    void this.watched(tick, controller.signal).finally(() => {
      this.runs.delete(name);
      this.leftBehind.delete(name);
      over.abort();
    });
    await pause(this.longestRunMs, AbortSignal.any([controller.signal, over.signal]));
    controller.abort();
    await pause(this.graceMs, over.signal);
    if (over.signal.aborted) return;
    this.leftBehind.add(name);
    this.log.error({ tick: name }, "a tick does not end");
  }

  private async watched(tick: Tick, signal: AbortSignal): Promise<void> {
    try {
      await tick.run(signal);
    } catch (error) {
      this.log.error({ err: error, tick: tick.name }, "a tick failed; it comes again at its next time");
    }
  }

  /** Logs only some of the errors, because every poll fails while the database is down. */
  private readonly onError = (error: unknown): void => {
    if (!this.stopping.signal.aborted) this.troubles.error({ err: error }, "the clock has trouble with its database");
  };
}

/** Resolves to false if the signal was aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<boolean> => sleep(ms, true, { signal }).catch(() => false);

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work.finally(() => done.abort()), pause(ms, done.signal)]);
}
