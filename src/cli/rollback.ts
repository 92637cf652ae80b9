import { rollback } from "../infra/postgres/migrate.ts";
import { cellSettings } from "./cells.ts";
import { runCommand } from "./command.ts";

await runCommand(async () => {
  for (const { name, directUrl, schema, isAlone } of cellSettings()) {
    const names = await rollback({ url: directUrl, schema });
    const label = isAlone ? "" : `${name}: `;
    console.log(`${label}${names.length === 0 ? "there is nothing to undo" : `undone:\n  ${names.join("\n  ")}`}`);
  }
});
