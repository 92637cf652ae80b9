import { textOf } from "../../infra/http-client/json.ts";
import { smsChannel } from "../../kernel/channels.ts";
import type { Channel } from "../../messaging/public.ts";
import type { ChannelKind } from "../channel.ts";
import { errorClasses } from "../shared/refusals.ts";
import { type AnswerDialect, type ChannelSettings, channelBy, textWithLink } from "../shared/sending.ts";

/**
 * `POST <base>/messages` with `{ "to": "59170000001", "text", "reference" }`. A 2xx with `{ "id" }` accepts the
 * message, a 4xx with `{ "code": <number>, "message" }` refuses it; any other answer proves nothing. User and
 * password in the base URL become basic authentication.
 */
export const smsProvider = (settings: ChannelSettings): Channel =>
  channelBy(settings, dialect, (_sender, { to, text, media, reference }) => ({
    path: "/messages",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ to, text: media ? textWithLink(text, media.link) : text, reference }),
  }));

const dialect: AnswerDialect = {
  accepted: ({ id }) => ({ id: textOf(id) }),
  error({ code, message }) {
    const isOwn =
      typeof code === "number" && Number.isInteger(code) && Math.abs(code) < 2 ** 31 && typeof message === "string";
    return isOwn ? { code, message } : undefined;
  },
  // The meaning of the provider's codes is unknown, so only the HTTP status decides the class.
  classes: errorClasses({}),
};

/** Text messages to phones, through one provider for all businesses. */
export const sms: ChannelKind<typeof smsChannel> = { name: smsChannel, isOfPlatform: false, connect: smsProvider };
