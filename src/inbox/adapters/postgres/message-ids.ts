import { quoted } from "../../../infra/postgres/sql-text.ts";
import { type ChatChannelName, qrChannel } from "../../../kernel/channels.ts";

/** Where phones choose the ids of their messages: an id names a message together with the sender. */
const scopedChannels: readonly ChatChannelName[] = [qrChannel];

/** `messages.id_scope` of a message that the sender got or sent. */
export const idScopeOf = (provider: string, sender: string): string =>
  scopedChannels.some((name) => name === provider) ? sender : "";

/** The same as SQL, of expressions. */
export const idScope = (provider: string, sender: string): string =>
  `case when ${provider} in (${quoted(...scopedChannels)}) then ${sender} else '' end`;

/** Whether a row of `messages` is in the scope of news that a sender got. A message without one is in each. */
export const isInScope = (message: string, sender: string): string =>
  `(${message}.id_scope = '' or ${message}.id_scope = ${sender})`;
