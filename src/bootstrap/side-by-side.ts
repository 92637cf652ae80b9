import { isDatabaseFailure } from "../infra/postgres/database-failure.ts";

/**
 * Runs work for each cell, so that the failure of one does not stop the others. Rejects with the first error, unless only
 * some cells were down: then it resolves with the results of the others.
 */
export async function sideBySide<Worker, Result>(
  workers: readonly Worker[],
  work: (worker: Worker) => Promise<Result>,
): Promise<Result[]> {
  const outcomes = await Promise.allSettled(workers.map(work));
  const failed = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  const told = failed.find((error) => !isDatabaseFailure(error)) ?? (failed.length === workers.length && failed[0]);
  if (told) throw told;
  return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
}
