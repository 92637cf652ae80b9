import type { OwnProcess } from "../bench/processes.ts";
import type { Arena } from "./arena.ts";
import type { AttackSpec, Told } from "./attack.ts";

/** One thing that one client does to the others. */
export interface Row {
  readonly about: string;
  /** Settings of the service that are not the default. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Before the service starts: what it needs beside the sandbox, and the settings that name it. */
  prepare?(arena: Arena): Promise<Prepared>;
  /** It shows what the machine does to the others without any attack, and has no bounds. */
  readonly isControl?: boolean;
  /** The attack ends by itself, when it has done all. */
  readonly endsItself?: boolean;
  /** Bounds of figures that the row finds. */
  readonly most?: Readonly<Record<string, number>>;
  attackers(scene: Scene): readonly AttackSpec[] | Promise<readonly AttackSpec[]>;
  /** What must go on during the attack; ends when the signal says so. */
  meanwhile?(scene: Scene, signal: AbortSignal): Promise<Finding>;
  /** From before the quiet seconds until everything is over. */
  throughout?(scene: Scene, signal: AbortSignal): Promise<Finding>;
  /** What else is true of it afterwards; `told` by attackers, in their order, `figures` of what else went on. */
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
  /** Sentences about what should have been otherwise. */
  readonly misses?: readonly string[];
}
