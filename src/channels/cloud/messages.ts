import {
  type EchoedMessage,
  fileKinds,
  type IncomingFile,
  type IncomingMessage,
  type IncomingReaction,
  type MessageEdit,
  type Withdrawal,
} from "../../inbox/public.ts";
import { beginning } from "../../kernel/text.ts";
import {
  digits,
  id,
  type JsonObject,
  list,
  longestEmoji,
  longestFileName,
  object,
  omit,
  text,
  timeOfSeconds,
} from "../shared/json-fields.ts";
import { orderOf } from "./catalog.ts";

/** Reads a message from a customer; unknown kinds are kept with their details. */
export function readMessage(
  message: JsonObject,
  sender: string,
  names: ReadonlyMap<string, string>,
): IncomingMessage[] {
  const from = digits(message.from);
  const read = readCommon(message, sender);
  if (from === undefined || read === undefined) return [];
  const name = names.get(from);
  const referral = object(message.referral);
  const adId = id(referral.source_id);
  return [
    {
      ...read,
      from,
      ...(name === undefined ? {} : { name }),
      ...orderOf(read.kind, contentOf(message)),
      ...(adId !== undefined && referral.source_type === "ad" ? { referral: { adId, details: referral } } : {}),
    },
  ];
}

/** A message that the business wrote in the business app, which may use the same number as this service. */
export function readEcho(message: JsonObject, sender: string): EchoedMessage[] {
  const to = digits(message.to);
  const read = readCommon(message, sender);
  if (to === undefined || read === undefined || aboutAnother.includes(read.kind)) return [];
  return [{ ...read, to }];
}

export function readReaction(
  message: JsonObject,
  sender: string,
  names: ReadonlyMap<string, string>,
): IncomingReaction[] {
  const from = digits(message.from);
  const reaction = object(message.reaction);
  const messageId = id(reaction.message_id);
  if (from === undefined || messageId === undefined) return [];
  const name = names.get(from);
  const emoji = beginning(text(reaction.emoji), longestEmoji);
  const occurredAt = timeOfSeconds(message.timestamp);
  return [{ sender, from, ...(name === undefined ? {} : { name }), messageId, emoji, occurredAt }];
}

export function readWithdrawal(message: JsonObject, sender: string): Withdrawal[] {
  const from = digits(message.from);
  const messageId = id(object(message.revoke).original_message_id);
  return from === undefined || messageId === undefined ? [] : [{ sender, from, messageId }];
}

/** The author is a customer, or the business in the business app. */
export function readEdit(message: JsonObject, sender: string, author: MessageEdit["author"]): MessageEdit[] {
  const customer = digits(author === "customer" ? message.from : message.to);
  const { original_message_id, message: edited } = object(message.edit);
  const messageId = id(original_message_id);
  const kind = id(object(edited).type);
  if (customer === undefined || messageId === undefined || kind === undefined) return [];
  const body = bodyOf(kind, contentOf(object(edited)));
  return [{ sender, customer, author, messageId, body, occurredAt: timeOfSeconds(message.timestamp) }];
}

/** Kinds that change another message and are no messages themselves. */
const aboutAnother: readonly string[] = ["reaction", "revoke", "edit"];

/** The fields that incoming and outgoing messages share. */
function readCommon(message: JsonObject, sender: string): Omit<EchoedMessage, "to"> | undefined {
  const platformMessageId = id(message.id);
  const type = id(message.type);
  if (platformMessageId === undefined || type === undefined) return undefined;
  const content = contentOf(message);
  // Earlier versions of the platform call a voice message `voice`.
  const kind = type === "voice" ? "audio" : type;
  const details = omit(message, ["id", "from", "to", "timestamp", "type", "referral", "text"]);
  const replyTo = id(object(message.context).id);
  return {
    sender,
    platformMessageId,
    kind,
    body: bodyOf(kind, content),
    ...(Object.keys(details).length > 0 ? { details } : {}),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...fileOf(kind, content),
    occurredAt: timeOfSeconds(message.timestamp),
  };
}

/** The content is in a field with the name of the message's type. */
function contentOf(message: JsonObject): JsonObject {
  const type = text(message.type);
  return Object.hasOwn(message, type) ? object(message[type]) : {};
}

function fileOf(kind: string, { id: given, filename }: JsonObject): { file?: IncomingFile } {
  const fileKind = fileKinds.find((known) => known === kind);
  const fileId = id(given);
  if (fileKind === undefined || fileId === undefined) return {};
  const name = beginning(text(filename), longestFileName);
  const place = { at: "id", id: fileId } as const;
  return { file: { kind: fileKind, ...(name !== "" && { name }), place } };
}

function bodyOf(kind: string, content: JsonObject): string {
  switch (kind) {
    case "text":
    case "system":
      return text(content.body);
    case "button":
      return text(content.text);
    case "interactive":
      return (
        text(object(content.button_reply).title) ||
        text(object(content.list_reply).title) ||
        text(object(content.nfm_reply).body)
      );
    case "contacts":
      return text(object(list(content)[0]?.name).formatted_name);
    case "location":
      return text(content.name) || text(content.address);
    case "order":
      return text(content.text);
    default:
      return text(content.caption) || text(content.filename);
  }
}
