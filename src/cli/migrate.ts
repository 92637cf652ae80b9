import { cellsMade, refusalToChangeTables } from "../infra/postgres/cells/make-cell.ts";
import { migrate, pendingMigrations } from "../infra/postgres/migrate.ts";
import { cellSettings } from "./cells.ts";
import { runCommand } from "./command.ts";

/** Migrates all created cells. If one of them other than the first does not answer, the others are still migrated. */
await runCommand(async () => {
  const failed: unknown[] = [];
  const [first, ...others] = cellSettings();
  for (const { name, directUrl, schema, isAlone } of [first, ...others]) {
    const label = isAlone ? "" : `${name}: `;
    try {
      if (name !== first.name && !(await cellsMade({ url: first.directUrl })).includes(name)) {
        console.log(`${label}not made yet: make cell NAME=${name}`);
        continue;
      }
      const place = { url: directUrl, schema };
      const refusal = isAlone ? undefined : await refusalToChangeTables({ url: first.directUrl });
      if (refusal && (await pendingMigrations(place)) > 0) throw refusal;
      const names = await migrate(place);
      console.log(`${label}${names.length === 0 ? "the schema is up to date" : `migrated:\n  ${names.join("\n  ")}`}`);
    } catch (error) {
      console.error(`${label}${error instanceof Error ? error.message : error}`);
      failed.push(error);
    }
  }
  if (failed.length > 0) throw new Error(`${failed.length} of the databases could not be migrated`);
});
