import { cellsMade, makeCell, refusalToChangeTables } from "../infra/postgres/cells/make-cell.ts";
import { pendingMigrations } from "../infra/postgres/migrate.ts";
import { cellSettings } from "./cells.ts";
import { runCommand, settingOf } from "./command.ts";

/** Creates the schema and the tables of a cell that the settings name. If the cell exists, migrates it. */
await runCommand(async () => {
  const name = settingOf("NAME", "c2");
  const [first, ...others] = cellSettings();
  const cell = others.find((other) => other.name === name);
  if (!cell) throw new Error(missing(name));
  const refusal = await refusalToChangeTables(first);
  const made = await cellsMade(first);
  // While a business is moved, the tables of existing cells must not change. A new cell is not part of the move.
  if (refusal && made.includes(name) && (await pendingMigrations(cell)) > 0) throw refusal;
  const beside = others.filter((other) => other !== cell && made.includes(other.name));
  const migrated = await makeCell(cell, first, beside);
  console.log(`cell ${name} exists; ${migrated.length} migrations have run`);
});

function missing(name: string): string {
  return name === "c1"
    ? "c1 is the database of DATABASE_URL: make migrate creates its tables"
    : `the settings have no cell ${name}. Add it for all processes and for this command, for instance as a schema of the same
database: CELLS='{"${name}":{"schema":"${name}"}}', or as a database: CELLS='{"${name}":{"url":"postgres://..."}}'`;
}
