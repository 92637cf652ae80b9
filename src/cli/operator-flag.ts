import { operatorFlags } from "../administration/public.ts";
import { idArgument, runCommand, settingOf } from "./command.ts";
import { withService } from "./container.ts";

/** Sets a flag that only operators may set, for one business. VALUE is JSON; `null` removes the flag. */
await runCommand(async () => {
  const businessId = idArgument("business");
  const named = settingOf("FLAG", "media_quota_bytes");
  const flag = operatorFlags.find((known) => known === named);
  if (!flag) {
    throw new Error(
      `FLAG must be one of ${operatorFlags.join(", ")}; the business itself sets others: PUT /admin/flags`,
    );
  }
  const value = jsonIn(settingOf("VALUE", "10000000000"));
  await withService("setOperatorFlag", (flags) => flags.execute(businessId, flag, value));
  console.log(`business ${businessId}: ${flag} ${value === null ? "is removed" : `is ${JSON.stringify(value)}`}`);
});

function jsonIn(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    throw new Error("VALUE must be JSON: 10000000000, [1,2] or null");
  }
}
