import {
  type EchoedMessage,
  fileKinds,
  type IncomingFile,
  type IncomingMessage,
  type IncomingReaction,
  type MessageEdit,
  type Withdrawal,
} from "../../inbox/public.ts";
import {
  beginning,
  digits,
  id,
  list,
  longestEmoji,
  longestFileName,
  object,
  omit,
  type Told,
  text,
  timeOfSeconds,
} from "../shared/told.ts";
import { orderOf } from "./catalog.ts";

/** A message from a customer; kinds that are not known are kept with their details. */
export function readMessage(message: Told, sender: string, names: ReadonlyMap<string, string>): IncomingMessage[] {
  const from = digits(message.from);
  const read = toldMessage(message, sender);
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

/** What somebody of the business wrote in the business app of a number that is there, too. */
export function readEcho(message: Told, sender: string): EchoedMessage[] {
  const to = digits(message.to);
  const read = toldMessage(message, sender);
  if (to === undefined || read === undefined || aboutAnother.includes(read.kind)) return [];
  return [{ ...read, to }];
}

export function readReaction(message: Told, sender: string, names: ReadonlyMap<string, string>): IncomingReaction[] {
  const from = digits(message.from);
  const reaction = object(message.reaction);
  const messageId = id(reaction.message_id);
  if (from === undefined || messageId === undefined) return [];
  const name = names.get(from);
  const emoji = beginning(text(reaction.emoji), longestEmoji);
  const occurredAt = timeOfSeconds(message.timestamp);
  return [{ sender, from, ...(name === undefined ? {} : { name }), messageId, emoji, occurredAt }];
}

/** A customer takes a message back. */
export function readWithdrawal(message: Told, sender: string): Withdrawal[] {
  const from = digits(message.from);
  const messageId = id(object(message.revoke).original_message_id);
  return from === undefined || messageId === undefined ? [] : [{ sender, from, messageId }];
}

/** A customer, or in the business app somebody of the business, gives a message another text. */
export function readEdit(message: Told, sender: string, author: MessageEdit["author"]): MessageEdit[] {
  const customer = digits(author === "customer" ? message.from : message.to);
  const { original_message_id, message: edited } = object(message.edit);
  const messageId = id(original_message_id);
  const kind = id(object(edited).type);
  if (customer === undefined || messageId === undefined || kind === undefined) return [];
  const body = bodyOf(kind, contentOf(object(edited)));
  return [{ sender, customer, author, messageId, body, occurredAt: timeOfSeconds(message.timestamp) }];
}

/** Kinds that are about another message, and none of their own. */
const aboutAnother: readonly string[] = ["reaction", "revoke", "edit"];

/** What messages of both sides have. */
function toldMessage(message: Told, sender: string): Omit<EchoedMessage, "to"> | undefined {
  const platformMessageId = id(message.id);
  const type = id(message.type);
  if (platformMessageId === undefined || type === undefined) return undefined;
  const content = contentOf(message);
  // What earlier versions of the platform call a voice message.
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

/** In the field that is called as the message's type. */
function contentOf(message: Told): Told {
  const type = text(message.type);
  return Object.hasOwn(message, type) ? object(message[type]) : {};
}

function fileOf(kind: string, { id: given, filename }: Told): { file?: IncomingFile } {
  const fileKind = fileKinds.find((known) => known === kind);
  const fileId = id(given);
  if (fileKind === undefined || fileId === undefined) return {};
  const name = beginning(text(filename), longestFileName);
  const place = { at: "id", id: fileId } as const;
  return { file: { kind: fileKind, ...(name !== "" && { name }), place } };
}

/** What an inbox shows of each kind of message. */
function bodyOf(kind: string, content: Told): string {
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
