import { fields, first, textOf } from "../../infra/http-client/json.ts";
import { cloudChannel } from "../../kernel/channels.ts";
import type { Channel, ChannelMessage } from "../../messaging/public.ts";
import { type GraphSettings, graphError, graphSend, graphStops } from "../shared/graph.ts";
import { errorClasses, platformRates, platformTrouble } from "../shared/refusals.ts";
import {
  type AnswerDialect,
  captioned,
  channelBy,
  documentName,
  exceededBy,
  posted,
  textWithLink,
} from "../shared/sending.ts";

export const cloudMessages = (settings: GraphSettings): Channel => ({
  ...channelBy(settings, cloudAnswers, (sender, message) =>
    graphSend(settings.version, sender, { ...addressOf(message), ...contentOf(message) }),
  ),
  markRead: async (sender, { platformMessageId }) => {
    const body = { messaging_product: "whatsapp", status: "read", message_id: platformMessageId };
    await posted(settings, graphSend(settings.version, sender, body));
  },
  exceeded: ({ template, ...content }) => (template ? null : exceededBy(textAndFile(content).text, cloudChannel)),
});

const addressOf = ({ to, reference, replyTo }: ChannelMessage): object => ({
  messaging_product: "whatsapp",
  recipient_type: "individual",
  to,
  biz_opaque_callback_data: reference,
  ...(replyTo !== undefined && { context: { message_id: replyTo } }),
});

/** In characters. A longer text is sent as a text message with a link to the file. */
const longestCaption = 1_024;

/** The text and the file of one message. If the text cannot be a caption, the file becomes a link in the text. */
function textAndFile(content: Pick<ChannelMessage, "text" | "media">): Pick<ChannelMessage, "text" | "media"> {
  const { text, media } = captioned(content);
  return media && text.length > longestCaption
    ? { text: textWithLink(text, media.link) }
    : { text, ...(media && { media }) };
}

function contentOf({ template, ...content }: ChannelMessage): object {
  if (template) return templateContent(template, content.media);
  const { text, media } = textAndFile(content);
  if (media) {
    const source = {
      link: media.link,
      ...(text !== "" && { caption: text }),
      ...(media.type === "document" && { filename: documentName(media) }),
    };
    return { type: media.type, [media.type]: source };
  }
  return { type: "text", text: { body: text, preview_url: true } };
}

function templateContent(
  { name, language, parameters, parameterNames = [], copiesCode = false }: NonNullable<ChannelMessage["template"]>,
  media: ChannelMessage["media"],
): object {
  const components: object[] = [];
  if (media) {
    const { type, link, name } = media;
    const file = { link, ...(type === "document" && name !== undefined && { filename: name }) };
    components.push({ type: "header", parameters: [{ type, [type]: file }] });
  }
  if (parameters.length > 0) {
    const named = (index: number) =>
      parameterNames[index] === undefined ? {} : { parameter_name: parameterNames[index] };
    components.push({ type: "body", parameters: parameters.map((text, n) => ({ type: "text", ...named(n), text })) });
  }
  const [code] = parameters;
  if (copiesCode && code !== undefined) {
    // The platform expects `url` for every button that copies a code.
    components.push({ type: "button", sub_type: "url", index: "0", parameters: [{ type: "text", text: code }] });
  }
  return {
    type: "template",
    template: { name, language: { code: language }, ...(components.length > 0 && { components }) },
  };
}

export const cloudAnswers: AnswerDialect = {
  accepted: (body) => ({
    id: textOf(fields(first(body.messages)).id),
    recipientId: textOf(fields(first(body.contacts)).wa_id),
  }),
  error: graphError,
  classes: errorClasses({
    "wait-sender": [...platformRates, ...platformTrouble],
    "wait-recipient": [131056],
    stop: [
      // Problems of the template: parameters, name or language, policy, format, missing part.
      ...[132000, 132001, 132007, 132012, 131008],
      // Problems of the account: payment, lock, spam limit, display name, unregistered or deleted number, access.
      ...[131042, 131031, 131048, 131037, 131045, 133010, 131005],
      ...graphStops,
    ],
    // The template is paused or disabled.
    "stop-template": [132015, 132016],
    // 132005 means that the text is too long with this recipient's parameters. Those of other recipients may be
    // shorter, so only this message fails.
    final: [131026, 131030, 131047, 130472, 131053, 100, 131021, 131051, 132005],
    "opted-out": [131050],
    later: [131049],
  }),
};
