import { isDatabaseFailure } from "../database-failure.ts";

/**
 * Runs `work` for all cells at the same time. Ignores the errors of cells that are down, and resolves with the results
 * of the other cells. Rejects if all cells are down, or if `work` fails for another reason.
 *
 * @param onIgnored - called with each error that is ignored
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
