import { resolve } from "../bootstrap/provide.ts";
import { tokens } from "../bootstrap/tokens.ts";
import { idArgument, runCommand } from "./command.ts";
import { withContainer } from "./container.ts";

/** Prints a new App Key, and nothing else on standard output. It is not shown again. */
await runCommand(async () => {
  const businessId = idArgument("business");
  const key = await withContainer((container) =>
    resolve(container, tokens.issueAppKey).execute(businessId, process.env.LABEL || "made by an operator"),
  );
  console.log(key);
});
