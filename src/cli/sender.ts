import { resolve } from "../bootstrap/provide.ts";
import { tokens } from "../bootstrap/tokens.ts";
import { chatChannels, isNumbered } from "../kernel/channels.ts";
import { phoneDigits } from "../kernel/text.ts";
import type { ClaimedSender } from "../messaging/public.ts";
import { idArgument, runCommand, settingOf } from "./command.ts";
import { withService } from "./container.ts";

const settings: Readonly<Record<keyof ClaimedSender, string>> = {
  channel: "CHANNEL",
  platformId: "PLATFORM_ID",
  accountId: "ACCOUNT_ID",
  phone: "PHONE",
  accessToken: "PLATFORM_TOKEN",
};

/** Stores a sender that its platform confirms. The token comes from the environment and is stored encrypted. */
await runCommand(async () => {
  const businessId = idArgument("business");
  const name = process.env.CHANNEL || chatChannels[0];
  const channel = chatChannels.find((known) => known === name);
  if (!channel) throw new Error(`CHANNEL must be one of ${chatChannels.join(", ")}`);
  const platformId = settingOf("PLATFORM_ID", "1065");
  // Pages and photo accounts have no phone number, so their platform id takes its place.
  const phone = phoneDigits(process.env.PHONE || (isNumbered(channel) ? "" : platformId));
  if (phone === null) throw new Error("PHONE is missing or has no digits; for instance PHONE='59122000001'");
  const sender: ClaimedSender = {
    channel,
    platformId,
    accountId: process.env.ACCOUNT_ID || platformId,
    phone,
    accessToken: settingOf("PLATFORM_TOKEN", "EAAG..."),
  };
  const { id, wasThere } = await withService("senderPlatforms", async (platforms, container) => {
    const seen = await platforms.look(sender);
    // No other request follows, so the client and its connections are closed.
    await resolve(container, tokens.httpClient).close();
    if (seen === "away") throw new Error("the platform does not answer, and nothing is stored; is its address set?");
    if (seen !== "confirmed")
      throw new Error(`the platform does not confirm ${settings[seen.unconfirmed]}: nothing is stored`);
    return resolve(container, tokens.giveSender).execute(businessId, sender);
  });
  console.log(`sender ${id}${wasThere ? ": its token is replaced; resume the campaigns that waited for it" : ""}`);
});
