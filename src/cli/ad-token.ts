import { resolve } from "../bootstrap/provide.ts";
import { tokens } from "../bootstrap/tokens.ts";
import { idArgument, runCommand, settingOf } from "./command.ts";
import { withContainer } from "./container.ts";

/**
 * Gives a business access to the ad platform. The token comes from the environment, and is stored sealed. The default
 * account stays as it is where none is given.
 */
await runCommand(async () => {
  const businessId = idArgument("business");
  const token = settingOf("ADS_TOKEN", "EAAG...");
  const accountId = process.env.ACCOUNT_ID || null;
  if (accountId !== null && !/^(act_)?\d+$/.test(accountId)) throw new Error("ACCOUNT_ID is such as act_1065");
  const holds = await withContainer((container) =>
    resolve(container, tokens.giveAdAccess).execute(businessId, token, accountId),
  );
  console.log(`business ${businessId} has its access to the ad platform; its default account: ${holds ?? "none"}`);
});
