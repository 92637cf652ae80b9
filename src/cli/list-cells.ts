import { type CellReport, cellsMade, movesUnderWay, reportOn } from "../infra/postgres/cells/make-cell.ts";
import { cellSettings } from "./cells.ts";
import { runCommand } from "./command.ts";

await runCommand(async () => {
  const [first, ...others] = cellSettings();
  const made = await cellsMade(first).catch(() => null);
  for (const cell of [first, ...others]) {
    const { name } = cell;
    const isMade = name === first.name || made === null || made.includes(name);
    const line = isMade ? await reportOn(cell).then(lineOf, errorLineOf) : `not made yet: make cell NAME=${name}`;
    console.log(`${name.padEnd(12)} ${line}`);
  }
  for (const move of await movesUnderWay(first).catch(() => [])) {
    const { businessId, from, to, step, rows } = move;
    console.log(`business ${businessId} moves from ${from} to ${to}: ${step.replace("_", " ")}, ${rows} rows copied`);
  }
});

function lineOf({ businesses, bytes, pending }: CellReport): string {
  const state = pending === 0 ? "migrated" : `${pending} migrations have not run`;
  return `${businesses} businesses, ${(bytes / 1e6).toFixed(1)} MB, ${state}`;
}

function errorLineOf(error: unknown): string {
  return `does not answer: ${error instanceof Error ? error.message : error}`;
}
