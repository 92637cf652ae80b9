import { migrate } from "../infra/postgres/migrate.ts";
import { databaseUrl, runCommand } from "./command.ts";

await runCommand(async () => {
  const names = await migrate(databaseUrl());
  console.log(names.length === 0 ? "the schema is up to date" : `migrated:\n  ${names.join("\n  ")}`);
});
