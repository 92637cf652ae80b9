import { textOf } from "../../infra/http-client/json.ts";
import { pageChannel } from "../../kernel/channels.ts";
import type { Channel, ChannelMessage } from "../../messaging/public.ts";
import { type GraphSettings, graphError, graphSend, graphStops } from "../shared/graph.ts";
import { errorClasses } from "../shared/refusals.ts";
import { type AnswerDialect, channelBy, exceededBy, posted, textWithLink } from "../shared/sending.ts";

/**
 * Pages and the photo app share a wire format without templates. A message is either a text or an attachment. A file
 * with a text is sent as a link below the text: if both were sent as separate messages, one of them could fail.
 */
export const pageMessages = (settings: GraphSettings): Channel => ({
  ...channelBy(settings, dialect, (sender, message) =>
    graphSend(settings.version, sender, {
      recipient: { id: message.to },
      // `UPDATE` is valid for 24 hours after the customer's last message. A later message would need a tag for its
      // purpose. This service does not know the purpose, and a wrong tag costs the page its permission.
      messaging_type: "UPDATE",
      message: { ...contentOf(message), ...(sender.channel === pageChannel && { metadata: message.reference }) },
      ...(message.replyTo !== undefined && { reply_to: { mid: message.replyTo } }),
    }),
  ),
  // Marks all messages of the customer as read: the platform cannot mark a single one.
  markRead: async (sender, { customer }) => {
    const body = { recipient: { id: customer }, sender_action: "mark_seen" };
    await posted(settings, graphSend(settings.version, sender, body));
  },
  exceeded: (content, channel) => exceededBy(textIn(content), channel),
});

/** The text of a message; empty for a file alone. */
const textIn = ({ text, media }: Pick<ChannelMessage, "text" | "media">): string =>
  media && text !== "" ? textWithLink(text, media.link) : text;

const attachmentTypes = { image: "image", video: "video", audio: "audio", document: "file" } as const;

function contentOf(message: ChannelMessage): object {
  const { text, media } = message;
  if (!media || text !== "") return { text: textIn(message) };
  return { attachment: { type: attachmentTypes[media.type], payload: { url: media.link } } };
}

const dialect: AnswerDialect = {
  accepted: (body) => ({ id: textOf(body.message_id), recipientId: textOf(body.recipient_id) }),
  error: graphError,
  classes: errorClasses({
    // Rate limits of the app, the user, the page, the messages and both kinds of accounts.
    "wait-sender": [4, 17, 32, 613, 80002, 80006],
    // Temporary errors. Customers who have blocked the page may cause them, too, so only this recipient waits.
    "wait-recipient": [1, 2, 1200],
    stop: graphStops,
    // An unknown id, a closed window, or a recipient who cannot be reached.
    final: [100, 551, "10/2018065", "10/2018108", "10/2018278", "10/2534022", "200/1545041"],
    // "Received invalid JSON reply": the platform also gives this error for messages that it did send.
    unproven: ["1/1357046"],
  }),
};
