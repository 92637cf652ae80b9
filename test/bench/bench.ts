import type { Stage, StageSettings } from "./stage.ts";
import type { Table } from "./table.ts";

/**
 * One benchmark: the default export of a file `<name>.bench.ts` in this folder, which `main.ts` finds by itself.
 * A benchmark against a bare limit exports `bare` beside it.
 */
export interface Bench {
  readonly about: string;
  run(arena: Arena): Promise<BenchResult>;
}

export interface Arena {
  /** A stage on an empty database of its own, durable as in production; closed at the end of the benchmark. */
  stage(settings: Omit<StageSettings, "databaseUrl">): Promise<Stage>;
  say(line: string): void;
}

export interface BenchResult {
  readonly tables: readonly Table[];
  /** What is written to .run/bench.json. */
  readonly figures: object;
  /** Sentences about what went wrong: wrong answers, lost messages, memory that grows. */
  readonly failures: readonly string[];
  /** Sentences about aims that were not reached. */
  readonly belowAim: readonly string[];
}
