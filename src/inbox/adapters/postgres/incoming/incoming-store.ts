import type { Queries, Statement } from "../../../../infra/postgres/database.ts";
import { eventColumns } from "../../../../infra/postgres/log-events.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { NoteInAudit } from "../../../../kernel/audit.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import type { DigestOfNumber, FileErasure } from "../../../application/contacts/ports.ts";
import type {
  CustomerOrder,
  CustomerOrders,
  DropReason,
  IncomingStore,
  Recorded,
  RecordOptions,
} from "../../../application/incoming/ports.ts";
import { wasUnannounced } from "../../../domain/delivery.ts";
import type { EchoedMessage, IncomingMessage, IncomingNews } from "../../../domain/incoming.ts";
import { announcing, messageColumns, raising } from "../announce-sql.ts";
import { announceContacts, lockCounters } from "../contacts/changed-contacts.ts";
import { type ChangedMessages, changeMessages } from "./changed-messages.ts";
import { lockContacts } from "./contact-locks.ts";
import { chatsOfCustomers } from "./customer-chats.ts";
import { storeMessages } from "./customer-messages.ts";
import { type MarkedMessage, markedBy, moveMarked } from "./delivery-marks.ts";
import { moveMessages, takeConversationsOf, updateRecipients, withRecipientNews } from "./delivery-statuses.ts";
import { keepNews } from "./early-news.ts";
import { keepEarly } from "./early-statuses.ts";
import { type PlacedEcho, readEchoes } from "./echoes.ts";
import { storeFiles } from "./incoming-files.ts";
import { ofKnownSenders } from "./known-senders.ts";
import { applyPreferences } from "./marketing-preferences.ts";
import { atATime, type ChangedContact, Intake, inChunks, type MessageNews, type MovedMessage } from "./news.ts";
import { announceChats, type ChatNews, type PlacedClick, type RaisedChat, raiseChats } from "./raised-chats.ts";
import { noteSenders } from "./sender-news.ts";
import { lockTouched } from "./touched-messages.ts";
import { withdrawFiles } from "./withdrawals.ts";

const announcement = (name: string, looks: boolean): Statement => statement(name)`
  with moved as (
    select ${messageColumns}, news.before, news.looks
    from jsonb_to_recordset($1::jsonb) as news(business_id bigint, id bigint, before text, looks boolean)
    join messages as message on message.business_id = news.business_id and message.id = news.id
  ),
  ${announcing(raising.done, { looks })}
  select ${eventColumns} from logged order by business_id, number`;
const announce = announcement("incoming_announce", false);
const announceWithLooks = announcement("incoming_announce_with_looks", true);

/** News matched with stored chats and messages. */
interface Placed {
  readonly marked: readonly MarkedMessage[];
  readonly clicks: readonly PlacedClick[];
  readonly echoes: readonly PlacedEcho[];
}

/** Parts of other features that write in the same transaction. */
interface IncomingParts {
  readonly digestOf: DigestOfNumber;
  readonly note: NoteInAudit;
  readonly files: FileErasure;
  readonly orders: CustomerOrders;
}

/** The effects of statuses, marks, echoes and preferences. */
interface Applied {
  /** Messages that statuses and echoes advanced. */
  readonly reached: readonly MovedMessage[];
  /** Messages that statuses, echoes and marks advanced. */
  readonly moved: readonly MessageNews[];
  /** Messages that the business wrote on another device. */
  readonly written: readonly EchoedMessage[];
  readonly contacts: readonly ChangedContact[];
  readonly hasEarly: boolean;
}

/**
 * A few statements handle the news of any number of businesses. To avoid deadlocks, every writer of messages locks
 * in this order, each by id: messages, contacts, conversations, chats, order counters, event counters.
 */
export class PostgresIncomingStore implements IncomingStore {
  private readonly intake: Intake;

  constructor(
    transaction: Queries,
    provider: string,
    private readonly parts: IncomingParts,
  ) {
    this.intake = new Intake(transaction, provider);
  }

  async record(given: IncomingNews, { isAgain = false, elsewhere = [] }: RecordOptions = {}): Promise<Recorded> {
    const { intake, parts } = this;
    const { transaction } = intake;
    const dropped = new Map<DropReason, number>();
    const news = await ofKnownSenders(intake, given, dropped);
    await noteSenders(intake, news, parts.note, elsewhere);
    const placed = await this.place(news, dropped);
    await this.lock(news, placed);
    const { reached, moved, written, contacts, hasEarly } = await this.apply(news, placed);
    const arrived = await storeMessages(intake, inOrder(news.messages, written), parts.digestOf);
    const hasFiles = await storeFiles(intake, arrived);
    const changed = await changeMessages(intake, news, arrived);
    dropped.set("unknown_message", droppedOf(changed));
    const isKept = !isAgain && (await keepNews(intake, changed.unknown));
    const withdrawn = await withdrawFiles(parts.files, changed.withdrawn);
    const messages = [...moved, ...arrived];
    const raised = await raiseChats(transaction, newsOfChats(messages, changed, placed));
    const ordered = await parts.orders.make(ordersIn(arrived));
    const events = await this.tell(messages, changed, raised, contacts);
    return {
      events: [...events, ...(await parts.orders.announce(ordered))],
      dropped: new Map([...dropped].filter(([, count]) => count > 0)),
      hasEarly: hasEarly || isKept || [...reached, ...arrived].some((each) => each.hasEarly),
      withdrawn,
      hasFiles,
    };
  }

