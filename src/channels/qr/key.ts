import { id, type JsonObject, object } from "../shared/json-fields.ts";

/** The provider's id of a phone: its number, sometimes with a device number, at one of two hosts. */
const phoneAddress = /^(\d{1,64})(?::\d{1,5})?@(?:s\.whatsapp\.net|c\.us)$/;
/** An id without the phone's number. The number may be in another field. */
const hiddenAddress = /@lid$/;
/** The platform sends its own notices from this number. */
const platformItself = "0";

export const numberIn = (address: unknown): string | undefined =>
  typeof address === "string" ? phoneAddress.exec(address)?.[1] : undefined;

export const addressOf = (number: string): string => `${number}@s.whatsapp.net`;

/** True for a chat with one person, even if their number is hidden. */
export const isOfPerson = (address: unknown): boolean =>
  typeof address === "string" && (phoneAddress.test(address) || hiddenAddress.test(address));

export interface MessageKey {
  readonly id: string;
  /** Digits of the customer's number. */
  readonly customer: string;
  /** The business's phone sent the message. */
  readonly fromMe: boolean;
}

/**
 * Undefined if the chat is not with one person (for example, a group), or if the id or customer's number is missing.
 *
 * @param own - the number of the business's phone
 */
export function keyIn(told: unknown, own: string | undefined): MessageKey | undefined {
  const key = object(told);
  const messageId = id(key.id);
  const fromMe = key.fromMe === true;
  const customer = customerIn(key, fromMe, own);
  return messageId === undefined || customer === undefined ? undefined : { id: messageId, customer, fromMe };
}

function customerIn(key: JsonObject, fromMe: boolean, own: string | undefined): string | undefined {
  const { remoteJid, remoteJidAlt, senderPn, participantPn } = key;
  const isHidden = typeof remoteJid === "string" && hiddenAddress.test(remoteJid);
  // In a message from the business's phone, `senderPn` and `participantPn` have the business's own number.
  const besides = fromMe ? [remoteJidAlt] : [remoteJidAlt, senderPn, participantPn];
  const numbers = (isHidden ? besides : [remoteJid]).map(numberIn);
  return numbers.find((number) => number !== undefined && number !== own && number !== platformItself);
}

/** All numbers in a message's key. */
export function numbersIn(told: unknown): string[] {
  const { remoteJid, remoteJidAlt, senderPn, participant, participantPn, participantAlt } = object(told);
  const named = [remoteJid, remoteJidAlt, senderPn, participant, participantPn, participantAlt].map(numberIn);
  return named.filter((number) => number !== undefined);
}
