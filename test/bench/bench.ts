import type { Stage, StageSettings } from "./stage.ts";
import type { Table } from "./table.ts";

/**
 * A benchmark: the default export of a file `<name>.bench.ts` in this folder, which `main.ts` finds automatically. A
 * benchmark against a bare handler also exports `bare`.
 */
export interface Bench {
  readonly about: string;
  run(arena: Arena): Promise<BenchResult>;
}

export interface Arena {
  /** Opens a stage on a new, durable database. The stage is closed when the benchmark ends. */
  stage(settings: Omit<StageSettings, "databaseUrl">): Promise<Stage>;
  say(line: string): void;
}

export interface BenchResult {
  readonly tables: readonly Table[];
  /** Written to .run/bench.json. */
  readonly figures: object;
  /** Errors such as wrong answers, lost messages and growing memory. */
  readonly failures: readonly string[];
  /** Missed goals. */
  readonly belowAim: readonly string[];
}
