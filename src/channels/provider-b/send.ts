import { textOf } from "../../infra/http-client/json.ts";
import { providerBChannel } from "../../kernel/channels.ts";
import type { Channel, ChannelMessage } from "../../messaging/public.ts";
import type { SendingSettings } from "../channel.ts";
import { errorClasses } from "../shared/refusals.ts";
import { type AnswerDialect, type ChannelSettings, captioned, channelBy, exceededBy } from "../shared/sending.ts";
import { accountPath, addressOf, credentialsOf, optedOutCodes } from "./account.ts";
import { callbackOf } from "./callback.ts";

/** Sends a template by its ProviderB id if it has one. Everything else is sent as text and media. */
export const providerBMessages = (settings: ChannelSettings & Pick<SendingSettings, "address">): Channel => ({
  ...channelBy(settings, dialect, (sender, message) => {
    const addresses = { To: addressOf(message.to), From: addressOf(sender.phone) };
    const callback = callbackOf(settings, message.reference);
    const form = { ...addresses, ...contentOf(message), ...(callback !== null && { StatusCallback: callback }) };
    return {
      path: `${accountPath(sender)}/Messages.json`,
      headers: { ...credentialsOf(sender), "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    };
  }),
  exceeded: ({ template, ...content }) =>
    template?.providerBId ? null : exceededBy(captioned(content).text, providerBChannel),
});

function contentOf({ template, ...content }: ChannelMessage): Record<string, string> {
  if (template?.providerBId) {
    // ProviderB numbers the variables of a template. Other channels may use names for variables.
    const variables = Object.fromEntries(template.parameters.map((parameter, index) => [`${index + 1}`, parameter]));
    return {
      ContentSid: template.providerBId,
      ...(template.parameters.length > 0 && { ContentVariables: JSON.stringify(variables) }),
    };
  }
  const { text, media } = captioned(content);
  return { ...(text !== "" && { Body: text }), ...(media && { MediaUrl: media.link }) };
}

const dialect: AnswerDialect = {
  accepted: (body) => ({ id: textOf(body.sid) }),
  error({ code, message, status }) {
    // The provider's codes have five digits. A `code` of three digits may come from a gateway in between.
    const isOwn = typeof code === "number" && Number.isInteger(code) && code >= 10_000 && typeof status === "number";
    return isOwn ? { code, message: textOf(message) ?? "" } : undefined;
  },
  classes: errorClasses({
    // Request rate, message rate, full queue, channel rate, channel out of service.
    "wait-sender": [20429, 14107, 21611, 30001, 63018, 63012],
    stop: [
      // Credentials, account, permission, daily limit.
      ...[20003, 20004, 20005, 20006, 20008, 20403, 20404, 30002, 63020, 63038],
      // The sender's number.
      ...[21212, 21603, 21606, 21660, 63007],
      // Template: unknown, not in this language, parameters, rejected.
      ...[21654, 21655, 63027, 63028, 63030, 63040],
      // The URL for delivery statuses.
      21609,
    ],
    // The template is paused or disabled.
    "stop-template": [63041, 63042],
    // This message's number, region, text, media or values; closed window; unknown recipient.
    final: [
      ...[21211, 21408, 21604, 21612, 21614, 21617, 21619, 21620, 21656],
      ...[63003, 63013, 63015, 63016, 63019, 63021, 63024, 63032],
    ],
    "opted-out": optedOutCodes,
    later: [63049],
  }),
};
