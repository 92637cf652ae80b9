import { smsChannel } from "../../kernel/channels.ts";
import type { ChannelKind } from "../channel.ts";
import { smsProvider } from "./send.ts";

/** Text messages to phones, through one provider for all businesses. */
export const sms: ChannelKind<typeof smsChannel> = { name: smsChannel, isOfPlatform: false, connect: smsProvider };
