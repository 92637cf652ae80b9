import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { eventColumns } from "../../../infra/postgres/log-events.ts";
import type { NoteInAudit } from "../../../kernel/audit.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { DigestOfNumber, FileErasure } from "../../application/contacts/ports.ts";
import type { CustomerOrders, IncomingStore, Recorded } from "../../application/ports.ts";
import { wasUntold } from "../../domain/delivery.ts";
import type { EchoedMessage, IncomingMessage, IncomingNews } from "../../domain/incoming.ts";
import { announcing, messageColumns, raising } from "./announce-sql.ts";
import { announceContacts, lockCounters } from "./changed-contacts.ts";
import { type ChangedMessages, changeMessages, keepUnknown } from "./changed-messages.ts";
import { lockContacts } from "./contact-locks.ts";
import { chatsOfCustomers } from "./customer-chats.ts";
import { storeMessages } from "./customer-messages.ts";
import { ordersIn } from "./customer-orders.ts";
import { type MarkedMessage, markedBy, moveMarked } from "./delivery-marks.ts";
import { learnFrom, moveMessages, takeConversationsOf, tellingOfRecipients } from "./delivery-statuses.ts";
import { Dropped } from "./dropped.ts";
import { keepEarly } from "./early-statuses.ts";
import { type PlacedEcho, readEchoes } from "./echoes.ts";
import { storeFiles } from "./incoming-files.ts";
import { ofKnownSenders } from "./known-senders.ts";
import { applyPreferences } from "./marketing-preferences.ts";
import { atATime, type ChangedContact, inChunks, type MessageNews, type MovedMessage } from "./news.ts";
import { announceChats, type ChatNews, type PlacedClick, type RaisedChat, raiseChats } from "./raised-chats.ts";
import { noteSenders } from "./sender-news.ts";
import { lockTouched } from "./touched-messages.ts";
import { withdrawFiles } from "./withdrawals.ts";

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

/** What was told of messages of the business's own, and of their recipients. */
interface Delivered {
  /** Moved by statuses. */
  readonly reached: readonly MovedMessage[];
  /** Moved by statuses and marks. */
  readonly moved: readonly MovedMessage[];
  /** What somebody of the business wrote elsewhere. */
  readonly written: readonly EchoedMessage[];
  readonly contacts: readonly ChangedContact[];
  readonly hasEarly: boolean;
}

/** What clients hear of. */
interface ToTell {
  /** That came, or were delivered. */
  readonly messages: readonly MessageNews[];
  readonly changed: ChangedMessages;
  readonly raised: readonly RaisedChat[];
  readonly contacts: readonly ChangedContact[];
}

/**
 * Set-based: news of any number of businesses in a few statements. Everybody who writes messages locks in this order:
 * messages, contacts, conversations, chats, the counters of orders, and the counters of events last, each by its ids.
 * With one order for all, two transactions never wait for each other.
 */
export class PostgresIncomingStore implements IncomingStore {
  constructor(
    private readonly transaction: Queries,
    private readonly provider: string,
    private readonly parts: IncomingParts,
  ) {}

  async record(given: IncomingNews, { isAgain = false } = {}): Promise<Recorded> {
    const { transaction, provider, parts } = this;
    const dropped = new Dropped();
    const told = await ofKnownSenders(transaction, provider, given, dropped);
    await noteSenders(transaction, provider, told, parts.note);
    const placed = await this.place(told, dropped);
    await this.lock(told, placed);
    const { reached, moved, written, contacts, hasEarly } = await this.deliver(told, placed);
    const arrived = await storeMessages(transaction, provider, inOrder(told.messages, written), parts.digestOf);
    const hasFiles = await storeFiles(transaction, provider, arrived);
    const changed = await changeMessages(transaction, provider, told, arrived);
    dropped.add("unknown_message", droppedOf(changed));
    const isKept = !isAgain && (await keepUnknown(transaction, provider, changed));
    const withdrawn = await withdrawFiles(parts.files, changed.withdrawn);
    const messages = [...moved, ...arrived];
    const raised = await raiseChats(transaction, newsOfChats(messages, changed, placed));
    const ordered = await parts.orders.make(ordersIn(arrived));
    const events = await this.tell({ messages, changed, raised, contacts });
    return {
      events: [...events, ...(await parts.orders.tell(ordered))],
      dropped: dropped.counts,
      hasEarly: hasEarly || isKept || [...reached, ...arrived].some((each) => each.hasEarly),
      withdrawn,
      hasFiles,
    };
  }

  /** What statuses, marks and echoes tell of messages of the business's own, and what customers say of marketing. */
  private async deliver(told: IncomingNews, { echoes, marked }: Placed): Promise<Delivered> {
    const { transaction, provider } = this;
    const { settling, written } = await readEchoes(transaction, provider, echoes);
    const reached = await moveMessages(transaction, provider, [...told.statuses, ...settling]);
    const moved = eachOnce([...reached, ...(await moveMarked(transaction, marked))]);
    const hasEarly = await keepEarly(transaction, provider, told.statuses);
    const recipients = tellingOfRecipients(reached);
    await lockContacts(transaction, provider, recipients, told.preferences);
    const learned = await learnFrom(transaction, recipients);
    const asked = await applyPreferences(transaction, provider, told.preferences, this.parts.digestOf);
    await takeConversationsOf(transaction, reached);
    return { reached, moved, written, contacts: [...learned, ...asked], hasEarly };
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
    const { statuses, reactions, edits, withdrawals, replies } = told;
    if (
      reactions.length + edits.length + withdrawals.length + replies.length + marked.length + echoes.length === 0 &&
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
        ...[...reactions, ...edits, ...withdrawals].map(({ sender, messageId }) => ({ sender, message_id: messageId })),
      ],
      marked,
      echoed: echoes.flatMap(({ chat }) => chat ?? []),
    });
  }

  private async tell({ messages, changed, raised, contacts }: ToTell): Promise<LoggedEvent[]> {
    const { transaction } = this;
    const alsoTold = raised.some(({ isToBeTold }) => isToBeTold) || contacts.length > 0;
    if (alsoTold) await lockCounters(transaction, [...messages, ...raised, ...contacts]);
    return [
      ...(await this.tellOfMessages(messages, changed, raised)),
      ...(await announceChats(transaction, raised)),
      ...(await announceContacts(transaction, contacts)),
    ];
  }

  private tellOfMessages(
    news: readonly MessageNews[],
    changed: ChangedMessages,
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

const droppedOf = ({ unknown: { reactions, edits, withdrawals } }: ChangedMessages): number =>
  reactions.length + edits.length + withdrawals.length;

const newsOfChats = (
  messages: readonly MessageNews[],
  { reacted, edited, withdrawn }: ChangedMessages,
  { clicks }: Placed,
): ChatNews => ({ messages, reacted, rewritten: [...edited, ...withdrawn], clicks });

/** Messages that look different now to clients who know them; who hears of one now sees it as it is. */
function newLooks(news: readonly MessageNews[], { reacted, edited, withdrawn, linked }: ChangedMessages) {
  const toldNow = new Set(news.filter(({ before }) => wasUntold(before)).map(keyOf));
  const changed = [...reacted, ...edited, ...withdrawn, ...linked];
  const shown = changed.filter((row) => row.shows && !wasUntold(row.state) && !toldNow.has(keyOf(row)));
  const once = new Map(shown.map((row) => [keyOf(row), row]));
  return [...once.values()].map(({ business_id, id, state }) => ({ business_id, id, before: state, looks: true }));
}
