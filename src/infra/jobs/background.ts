import type { Log } from "../../kernel/log.ts";

/** The order of stopping: take nothing new, finish running work, close resources. Starting uses the reverse order. */
const stages = ["intake", "work", "means"] as const;

type Stage = (typeof stages)[number];

interface StartAndStop {
  /** If it fails, the process does not start. */
  start?(): Promise<void> | void;
  stop?(): Promise<void> | void;
}

/** A part of the process that is started and stopped. Parts of one stage must not depend on each other. */
export interface Background extends StartAndStop {
  /** The name in the log. */
  readonly name: string;
  readonly stage: Stage;
}

export const background = (name: string, stage: Stage, does: StartAndStop): Background => ({ name, stage, ...does });

export async function startAll(all: readonly Background[]): Promise<void> {
  for (const stage of stages.toReversed()) {
    await Promise.all(all.filter((one) => one.stage === stage).map((one) => one.start?.()));
  }
}

/** Logs the error of a part that fails to stop, and still stops the others. */
export async function stopAll(all: readonly Background[], log: Log): Promise<void> {
  for (const stage of stages) {
    const stopping = all.filter((one) => one.stage === stage);
    await Promise.all(
      stopping.map(async (one) => {
        try {
          await one.stop?.();
        } catch (error) {
          log.error({ err: error, part: one.name }, "a part of the process failed to stop");
        }
      }),
    );
  }
}
