import { isOwnTrouble } from "../infra/postgres/own-trouble.ts";

/**
 * For work over all businesses that goes on from what it finds, which is done for each cell by itself: what one cell does
 * not take holds up no other. Rejects with what failed, unless that is a cell that is away while another answers.
 */
export async function sideBySide<Worker>(
  workers: readonly Worker[],
  work: (worker: Worker) => Promise<void>,
): Promise<void> {
  const outcomes = await Promise.allSettled(workers.map(work));
  const failed = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  const told = failed.find((error) => !isOwnTrouble(error)) ?? (failed.length === workers.length && failed[0]);
  if (told) throw told;
}
