import type { Queries } from "../../../infra/postgres/database.ts";
import type { IncomingNews, ReplyLink } from "../../domain/incoming.ts";
import { type StoredReaction, storeReactions } from "./customer-reactions.ts";
import { keepNews, type NewsOfMessages, takeNewsOf } from "./early-news.ts";
import { type StoredEdit, storeEdits } from "./message-edits.ts";
import type { MessageNews } from "./news.ts";
import { type LinkedReply, linkReplies } from "./reply-links.ts";
import { type WithdrawnMessage, withdrawMessages } from "./withdrawals.ts";

/** Stored messages that news changed, and the news left over. */
export interface ChangedMessages {
  readonly reacted: readonly StoredReaction[];
  readonly edited: readonly StoredEdit[];
  readonly withdrawn: readonly WithdrawnMessage[];
  readonly linked: readonly LinkedReply[];
  /** News about messages that are not stored. */
  readonly unknown: NewsOfMessages;
}

/** Call it after all other writes to messages: the news may concern a message of the same batch. */
export async function changeMessages(
  transaction: Queries,
  provider: string,
  news: IncomingNews,
  arrived: readonly MessageNews[],
): Promise<ChangedMessages> {
  const early = await takeNewsOf(transaction, provider, arrived);
  const about = {
    reactions: [...news.reactions, ...early.reactions],
    edits: [...news.edits, ...early.edits],
    withdrawals: [...news.withdrawals, ...early.withdrawals],
    replies: [...news.replies, ...arrived.flatMap(replyOf)],
  };
  const reacted = await storeReactions(transaction, provider, about.reactions);
  const edited = await storeEdits(transaction, provider, about.edits);
  const withdrawn = await withdrawMessages(transaction, provider, about.withdrawals);
  const linked = await linkReplies(transaction, provider, about.replies);
  const known = { reacted, edited, withdrawn, linked };
  return { ...known, unknown: unknownAmong(about, known) };
}

/** Stores news about messages that are not stored yet. Returns true if any was stored. */
export const keepUnknown = (transaction: Queries, provider: string, { unknown }: ChangedMessages): Promise<boolean> =>
  keepNews(transaction, provider, unknown);

const replyOf = ({ message, echo }: MessageNews): ReplyLink[] => {
  const source = message ?? echo;
  if (source?.replyTo === undefined) return [];
  const { sender, platformMessageId, replyTo } = source;
  return [{ sender, platformMessageId, replyTo }];
};

const keyOf = (sender: string, messageId: string): string => `${sender} ${messageId}`;

function unknownAmong(
  { reactions, edits, withdrawals, replies }: NewsOfMessages,
  { reacted, edited, withdrawn, linked }: Omit<ChangedMessages, "unknown">,
): NewsOfMessages {
  const seen = new Set(reacted.map(({ sender, message_id: id }) => keyOf(sender, id)));
  const changed = new Set(edited.map(({ sender, message_id: id }) => keyOf(sender, id)));
  const gone = new Set(withdrawn.map(({ sender, platform_message_id: id }) => keyOf(sender, id)));
  const answering = new Set(linked.map(({ sender, platform_message_id: id }) => keyOf(sender, id)));
  return {
    reactions: reactions.filter(({ sender, messageId }) => !seen.has(keyOf(sender, messageId))),
    edits: edits.filter(({ sender, messageId }) => !changed.has(keyOf(sender, messageId))),
    withdrawals: withdrawals.filter(
      ({ sender, messageId, isGuess }) => !isGuess && !gone.has(keyOf(sender, messageId)),
    ),
    replies: replies.filter(({ sender, platformMessageId }) => !answering.has(keyOf(sender, platformMessageId))),
  };
}
