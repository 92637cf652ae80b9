import { idArgument, runCommand, settingOf } from "./command.ts";
import { withService } from "./container.ts";

/** Revokes the App Key in KEY, or all keys of BUSINESS with LABEL. All processes refuse revoked keys. */
await runCommand(async () => {
  const revoked = await withService("revokeAppKeys", async (keys) => {
    const { KEY: key } = process.env;
    if (key) {
      const businessId = await keys.one(key);
      return businessId === null ? [] : [`a key of business ${businessId}`];
    }
    const businessId = idArgument("business", settingOf("BUSINESS", "1"));
    const count = await keys.labelled(businessId, settingOf("LABEL", "crm"));
    return count === 0 ? [] : [`${count} keys of business ${businessId}`];
  });
  if (revoked.length === 0) throw new Error("there is no such key, or it is already revoked");
  console.log(`revoked ${revoked}`);
});
