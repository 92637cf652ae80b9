import { cellsMade, hasBusinesses, refusalToChangeTables } from "../infra/postgres/cells/make-cell.ts";
import { lastBatch, removeAll, removesDirectory, undo } from "../infra/postgres/migrate.ts";
import { cellSettings } from "./cells.ts";
import { runCommand } from "./command.ts";

const instead =
  "Nothing was undone. To go back to the version before this one, start its processes: they work with these tables.";
const refusalToRemove =
  "there are businesses, and the last batch has the first migration, so undoing it would remove all tables. " +
  `${instead} To delete everything, drop the database`;
const refusalToForget = `cells were made, and the last batch has the tables that say where each business is. ${instead}`;

/**
 * Undoes the first cell's last batch of migrations, in all created cells. The batches of other cells are not used,
 * because a cell that was made later may have run all its migrations in one batch.
 */
await runCommand(async () => {
  const [first, ...others] = cellSettings();
  const refusal = await refusalToChangeTables(first);
  if (refusal) throw refusal;
  const batch = await lastBatch(first);
  const made = await cellsMade(first);
  const unknown = made.filter((name) => !others.some((cell) => cell.name === name));
  if (unknown.length > 0) throw new Error(`CELLS does not name ${unknown.join(", ")}, where businesses may be`);
  if (made.length > 0 && removesDirectory(batch)) throw new Error(refusalToForget);
  // The first cell comes last, because `batch` is read from it. If another cell fails, a repeated command still finds
  // the same batch.
  const cells = [...others.filter(({ name }) => made.includes(name)), first];
  if (await removeAll(batch)) {
    for (const cell of cells) if (await hasBusinesses(cell)) throw new Error(`${cell.label}${refusalToRemove}`);
  }
  for (const cell of cells) {
    const names = await undo(cell, batch);
    console.log(`${cell.label}${names.length === 0 ? "there is nothing to undo" : `undone:\n  ${names.join("\n  ")}`}`);
  }
});
