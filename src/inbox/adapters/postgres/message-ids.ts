import { quoted } from "../../../infra/postgres/sql-text.ts";
import { channelsWithIdsPerSender } from "../../../kernel/channels.ts";

/** Separates the sender from the customer in a scope. No instance's name contains a line break. */
const separator = "\n";

/**
 * The phones within which a message's id is unique; empty if the id is unique on the whole channel.
 *
 * @param customer - the author of the message; absent for a message of the business. Two customers may use the same id
 */
export const idScopeOf = (provider: string, sender: string, customer?: string): string => {
  if (!channelsWithIdsPerSender.some((name) => name === provider)) return "";
  return customer === undefined ? sender : sender + separator + customer;
};

/** `idScopeOf` a message of the business as SQL; the arguments are expressions. */
export const idScope = (provider: string, sender: string): string =>
  `case when ${provider} in (${quoted(...channelsWithIdsPerSender)}) then ${sender} else '' end`;

/**
 * Condition that a message of the business has its id from the sender. Messages without a scope belong to every sender,
 * and customers' messages of earlier versions are matched too: they have the scope of the sender alone.
 */
export const isInScope = (message: string, sender: string): string =>
  `(${message}.id_scope = '' or ${message}.id_scope = ${sender})`;

/** Condition that a message belongs to the sender, whether the business or any customer wrote it. */
export const isOfSender = (message: string, sender: string): string =>
  `(${message}.id_scope = '' or split_part(${message}.id_scope, E'\\n', 1) = ${sender})`;

/**
 * Condition that a message is the one that comes in with the scope. A customer's message of earlier versions has the
 * scope of the sender alone.
 */
export const isSameMessage = (message: string, sender: string, scope: string): string =>
  `(${message}.id_scope in ('', ${scope}) or (${message}.id_scope = ${sender} and ${message}.direction = 'in'))`;
