import { refusalToChangeTables } from "../infra/postgres/cells/make-cell.ts";
import { rollback } from "../infra/postgres/migrate.ts";
import { cellSettings } from "./cells.ts";
import { runCommand } from "./command.ts";

await runCommand(async () => {
  const cells = cellSettings();
  const refusal = cells.length > 1 && (await refusalToChangeTables({ url: cells[0].directUrl }));
  if (refusal) throw refusal;
  for (const { name, directUrl, schema, isAlone } of cells) {
    const names = await rollback({ url: directUrl, schema });
    const label = isAlone ? "" : `${name}: `;
    console.log(`${label}${names.length === 0 ? "there is nothing to undo" : `undone:\n  ${names.join("\n  ")}`}`);
  }
});
