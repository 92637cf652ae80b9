import type { WrongPeriod } from "../../domain/failures.ts";

/** What is wrong with a period, by the names that the endpoint gives its bounds. */
export function wordsOfPeriod({ bound, reason }: Pick<WrongPeriod, "bound" | "reason">, from: string, to: string) {
  if (reason === "reversed") return `${from} no puede ser posterior a ${to}`;
  return `${bound === "to" ? to : from} debe ser una fecha ISO 8601`;
}
