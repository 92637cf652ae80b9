import { rollback } from "../infra/postgres/migrate.ts";
import { directDatabaseUrl, runCommand } from "./command.ts";

await runCommand(async () => {
  const names = await rollback(directDatabaseUrl());
  console.log(names.length === 0 ? "there is nothing to undo" : `undone:\n  ${names.join("\n  ")}`);
});
