import { setTimeout as sleep } from "node:timers/promises";
import type { AgendaBackend, JobParameters } from "agenda";

const repeatAfterMs = 200;

/** Where the clock keeps its entry. */
export interface ClockStore {
  /** For Agenda, which would otherwise connect by itself and end the process when it cannot. */
  readonly backend: AgendaBackend;
  /** Connects and creates what is missing. Safe in several processes at once; may be repeated after a failure. */
  open(): Promise<void>;
  /** Leaves no connection behind. */
  close(): Promise<void>;
}

const lost = new WeakSet<JobParameters>();

/** Another process has its lock by now, which Agenda would release when it saves the end of this run. */
export const saveNothingOf = (run: JobParameters): void => void lost.add(run);

/** A backend whose connection is opened and closed by its store alone. */
export function passiveBackend(
  { name, repository }: Pick<AgendaBackend, "name" | "repository">,
  onError: (error: unknown) => void,
) {
  // Agenda does not repeat what fails: one broken connection would hold the entry until its lock runs out.
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
  // Agenda releases some locks without looking at the outcome, and an unseen rejection ends the process.
  const unlock = repository.unlockJob.bind(repository);
  repository.unlockJob = (job) => unlock(job).catch(onError);
  const nothing = async () => {};
  return { name, repository, ownsConnection: false, connect: nothing, disconnect: nothing };
}
