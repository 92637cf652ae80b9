import type { Queries } from "../../../infra/postgres/database.ts";
import type { IncomingNews, ReplyLink } from "../../domain/incoming.ts";
import { type StoredReaction, storeReactions } from "./customer-reactions.ts";
import { keepNews, type NewsOfMessages, takeNewsOf } from "./early-news.ts";
import { type StoredEdit, storeEdits } from "./message-edits.ts";
import type { MessageNews } from "./news.ts";
import { type LinkedReply, linkReplies } from "./reply-links.ts";
import { type WithdrawnMessage, withdrawMessages } from "./withdrawals.ts";

/** What became of messages that are here, by what was told of them. */
export interface ChangedMessages {
  readonly reacted: readonly StoredReaction[];
  readonly edited: readonly StoredEdit[];
  readonly withdrawn: readonly WithdrawnMessage[];
  readonly linked: readonly LinkedReply[];
  /** What is about no message that is here. */
  readonly unknown: NewsOfMessages;
}

/** Last of what is written to messages: the news may be about a message that came with them. */
export async function changeMessages(
  transaction: Queries,
  provider: string,
  told: IncomingNews,
  arrived: readonly MessageNews[],
): Promise<ChangedMessages> {
  const early = await takeNewsOf(transaction, provider, arrived);
  const about = {
    reactions: [...told.reactions, ...early.reactions],
    edits: [...told.edits, ...early.edits],
    withdrawals: [...told.withdrawals, ...early.withdrawals],
    replies: [...told.replies, ...arrived.flatMap(replyOf)],
  };
  const reacted = await storeReactions(transaction, provider, about.reactions);
  const edited = await storeEdits(transaction, provider, about.edits);
  const withdrawn = await withdrawMessages(transaction, provider, about.withdrawals);
  const linked = await linkReplies(transaction, provider, about.replies);
  const known = { reacted, edited, withdrawn, linked };
  return { ...known, unknown: unknownAmong(about, known) };
}

/** Keeps what is about messages that are not here yet. Whether any of it is kept. */
export const keepUnknown = (transaction: Queries, provider: string, { unknown }: ChangedMessages): Promise<boolean> =>
  keepNews(transaction, provider, unknown);

const replyOf = ({ message, echo }: MessageNews): ReplyLink[] => {
  const told = message ?? echo;
  if (told?.replyTo === undefined) return [];
  const { sender, platformMessageId, replyTo } = told;
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
