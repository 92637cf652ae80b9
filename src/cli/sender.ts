import { resolve } from "../bootstrap/provide.ts";
import { tokens } from "../bootstrap/tokens.ts";
import { chatChannels } from "../kernel/channels.ts";
import { phoneDigits } from "../kernel/text.ts";
import { idArgument, runCommand, settingOf } from "./command.ts";
import { withContainer } from "./container.ts";

/** Gives a business something to send from, or what it has another token. The platform's token comes from the environment, and is stored sealed. */
await runCommand(async () => {
  const businessId = idArgument("business");
  const name = process.env.CHANNEL || chatChannels[0];
  const channel = chatChannels.find((known) => known === name);
  if (!channel) throw new Error(`CHANNEL must be one of ${chatChannels.join(", ")}`);
  const platformId = settingOf("PLATFORM_ID", "1065");
  const { id, wasThere } = await withContainer((container) =>
    resolve(container, tokens.giveSender).execute(businessId, {
      channel,
      platformId,
      accountId: process.env.ACCOUNT_ID || platformId,
      phone: phoneDigits(process.env.PHONE ?? "") ?? "0",
      accessToken: settingOf("PLATFORM_TOKEN", "EAAG..."),
    }),
  );
  console.log(`sender ${id}${wasThere ? ": its token is replaced; resume the campaigns that waited for it" : ""}`);
});
