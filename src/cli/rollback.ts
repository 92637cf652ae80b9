import { requireNoMoves } from "../infra/postgres/cells/make-cell.ts";
import { rollback } from "../infra/postgres/migrate.ts";
import { cellSettings } from "./cells.ts";
import { runCommand } from "./command.ts";

await runCommand(async () => {
  const cells = cellSettings();
  if (cells.length > 1) await requireNoMoves({ url: cells[0].directUrl });
  for (const { name, directUrl, schema, isAlone } of cells) {
    const names = await rollback({ url: directUrl, schema });
    const label = isAlone ? "" : `${name}: `;
    console.log(`${label}${names.length === 0 ? "there is nothing to undo" : `undone:\n  ${names.join("\n  ")}`}`);
  }
});
