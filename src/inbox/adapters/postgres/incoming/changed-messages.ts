import type { IncomingNews, NewsOfMessages, ReplyLink } from "../../../domain/incoming.ts";
import { type StoredReaction, storeReactions } from "./customer-reactions.ts";
import { takeNewsOf } from "./early-news.ts";
import { storeEdits } from "./message-edits.ts";
import type { Intake, MessageNews, NamedMessage } from "./news.ts";
import { linkReplies } from "./reply-links.ts";
import { type WithdrawnMessage, withdrawMessages } from "./withdrawals.ts";

/** The stored messages that incoming news are about, and the news without a stored message. */
export interface ChangedMessages {
  readonly reacted: readonly StoredReaction[];
  readonly edited: readonly NamedMessage[];
  readonly withdrawn: readonly WithdrawnMessage[];
  /** Replies that were linked with their targets. */
  readonly linked: readonly NamedMessage[];
  /** News for which no stored message was found. Withdrawals whose message id is a guess are left out. */
  readonly unknown: NewsOfMessages;
}

/** Call it after all other writes to messages: the news may concern a message of the same batch. */
export async function changeMessages(
  intake: Intake,
  news: IncomingNews,
  arrived: readonly MessageNews[],
): Promise<ChangedMessages> {
  const early = await takeNewsOf(intake, arrived);
  const about = {
    reactions: [...news.reactions, ...early.reactions],
    edits: [...news.edits, ...early.edits],
    withdrawals: [...news.withdrawals, ...early.withdrawals],
    replies: [...news.replies, ...arrived.flatMap(replyOf)],
  };
  const reacted = await storeReactions(intake, about.reactions);
  const edited = await storeEdits(intake, about.edits);
  const withdrawn = await withdrawMessages(intake, about.withdrawals);
  const linked = await linkReplies(intake, about.replies);
  const isUnlinked = isNotAmong(linked);
  const unknown = {
    reactions: about.reactions.filter(isNotAmong(reacted)),
    edits: about.edits.filter(isNotAmong(edited)),
    withdrawals: about.withdrawals.filter(({ isGuess }) => !isGuess).filter(isNotAmong(withdrawn)),
    replies: about.replies.filter(({ sender, platformMessageId }) =>
      isUnlinked({ sender, messageId: platformMessageId }),
    ),
  };
  return { reacted, edited, withdrawn, linked, unknown };
}

const replyOf = ({ message, echo }: MessageNews): ReplyLink[] => {
  const source = message ?? echo;
  if (source?.replyTo === undefined) return [];
  const { sender, platformMessageId, replyTo } = source;
  return [{ sender, platformMessageId, replyTo }];
};

function isNotAmong(known: readonly NamedMessage[]) {
  const keys = new Set(known.map(({ sender, message_id: id }) => `${sender} ${id}`));
  return ({ sender, messageId }: { readonly sender: string; readonly messageId: string }): boolean =>
    !keys.has(`${sender} ${messageId}`);
}
