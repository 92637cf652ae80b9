import { cellsMade, refusalToChangeTables } from "../infra/postgres/cells/make-cell.ts";
import { migrate, pendingMigrations } from "../infra/postgres/migrate.ts";
import { cellSettings } from "./cells.ts";
import { runCommand } from "./command.ts";

/** Migrates all created cells. If a cell after the first one does not answer, the other cells are still migrated. */
await runCommand(async () => {
  const failed: unknown[] = [];
  const [first, ...others] = cellSettings();
  for (const cell of [first, ...others]) {
    const { name, label } = cell;
    try {
      if (name !== first.name && !(await cellsMade(first)).includes(name)) {
        console.log(`${label}not made yet: make cell NAME=${name}`);
        continue;
      }
      const refusal = others.length === 0 ? undefined : await refusalToChangeTables(first);
      if (refusal && (await pendingMigrations(cell)) > 0) throw refusal;
      const names = await migrate(cell);
      console.log(`${label}${names.length === 0 ? "the schema is up to date" : `migrated:\n  ${names.join("\n  ")}`}`);
    } catch (error) {
      console.error(`${label}${error instanceof Error ? error.message : error}`);
      failed.push(error);
    }
  }
  if (failed.length > 0) throw new Error(`${failed.length} of the databases could not be migrated`);
});
