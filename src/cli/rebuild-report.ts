import { idArgument, runCommand } from "./command.ts";
import { withService } from "./container.ts";

/** Counts the figures of a business's reports again, from the business's records. Meanwhile, reports stay correct. */
await runCommand(async () => {
  const businessId = idArgument("business");
  const found = await withService("foldReports", (folds) => folds.rebuild(businessId));
  if (!found) throw new Error(`there is no business ${businessId}`);
  console.log(`the figures of business ${businessId} are counted again`);
});
