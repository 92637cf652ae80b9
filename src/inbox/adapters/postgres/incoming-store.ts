import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { eventColumns } from "../../../infra/postgres/log-events.ts";
import type { NoteInAudit } from "../../../kernel/audit.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { DigestOfNumber, FileErasure } from "../../application/contacts/ports.ts";
import type { CustomerOrders, IncomingStore, Recorded } from "../../application/ports.ts";
import { wasUntold } from "../../domain/delivery.ts";
import type { EchoedMessage, IncomingMessage, IncomingNews, ReplyLink } from "../../domain/incoming.ts";
import { announcing, messageColumns, raising } from "./announce-sql.ts";
import { announceContacts, lockCounters } from "./changed-contacts.ts";
import { chatsOfCustomers } from "./customer-chats.ts";
import { storeMessages } from "./customer-messages.ts";
import { ordersIn } from "./customer-orders.ts";
import { type StoredReaction, storeReactions } from "./customer-reactions.ts";
import { type MarkedMessage, markedBy, moveMarked } from "./delivery-marks.ts";
import { learnFrom, moveMessages, takeConversationsOf } from "./delivery-statuses.ts";
import { Dropped } from "./dropped.ts";
import { keepNews, type NewsOfMessages, takeNewsOf } from "./early-news.ts";
import { keepEarly } from "./early-statuses.ts";
import { type PlacedEcho, readEchoes } from "./echoes.ts";
import { storeFiles } from "./incoming-files.ts";
import { ofKnownSenders } from "./known-senders.ts";
import { applyPreferences } from "./marketing-preferences.ts";
import { atATime, inChunks, type MessageNews, type MovedMessage } from "./news.ts";
import { announceChats, type PlacedClick, type RaisedChat, raiseChats } from "./raised-chats.ts";
import { type LinkedReply, linkReplies } from "./reply-links.ts";
import { noteSenders } from "./sender-news.ts";
import { lockTouched } from "./touched-messages.ts";
import { type WithdrawnMessage, withdrawFiles, withdrawMessages } from "./withdrawals.ts";

const announcement = (name: string, looks: boolean): Statement => ({
  name,
  text: `
    with moved as (
      select ${messageColumns}, news.before, news.looks
      from jsonb_to_recordset($1::jsonb) as news(business_id bigint, id bigint, before text, looks boolean)
      join messages as message on message.business_id = news.business_id and message.id = news.id
    ),
    ${announcing(raising.done, { looks })}
    select ${eventColumns} from logged order by business_id, number`,
});
const announce = announcement("incoming_announce", false);
const announceWithLooks = announcement("incoming_announce_with_looks", true);

/** What of a batch is about chats and messages that there are. */
interface Placed {
  readonly marked: readonly MarkedMessage[];
  readonly clicks: readonly PlacedClick[];
  readonly echoes: readonly PlacedEcho[];
}

/** Others that write in the same transaction. */
export interface IncomingParts {
  readonly digestOf: DigestOfNumber;
  readonly note: NoteInAudit;
  readonly files: FileErasure;
  readonly orders: CustomerOrders;
}

/**
 * Set-based: news of any number of businesses in a few statements. Everybody who writes messages locks in this
 * order: messages, contacts, conversations, chats, the counters of orders, and the counters of events last, each by its
 * ids. So no two transactions wait for each other in a circle.
 */
export class PostgresIncomingStore implements IncomingStore {
  constructor(
    private readonly transaction: Queries,
    private readonly provider: string,
    private readonly parts: IncomingParts,
  ) {}

