import { textOf } from "../../infra/http-client/json.ts";
import { pageChannel } from "../../kernel/channels.ts";
import type { Channel, ChannelMessage } from "../../messaging/public.ts";
import { type GraphSettings, graphError, graphSend, graphStops } from "../shared/graph.ts";
import { errorClasses } from "../shared/refusals.ts";
import { type AnswerDialect, channelBy, posted, textWithLink } from "../shared/sending.ts";

/**
 * The platform's page messages and photo-app direct messages, which share their wire format.
 *
 * They know no templates, and a message is either a text or an attachment. Two requests could not be made at most
 * once together, so media that comes with a text goes as a link below it; only media without a text is attached.
 */
export const pageMessages = (settings: GraphSettings): Channel => ({
  ...channelBy(settings, dialect, (sender, message) =>
    graphSend(settings.version, sender, {
      recipient: { id: message.to },
      // Within 24 hours of the customer's last message. What may be sent later needs a tag that promises
      // a purpose which nobody here can vouch for, and misuse costs the page its permission.
      messaging_type: "UPDATE",
      message: { ...contentOf(message), ...(sender.channel === pageChannel && { metadata: message.reference }) },
      ...(message.replyTo !== undefined && { reply_to: { mid: message.replyTo } }),
    }),
  ),
  // It knows no receipt of one message: all that the customer wrote is marked.
  markRead: async (sender, { customer }) => {
    const body = { recipient: { id: customer }, sender_action: "mark_seen" };
    await posted(settings, graphSend(settings.version, sender, body));
  },
});

const attachmentTypes = { image: "image", video: "video", audio: "audio", document: "file" } as const;

function contentOf({ text, media }: ChannelMessage): object {
  if (!media) return { text };
  if (text !== "") return { text: textWithLink(text, media.link) };
  return { attachment: { type: attachmentTypes[media.type], payload: { url: media.link } } };
}

const dialect: AnswerDialect = {
  accepted: (body) => ({ id: textOf(body.message_id), recipientId: textOf(body.recipient_id) }),
  error: graphError,
  classes: errorClasses({
    // Rates of the app, the user, the page, the messages, and of both kinds of accounts.
    "wait-sender": [4, 17, 32, 613, 80002, 80006],
    // Passing trouble. It is also how the platform answers for some customers who block the page.
    "wait-recipient": [1, 2, 1200],
    stop: graphStops,
    // Nobody of that id, outside the window in its several forms, not available.
    final: [100, 551, "10/2018065", "10/2018108", "10/2018278", "10/2534022", "200/1545041"],
    // "Received invalid JSON reply": known to come for messages that went out.
    unproven: ["1/1357046"],
  }),
};
