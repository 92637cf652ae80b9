import { quoted } from "../../../infra/postgres/sql-text.ts";
import { type ChatChannelName, qrChannel } from "../../../kernel/channels.ts";

/** On these channels phones choose message ids, so an id is unique only per sender. */
const scopedChannels: readonly ChatChannelName[] = [qrChannel];

export const idScopeOf = (provider: string, sender: string): string =>
  scopedChannels.some((name) => name === provider) ? sender : "";

/** `idScopeOf` as SQL; the arguments are expressions. */
export const idScope = (provider: string, sender: string): string =>
  `case when ${provider} in (${quoted(...scopedChannels)}) then ${sender} else '' end`;

/** Condition that a message belongs to the sender of a news item. Messages without a scope belong to every sender. */
export const isInScope = (message: string, sender: string): string =>
  `(${message}.id_scope = '' or ${message}.id_scope = ${sender})`;