  async record(given: IncomingNews, { isAgain = false } = {}): Promise<Recorded> {
    const { transaction, provider } = this;
    const { digestOf, note } = this.parts;
    const dropped = new Dropped();
    const told = await ofKnownSenders(transaction, provider, given, dropped);
    await noteSenders(transaction, provider, told, note);
    const placed = await this.place(told, dropped);
    await this.lock(told, placed);
    const { settling, written } = await readEchoes(transaction, provider, placed.echoes);
    const statuses = [...told.statuses, ...settling];
    const reached = await moveMessages(transaction, provider, statuses);
    const marked = await moveMarked(transaction, placed.marked);
    const moved = eachOnce([...reached, ...marked]);
    const hasEarly = await keepEarly(transaction, provider, told.statuses);
    const learned = await learnFrom(transaction, reached);
    const asked = await applyPreferences(transaction, provider, told.preferences, digestOf);
    await takeConversationsOf(transaction, reached);
    const arrived = await storeMessages(transaction, provider, inOrder(told.messages, written), digestOf);
    const hasFiles = await storeFiles(transaction, provider, arrived);
    const messages = [...moved, ...arrived];
    // Last of what is written to messages: they may be about a message that came with them.
    const early = await takeNewsOf(transaction, provider, arrived);
    const about = {
      reactions: [...told.reactions, ...early.reactions],
      withdrawals: [...told.withdrawals, ...early.withdrawals],
      replies: [...told.replies, ...arrived.flatMap(replyOf)],
    };
    const reacted = await storeReactions(transaction, provider, about.reactions);
    const withdrawn = await withdrawMessages(transaction, provider, about.withdrawals);
    const linked = await linkReplies(transaction, provider, about.replies);
    const unknown = unknownAmong(about, reacted, withdrawn, linked);
    dropped.add("unknown_message", unknown.reactions.length + unknown.withdrawals.length);
    const isKept = !isAgain && (await keepNews(transaction, provider, unknown));
    const files = await withdrawFiles(this.parts.files, withdrawn);
    const raised = await raiseChats(transaction, { messages, reacted, withdrawn, clicks: placed.clicks });
    const ordered = await this.parts.orders.make(ordersIn(arrived));
    const contacts = [...learned, ...asked];
    const alsoTold = raised.some(({ isToBeTold }) => isToBeTold) || contacts.length > 0;
    if (alsoTold) await lockCounters(transaction, [...messages, ...raised, ...contacts]);
    const events = [
      ...(await this.tell(messages, [...reacted, ...withdrawn, ...linked], raised)),
      ...(await announceChats(transaction, raised)),
      ...(await announceContacts(transaction, contacts)),
      ...(await this.parts.orders.tell(ordered)),
    ];
    return {
      events,
      dropped: dropped.counts,
      hasEarly: hasEarly || isKept || [...reached, ...arrived].some((each) => each.hasEarly),
      withdrawn: files,
      hasFiles,
    };
  }

  /** Finds the chats of news that name a customer and no message. */
  private async place({ marks, clicks, echoes }: IncomingNews, dropped: Dropped): Promise<Placed> {
    const customers = [
      ...marks.map(({ sender, customer }) => ({ sender, customer })),
      ...clicks.map(({ sender, from }) => ({ sender, customer: from })),
      ...echoes.map(({ sender, to }) => ({ sender, customer: to })),
    ];
    const chats = await chatsOfCustomers(this.transaction, this.provider, customers);
    const placedMarks = marks.flatMap((mark, index) => withChat(chats[index], (chat) => ({ mark, chat })));
    const placed = {
      marked: await markedBy(this.transaction, placedMarks),
      clicks: clicks.flatMap((click, index) => withChat(chats[marks.length + index], (chat) => ({ click, chat }))),
      echoes: echoes.map((echo, index) => ({ echo, chat: chats[marks.length + clicks.length + index] })),
    };
    dropped.add("unknown_chat", marks.length - placedMarks.length + clicks.length - placed.clicks.length);
    return placed;
  }

  /** Needs no lock if a single statement of the batch writes to messages that are already there. */
  private async lock(told: IncomingNews, { marked, echoes }: Placed): Promise<void> {
    const { statuses, reactions, withdrawals, replies } = told;
    if (
      reactions.length + withdrawals.length + replies.length + marked.length + echoes.length === 0 &&
      statuses.length <= atATime
    )
      return;
    await lockTouched(this.transaction, this.provider, {
      named: [
        ...[...statuses, ...told.echoes].map(({ sender, platformMessageId, reference }) => ({
          sender,
          message_id: platformMessageId,
          reference,
        })),
        ...replies.map(({ sender, platformMessageId }) => ({ sender, message_id: platformMessageId })),
        ...[...reactions, ...withdrawals].map(({ sender, messageId }) => ({ sender, message_id: messageId })),
      ],
      marked,
      echoed: echoes.flatMap(({ chat }) => chat ?? []),
    });
  }

