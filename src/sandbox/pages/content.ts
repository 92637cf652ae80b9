import { type ChannelName, photoChannel } from "../../kernel/channels.ts";
import { hourMs } from "../../kernel/instants.ts";
import { type Fields, isObject, isWebAddress } from "../core/input.ts";
import type { SentMessage } from "../core/shared.ts";
import { badParameter, missingParameter } from "../graph/graph.ts";

const limits = { metadata: 1_000, pageText: 2_000, photoTextBytes: 1_000 };

/** For each tag: for how long after the customer's last message a message with this tag is allowed. */
const tagWindowsMs: ReadonlyMap<unknown, number> = new Map([
  ["HUMAN_AGENT", 7 * 24 * hourMs],
  ["ACCOUNT_UPDATE", Number.POSITIVE_INFINITY],
  ["CONFIRMED_EVENT_UPDATE", Number.POSITIVE_INFINITY],
  ["POST_PURCHASE_UPDATE", Number.POSITIVE_INFINITY],
]);

/** Actions that are shown to the customer and send no message. */
const senderActions: readonly unknown[] = ["mark_seen", "typing_on", "typing_off"];

export function recipientOf({ recipient }: Fields): string {
  if (!isObject(recipient)) throw missingParameter("recipient");
  if (typeof recipient.id !== "string" || recipient.id === "" || recipient.id.length > 100) {
    throw badParameter("Param recipient['id'] must be a non-empty string");
  }
  return recipient.id;
}

/** The message to which the new message replies, in the form that all channels share. */
export function contextOf({ reply_to: replyTo }: Fields): object | undefined {
  if (replyTo === undefined) return undefined;
  const mid = isObject(replyTo) ? replyTo.mid : undefined;
  if (typeof mid !== "string" || mid === "") throw badParameter("Param reply_to['mid'] must be a non-empty string");
  return { message_id: mid };
}

/** For how many milliseconds after the customer's last message a message of this kind is allowed. */
export function windowMsOf({ messaging_type: type = "RESPONSE", tag }: Fields): number {
  if (type === "RESPONSE" || type === "UPDATE") return 24 * hourMs;
  if (type !== "MESSAGE_TAG") {
    throw badParameter("Param messaging_type must be one of {RESPONSE, UPDATE, MESSAGE_TAG}");
  }
  const windowMs = tagWindowsMs.get(tag);
  if (windowMs === undefined) throw badParameter("Message tag is missing or invalid");
  return windowMs;
}

/** The action that is shown instead of a message; `undefined` if the call sends a message. */
export function senderActionOf({ sender_action: action, message }: Fields): unknown {
  if (action === undefined) return undefined;
  if (message !== undefined) throw badParameter("Only one of message and sender_action can be given");
  if (senderActions.includes(action)) return action;
  throw badParameter("Param sender_action must be one of {MARK_SEEN, TYPING_ON, TYPING_OFF}");
}

/** The message's text or attachment. Throws `GraphError` for content that the platform would not accept. */
export function contentOf(
  { message }: Fields,
  channel: ChannelName,
): Pick<SentMessage, "type" | "text" | "media" | "reference"> {
  if (!isObject(message)) throw missingParameter("message");
  const { text, attachment, metadata } = message;
  if ((text === undefined) === (attachment === undefined)) {
    throw badParameter("Message must have exactly one of text and attachment");
  }
  const content = attachment === undefined ? textContent(text, channel) : attachmentContent(attachment);
  if (metadata === undefined) return content;
  if (typeof metadata !== "string" || metadata.length > limits.metadata) {
    throw badParameter(`Param message['metadata'] must be a string of at most ${limits.metadata} characters`);
  }
  return { ...content, reference: metadata };
}

function textContent(text: unknown, channel: ChannelName): { type: string; text: string } {
  if (typeof text !== "string" || text === "") throw badParameter("Param message['text'] must be a non-empty string");
  const isTooLong =
    channel === photoChannel ? Buffer.byteLength(text) > limits.photoTextBytes : text.length > limits.pageText;
  if (isTooLong) throw badParameter("Length of param message['text'] is too long");
  return { type: "text", text };
}

const attachmentTypes: readonly unknown[] = ["image", "audio", "video", "file"];

function attachmentContent(attachment: unknown): { type: string; media: { link: string } } {
  const { type, payload } = isObject(attachment) ? attachment : {};
  if (typeof type !== "string" || !attachmentTypes.includes(type)) {
    throw badParameter("Param message['attachment']['type'] must be one of {IMAGE, AUDIO, VIDEO, FILE}");
  }
  const link = isObject(payload) ? payload.url : undefined;
  if (!isWebAddress(link)) {
    throw badParameter("Param message['attachment']['payload']['url'] should represent a valid URL");
  }
  return { type, media: { link } };
}
