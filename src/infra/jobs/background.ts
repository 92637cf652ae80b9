import type { Log } from "../../kernel/log.ts";

/**
 * The order in which a process stops: it takes nothing new, finishes what is under way, closes what that used. It
 * starts the other way round.
 */
const stages = ["intake", "work", "means"] as const;

type Stage = (typeof stages)[number];

interface StartAndStop {
  /** A failure keeps the process from starting. */
  start?(): Promise<void> | void;
  stop?(): Promise<void> | void;
}

/** Something that a process starts and stops. Within its stage it depends on nothing else. */
export interface Background extends StartAndStop {
  /** For the log. */
  readonly name: string;
  readonly stage: Stage;
}

export const background = (name: string, stage: Stage, does: StartAndStop): Background => ({ name, stage, ...does });

export async function startAll(all: readonly Background[]): Promise<void> {
  for (const stage of stages.toReversed()) {
    await Promise.all(all.filter((one) => one.stage === stage).map((one) => one.start?.()));
  }
}

/** What fails is logged, and holds up nothing else. */
export async function stopAll(all: readonly Background[], log: Log): Promise<void> {
  for (const stage of stages) {
    const stopping = all.filter((one) => one.stage === stage);
    await Promise.all(
      stopping.map(async (one) => {
        try {
          await one.stop?.();
        } catch (error) {
          log.error({ err: error, part: one.name }, "a part of the process did not stop as it should");
        }
      }),
    );
  }
}
