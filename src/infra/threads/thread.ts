import { Piscina } from "piscina";

/** Milliseconds until an unused thread ends. */
const idleMs = 30_000;
/** MB of heap in the thread. A task that needs more fails, but the process goes on. */
const mostMemory = 256;

/**
 * A worker thread for CPU-heavy work, at a lower priority than requests. It starts with the first task.
 *
 * @typeParam Task - must be cloneable
 */
export class Thread<Task, Result> {
  private readonly pool: Piscina<Task, Result>;

  /** @param module - the URL of a module without its extension; its default export does the work */
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

  run(task: Task, signal?: AbortSignal): Promise<Result> {
    return this.pool.run(task, signal ? { signal } : {});
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
