import { Piscina } from "piscina";

/** Milliseconds after which a thread that has nothing to do ends. */
const idleMs = 30_000;
/** MB of what lives in a thread: work that takes more fails, and the process goes on. */
const mostMemory = 256;

/**
 * One thread for work that fills a processor, with less priority than what answers requests. It starts with its first
 * piece of work.
 *
 * @typeParam Task - what can be cloned: numbers, texts, dates, plain objects and arrays
 */
export class Thread<Task, Result> {
  private readonly pool: Piscina<Task, Result>;

  /** @param module - the URL of the module, without its extension, whose default export does the work */
  constructor(module: string) {
    const isSource = import.meta.url.endsWith(".ts");
    this.pool = new Piscina({
      filename: `${module}${isSource ? ".ts" : ".js"}`,
      execArgv: isSource ? ["--import", "tsx"] : [],
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      niceIncrement: 10,
      resourceLimits: { maxOldGenerationSizeMb: mostMemory },
    });
  }

  /** @param signal - ends the work when it is aborted */
  run(task: Task, signal?: AbortSignal): Promise<Result> {
    return this.pool.run(task, signal ? { signal } : {});
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