  private tell(
    news: readonly MessageNews[],
    changed: readonly (StoredReaction | WithdrawnMessage | LinkedReply)[],
    raised: readonly RaisedChat[],
  ): Promise<LoggedEvent[]> {
    const changes = news.map(({ business_id, id, before }) => ({ business_id, id, before, looks: false }));
    const looks = newLooks(news, changed);
    const rows = [...changes, ...looks].sort((a, b) => a.business_id - b.business_id || a.id - b.id);
    return inChunks<LoggedEvent>(
      this.transaction,
      looks.length > 0 ? announceWithLooks : announce,
      rows,
      JSON.stringify(
        raised.flatMap(({ business_id, chat_id: id, was }) => (was === null ? [] : { business_id, id, was })),
      ),
    );
  }
}

const withChat = <Found, Made>(chat: Found | undefined, make: (chat: Found) => Made): Made[] =>
  chat === undefined ? [] : [make(chat)];

const keyOf = ({ business_id, id }: Pick<MessageNews, "business_id" | "id">): string => `${business_id} ${id}`;

/** If a status and a mark both moved a message, one event tells the state before the first and after the last. */
function eachOnce(moved: readonly MovedMessage[]): MovedMessage[] {
  const once = new Map<string, MovedMessage>();
  for (const each of moved) {
    const earlier = once.get(keyOf(each));
    once.set(keyOf(each), earlier ? { ...earlier, state: each.state } : each);
  }
  return [...once.values()];
}

/** By their time, where some were written by the business itself. */
const inOrder = (
  messages: readonly IncomingMessage[],
  written: readonly EchoedMessage[],
): readonly (IncomingMessage | EchoedMessage)[] =>
  written.length === 0
    ? messages
    : [...messages, ...written].sort((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime());

const replyOf = ({ message, echo }: MessageNews): ReplyLink[] => {
  const told = message ?? echo;
  if (told?.replyTo === undefined) return [];
  const { sender, platformMessageId, replyTo } = told;
  return [{ sender, platformMessageId, replyTo }];
};

/** What is about no message that is here. */
function unknownAmong(
  { reactions, withdrawals, replies }: NewsOfMessages,
  reacted: readonly StoredReaction[],
  withdrawn: readonly WithdrawnMessage[],
  linked: readonly LinkedReply[],
): NewsOfMessages {
  const known = new Set(reacted.map(({ sender, message_id: id }) => `${sender} ${id}`));
  const gone = new Set(withdrawn.map(({ sender, platform_message_id: id }) => `${sender} ${id}`));
  const answering = new Set(linked.map(({ sender, platform_message_id: id }) => `${sender} ${id}`));
  return {
    reactions: reactions.filter(({ sender, messageId: id }) => !known.has(`${sender} ${id}`)),
    withdrawals: withdrawals.filter(({ sender, messageId: id, isGuess }) => !isGuess && !gone.has(`${sender} ${id}`)),
    replies: replies.filter(({ sender, platformMessageId: id }) => !answering.has(`${sender} ${id}`)),
  };
}

/** Messages that look different now to clients who know them; who hears of one now sees it as it is. */
function newLooks(news: readonly MessageNews[], changed: readonly (StoredReaction | WithdrawnMessage | LinkedReply)[]) {
  const toldNow = new Set(news.filter(({ before }) => wasUntold(before)).map(keyOf));
  const shown = changed.filter((row) => row.shows && !wasUntold(row.state) && !toldNow.has(keyOf(row)));
  const once = new Map(shown.map((row) => [keyOf(row), row]));
  return [...once.values()].map(({ business_id, id, state }) => ({ business_id, id, before: state, looks: true }));
}