  /** Applies statuses, marks and echoes to outgoing messages, and preferences to contacts. */
  private async apply(news: IncomingNews, { echoes, marked }: Placed): Promise<Applied> {
    const { intake } = this;
    const { transaction } = intake;
    const { settling, written } = await readEchoes(intake, echoes);
    const reached = await moveMessages(intake, [...news.statuses, ...settling]);
    const moved = eachOnce([...reached, ...(await moveMarked(transaction, marked))]);
    const hasEarly = await keepEarly(intake, news.statuses);
    const recipients = withRecipientNews(reached);
    await lockContacts(intake, recipients, news.preferences);
    const updated = await updateRecipients(transaction, recipients);
    const asked = await applyPreferences(intake, news.preferences, this.parts.digestOf);
    await takeConversationsOf(transaction, reached);
    return { reached, moved, written, contacts: [...updated, ...asked], hasEarly };
  }

  /** Finds the chats of marks, clicks and echoes by their customers, and the messages that the marks advance. */
  private async place({ marks, clicks, echoes }: IncomingNews, dropped: Map<DropReason, number>): Promise<Placed> {
    const customers = [
      ...marks.map(({ sender, customer }) => ({ sender, customer })),
      ...clicks.map(({ sender, from }) => ({ sender, customer: from })),
      ...echoes.map(({ sender, to }) => ({ sender, customer: to })),
    ];
    const chats = await chatsOfCustomers(this.intake, customers);
    const placedMarks = marks.flatMap((mark, index) => withChat(chats[index], (chat) => ({ mark, chat })));
    const placed = {
      marked: await markedBy(this.intake.transaction, placedMarks),
      clicks: clicks.flatMap((click, index) => withChat(chats[marks.length + index], (chat) => ({ click, chat }))),
      echoes: echoes.map((echo, index) => ({ echo, chat: chats[marks.length + clicks.length + index] })),
    };
    dropped.set("unknown_chat", marks.length - placedMarks.length + clicks.length - placed.clicks.length);
    return placed;
  }

  /** Locks nothing if a single statement changes the stored messages: that statement keeps the lock order itself. */
  private async lock(news: IncomingNews, { marked, echoes }: Placed): Promise<void> {
    const { statuses, reactions, edits, withdrawals, replies } = news;
    if (
      reactions.length + edits.length + withdrawals.length + replies.length + marked.length + echoes.length === 0 &&
      statuses.length <= atATime
    )
      return;
    await lockTouched(this.intake, {
      named: [
        ...[...statuses, ...news.echoes].map(({ sender, platformMessageId, reference }) => ({
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

  /** @param messages - new messages, and messages with a new state */
  private async tell(
    messages: readonly MessageNews[],
    changed: ChangedMessages,
    raised: readonly RaisedChat[],
    contacts: readonly ChangedContact[],
  ): Promise<LoggedEvent[]> {
    const { transaction } = this.intake;
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
      this.intake.transaction,
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

/** If a status and a mark moved the same message, one event covers both: from the first state to the last. */
function eachOnce(moved: readonly MessageNews[]): MessageNews[] {
  const once = new Map<string, MessageNews>();
  for (const each of moved) {
    const earlier = once.get(keyOf(each));
    once.set(keyOf(each), earlier ? { ...earlier, state: each.state } : each);
  }
  return [...once.values()];
}

/** If the business also wrote on another device, all messages are sorted by time. Otherwise they keep their order. */
const inOrder = (
  messages: readonly IncomingMessage[],
  written: readonly EchoedMessage[],
): readonly (IncomingMessage | EchoedMessage)[] =>
  written.length === 0
    ? messages
    : [...messages, ...written].sort((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime());

/** The catalog orders in messages that were just stored. */
const ordersIn = (arrived: readonly MessageNews[]): CustomerOrder[] =>
  arrived.flatMap(({ business_id: businessId, chat_id: chatId, id: messageId, message }) =>
    message?.order ? [{ businessId, chatId, messageId, lines: message.order.lines }] : [],
  );

const droppedOf = ({ unknown: { reactions, edits, withdrawals } }: ChangedMessages): number =>
  reactions.length + edits.length + withdrawals.length;

const newsOfChats = (
  messages: readonly MessageNews[],
  { reacted, edited, withdrawn }: ChangedMessages,
  { clicks }: Placed,
): ChatNews => ({ messages, reacted, rewritten: [...edited, ...withdrawn], clicks });

/**
 * Messages that clients know and that look different now. Messages that clients only learn about now are left out:
 * their own event shows the new look.
 */
function newLooks(news: readonly MessageNews[], { reacted, edited, withdrawn, linked }: ChangedMessages) {
  const toldNow = new Set(news.filter(({ before }) => wasUnannounced(before)).map(keyOf));
  const changed = [...reacted, ...edited, ...withdrawn, ...linked];
  const shown = changed.filter((row) => row.shows && !wasUnannounced(row.state) && !toldNow.has(keyOf(row)));
  const once = new Map(shown.map((row) => [keyOf(row), row]));
  return [...once.values()].map(({ business_id, id, state }) => ({ business_id, id, before: state, looks: true }));
}
