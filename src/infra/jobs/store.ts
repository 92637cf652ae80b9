import { setTimeout as sleep } from "node:timers/promises";
import type { AgendaBackend, JobParameters } from "agenda";

const repeatAfterMs = 200;

export interface ClockStore {
  /** Does not connect, because `open` does. If Agenda itself failed to connect, it would end the process. */
  readonly backend: AgendaBackend;
  /** Connects, and creates missing tables or collections. Several processes may call it at once, and repeatedly. */
  open(): Promise<void>;
  close(): Promise<void>;
}

const lost = new WeakSet<JobParameters>();

/** For a run that has lost its lock to another process: saving the run's end would release that process's lock. */
export const saveNothingOf = (run: JobParameters): void => void lost.add(run);

/** A backend that neither connects nor disconnects: its `ClockStore` does both. */
export function passiveBackend(
  { name, repository }: Pick<AgendaBackend, "name" | "repository">,
  onError: (error: unknown) => void,
) {
  // Agenda tries to save once. Without a second attempt, a failure would leave the entry locked until the lock expires.
  const save = repository.saveJobState.bind(repository);
  repository.saveJobState = async (job, options) => {
    if (lost.has(job)) return;
    try {
      await save(job, options);
    } catch (error) {
      onError(error);
      await sleep(repeatAfterMs);
      await save(job, options);
    }
  };
  // Agenda ignores some promises of `unlockJob`, and an unhandled rejection would end the process.
  const unlock = repository.unlockJob.bind(repository);
  repository.unlockJob = (job) => unlock(job).catch(onError);
  const nothing = async () => {};
  return { name, repository, ownsConnection: false, connect: nothing, disconnect: nothing };
}
