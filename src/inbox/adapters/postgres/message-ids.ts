import { quoted } from "../../../infra/postgres/sql-text.ts";
import { channelsWithIdsPerSender } from "../../../kernel/channels.ts";

/** The sender within which a message's id is unique; empty if the id is unique on the whole channel. */
export const idScopeOf = (provider: string, sender: string): string =>
  channelsWithIdsPerSender.some((name) => name === provider) ? sender : "";

/** `idScopeOf` as SQL; the arguments are expressions. */
export const idScope = (provider: string, sender: string): string =>
  `case when ${provider} in (${quoted(...channelsWithIdsPerSender)}) then ${sender} else '' end`;

/** Condition that a message belongs to the sender of a news item. Messages without a scope belong to every sender. */
export const isInScope = (message: string, sender: string): string =>
  `(${message}.id_scope = '' or ${message}.id_scope = ${sender})`;
