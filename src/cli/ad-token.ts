import { idArgument, runCommand, settingOf } from "./command.ts";
import { withService } from "./container.ts";

/** Stores a business's token for the ad platform, encrypted. Without ACCOUNT_ID, the default account stays. */
await runCommand(async () => {
  const businessId = idArgument("business");
  const token = settingOf("ADS_TOKEN", "EAAG...");
  const accountId = process.env.ACCOUNT_ID || null;
  if (accountId !== null && !/^(act_)?\d+$/.test(accountId)) throw new Error("ACCOUNT_ID must have the form act_1065");
  const defaultAccount = await withService("giveAdAccess", (access) => access.execute(businessId, token, accountId));
  console.log(`business ${businessId} has access to the ad platform; its default account: ${defaultAccount ?? "none"}`);
});
