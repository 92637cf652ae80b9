import { isDatabaseFailure } from "../database-failure.ts";

/**
 * Runs work for each cell, so that the failure of one does not stop the others. Rejects with the first error, unless
 * only some cells were down: then it resolves with the results of the others.
 *
 * @param onIgnored - called with the error of each cell that was down while others answered
 */
export async function sideBySide<Worker, Result>(
  workers: readonly Worker[],
  work: (worker: Worker) => Promise<Result>,
  onIgnored: (error: unknown, worker: Worker) => void = () => {},
): Promise<Result[]> {
  const outcomes = await Promise.allSettled(workers.map(work));
  const failed = outcomes.flatMap((outcome, at) =>
    outcome.status === "rejected" ? [{ error: outcome.reason as unknown, worker: workers[at] as Worker }] : [],
  );
  const fatal =
    failed.find(({ error }) => !isDatabaseFailure(error)) ?? (failed.length === workers.length && failed[0]);
  if (fatal) throw fatal.error;
  for (const { error, worker } of failed) onIgnored(error, worker);
  return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
}
