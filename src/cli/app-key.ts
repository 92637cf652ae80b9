import { idArgument, runCommand } from "./command.ts";
import { withService } from "./container.ts";

/** Prints a new App Key, and nothing else on standard output. It is not shown again. */
await runCommand(async () => {
  const businessId = idArgument("business");
  const key = await withService("issueAppKey", (keys) =>
    keys.execute(businessId, process.env.LABEL || "made by an operator"),
  );
  console.log(key);
});
