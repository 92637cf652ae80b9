import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseAway } from "../../kernel/errors.ts";

interface HealthSettings {
  readonly name: string;
  /** Resolves when the cell answers; must reject within a second or so when it does not. */
  readonly ping: () => Promise<void>;
  /** Hears that it is away, with the reason, or there again. */
  readonly onChange: (isAway: boolean, error?: unknown) => void;
  /** Milliseconds between two looks. */
  readonly everyMs?: number;
}

/** All work that is under way listens to it. */
function unlimited(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Looks in a row that must fail. One alone may be a busy moment. */
const looksMissed = 2;

/**
 * Whether a cell answers, asked once in a while on a connection of its own. Work for one that is away fails at once: it
 * would else wait in places that work for other cells needs.
 */
export class CellHealth {
  private missed = 0;
  private away = unlimited();
  private readonly stopping = new AbortController();

  constructor(private readonly settings: HealthSettings) {}

  get isAway(): boolean {
    return this.away.signal.aborted;
  }

  start(): void {
    void this.watch();
  }

  stop(): void {
    this.stopping.abort();
  }

  /** Throws where the cell is away. */
  check(): void {
    if (this.isAway) throw this.failure();
  }

  /** As `work`, unless the cell turns out to be away meanwhile: nobody waits for it then. */
  async whileThere<Result>(work: () => Promise<Result>): Promise<Result> {
    this.check();
    const { signal } = this.away;
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

  /** One look; never rejects. */
  async look(): Promise<void> {
    try {
      await this.settings.ping();
      this.missed = 0;
      if (!this.isAway) return;
      this.away = unlimited();
      this.settings.onChange(false);
    } catch (error) {
      this.missed += 1;
      if (this.missed < looksMissed || this.isAway) return;
      this.away.abort();
      this.settings.onChange(true, error);
    }
  }

  private failure(mayHaveRun = false): DatabaseAway {
    return new DatabaseAway(new Error(`the cell ${this.settings.name} is away`), mayHaveRun);
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (await sleep(this.settings.everyMs ?? 500, true, { signal, ref: false }).catch(() => false)) {
      await this.look();
    }
  }
}
