import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailable } from "../../../kernel/errors.ts";

interface HealthSettings {
  readonly name: string;
  /** Must reject within about a second if the cell does not answer. */
  readonly ping: () => Promise<void>;
  /** Called when the cell goes down, with the reason, and when it is up again. */
  readonly onChange: (isDown: boolean, error?: unknown) => void;
  /** Milliseconds between two pings; 500 unless given. */
  readonly everyMs?: number;
}

/** Any number of running queries may listen to the signal. */
function unlimited(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** One failed ping may only mean that the cell is busy. */
const failuresToBeDown = 2;

/**
 * Pings a cell regularly on a separate connection. Work for a cell that is down fails at once. If it waited instead,
 * work for other cells would soon have to wait too.
 */
export class CellHealth {
  private failures = 0;
  private down = unlimited();
  private readonly stopping = new AbortController();

  constructor(private readonly settings: HealthSettings) {}

  get isDown(): boolean {
    return this.down.signal.aborted;
  }

  start(): void {
    void this.watch();
  }

  stop(): void {
    this.stopping.abort();
  }

  requireUp(): void {
    if (this.isDown) throw this.failure();
  }

  /** Runs `work`, and rejects as soon as the cell goes down. */
  async whileUp<Result>(work: () => Promise<Result>): Promise<Result> {
    this.requireUp();
    const { signal } = this.down;
    let leave = (): void => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(this.failure(true));
    });
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([work(), left]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  /** Never rejects. */
  async ping(): Promise<void> {
    try {
      await this.settings.ping();
      this.failures = 0;
      if (!this.isDown) return;
      this.down = unlimited();
      this.settings.onChange(false);
    } catch (error) {
      this.failures += 1;
      if (this.failures < failuresToBeDown || this.isDown) return;
      this.down.abort();
      this.settings.onChange(true, error);
    }
  }

  private failure(mayHaveRun = false): DatabaseUnavailable {
    return new DatabaseUnavailable(new Error(`the cell ${this.settings.name} is down`), mayHaveRun);
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (await sleep(this.settings.everyMs ?? 500, true, { signal, ref: false }).catch(() => false)) {
      await this.ping();
    }
  }
}
