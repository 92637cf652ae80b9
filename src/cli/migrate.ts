import { migrate } from "../infra/postgres/migrate.ts";
import { directDatabaseUrl, runCommand } from "./command.ts";

await runCommand(async () => {
  const names = await migrate(directDatabaseUrl());
  console.log(names.length === 0 ? "the schema is up to date" : `migrated:\n  ${names.join("\n  ")}`);
});
