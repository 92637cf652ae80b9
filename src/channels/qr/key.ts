import { id, object, type Told } from "../shared/told.ts";

/** What the provider calls a phone: its number, and sometimes which of its devices, at one of two hosts. */
const phoneAddress = /^(\d{1,64})(?::\d{1,5})?@(?:s\.whatsapp\.net|c\.us)$/;
/** Hides the number of a phone. The number may stand beside it. */
const hiddenAddress = /@lid$/;
/** Notices of the platform itself come from this number. */
const platformItself = "0";

export const numberIn = (address: unknown): string | undefined =>
  typeof address === "string" ? phoneAddress.exec(address)?.[1] : undefined;

export const addressOf = (number: string): string => `${number}@s.whatsapp.net`;

/** It is the chat with one person, whose number may be hidden. */
export const isOfPerson = (address: unknown): boolean =>
  typeof address === "string" && (phoneAddress.test(address) || hiddenAddress.test(address));

/** Where one message belongs. */
export interface MessageKey {
  readonly id: string;
  /** Digits of the customer's number. */
  readonly customer: string;
  /** It was sent from the business's phone. */
  readonly fromMe: boolean;
}

/**
 * Undefined for what is in no chat with one customer, such as groups, and for a hidden number that stands nowhere.
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

function customerIn(key: Told, fromMe: boolean, own: string | undefined): string | undefined {
  const { remoteJid, remoteJidAlt, senderPn, participantPn } = key;
  const isHidden = typeof remoteJid === "string" && hiddenAddress.test(remoteJid);
  // Of a message from the business's phone, the sender is that phone.
  const besides = fromMe ? [remoteJidAlt] : [remoteJidAlt, senderPn, participantPn];
  const numbers = (isHidden ? besides : [remoteJid]).map(numberIn);
  return numbers.find((number) => number !== undefined && number !== own && number !== platformItself);
}

/** All numbers that the key of any message names. */
export function numbersIn(told: unknown): string[] {
  const { remoteJid, remoteJidAlt, senderPn, participant, participantPn, participantAlt } = object(told);
  const named = [remoteJid, remoteJidAlt, senderPn, participant, participantPn, participantAlt].map(numberIn);
  return named.filter((number) => number !== undefined);
}
