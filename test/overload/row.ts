import type { OwnProcess } from "../bench/processes.ts";
import type { Arena } from "./arena.ts";
import type { AttackSpec, Told } from "./attack.ts";

/** An attack and its effect on others. */
export interface Row {
  readonly about: string;
  /** The service's settings that differ from the defaults. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Starts further servers before the service. Returns the settings with which the service finds them. */
  prepare?(arena: Arena): Promise<Prepared>;
  /** Whether the row only shows the effect of a busy machine. Such a row has no bounds. */
  readonly isControl?: boolean;
  /** Whether the attack ends when it has sent everything. Other attacks are stopped after a fixed time. */
  readonly endsItself?: boolean;
  /** The allowed maximum of some of the row's own figures, by the figure's name. */
  readonly most?: Readonly<Record<string, number>>;
  attackers(scene: Scene): readonly AttackSpec[] | Promise<readonly AttackSpec[]>;
  /** Runs during the attack, until the signal is aborted. */
  meanwhile?(scene: Scene, signal: AbortSignal): Promise<Finding>;
  /** Runs from the quiet phase to the end. */
  throughout?(scene: Scene, signal: AbortSignal): Promise<Finding>;
  /** Further checks, with the attackers' results and the figures of `meanwhile` and `throughout`. */
  judge?(scene: Scene, told: readonly Told[], figures: Figures): Finding | Promise<Finding>;
}

export interface Prepared {
  readonly environment: Readonly<Record<string, string>>;
  close(): void;
}

export interface Scene {
  readonly arena: Arena;
  readonly service: OwnProcess;
}

export type Figures = Readonly<Record<string, number | string>>;

export interface Finding {
  readonly figures?: Figures;
  /** Failed checks. */
  readonly misses?: readonly string[];
}
