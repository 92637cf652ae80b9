import { plainArray, textArray } from "../../../../infra/postgres/arrays.ts";
import type { Queries } from "../../../../infra/postgres/database.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import { groupBy } from "../../../../kernel/group-by.ts";
import type { CampaignInbox, CampaignMessage, CampaignNews, CampaignOrigin } from "../../../../messaging/public.ts";
import { amend, ensureConversations, hold, store, tag, tell, updateContacts } from "./campaign-sql.ts";

/** An event, or the reference of a message that has no open conversation to be stored in. */
type StoredRow = LoggedEvent & { readonly unplaced: string | null };

interface NewMessage {
  readonly origin: CampaignOrigin;
  readonly message: CampaignMessage;
}

const isNew = ({ onlyIfKept, reference }: CampaignMessage, kept: ReadonlySet<string>): boolean =>
  !onlyIfKept && !kept.has(reference);

const newIn = ({ campaigns, kept }: Pick<Recording, "campaigns" | "kept">): NewMessage[] =>
  campaigns.flatMap(({ origin, messages }) =>
    messages.filter((message) => isNew(message, kept)).map((message) => ({ origin, message })),
  );

/** The news of one business with intermediate results. */
interface Recording extends CampaignNews {
  /** References of messages that are stored already. */
  readonly kept: Set<string>;
  readonly changedChats: Set<number>;
  readonly changedContacts: readonly number[];
}

/**
 * The lock order is messages, contacts, conversations, chats, event counters, each by business and id. So each step
 * runs for all campaigns of all businesses before the next step.
 */
export class PostgresCampaignMessages implements CampaignInbox {
  constructor(private readonly transaction: Queries) {}

  async record(given: readonly CampaignNews[], isHeard: boolean): Promise<LoggedEvent[]> {
    const news = given.toSorted((one, other) => one.businessId - other.businessId);
    const held: (CampaignNews & Pick<Recording, "kept">)[] = [];
    for (const each of news) held.push({ ...each, kept: await this.hold(each) });
    const recordings: Recording[] = [];
    for (const each of held) {
      recordings.push({ ...each, changedChats: new Set(), changedContacts: await this.updateContacts(each) });
    }
    for (const recording of recordings) await this.ensureConversations(recording, newIn(recording));
    for (const recording of recordings) await this.tag(recording);
    const events: LoggedEvent[] = [];
    for (const recording of recordings) for (const event of await this.keep(recording, isHeard)) events.push(event);
    return events;
  }

  private async hold({ businessId, campaigns }: CampaignNews): Promise<Set<string>> {
    const references = campaigns.flatMap(({ messages }) => messages.map(({ reference }) => reference));
    const rows = await this.transaction.rows<{ reference: string }>(hold, [businessId, textArray(references)]);
    return new Set(rows.map(({ reference }) => reference));
  }

  private async updateContacts({ businessId, contactUpdates }: CampaignNews): Promise<number[]> {
    if (contactUpdates.length === 0) return [];
    const rows = await this.transaction.rows<{ id: number }>(updateContacts, [
      businessId,
      JSON.stringify(contactUpdates),
    ]);
    return rows.map(({ id }) => id);
  }

  private async ensureConversations({ businessId, changedChats }: Recording, of: readonly NewMessage[]): Promise<void> {
    const byChannel = groupBy(of, ({ origin }) => origin.channel);
    for (const [channel, messages] of [...byChannel].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const contactIds = [...new Set(messages.map(({ message }) => message.contactId))];
      const values = [businessId, channel, plainArray(contactIds)];
      for (const { chatId } of await this.transaction.rows<{ chatId: number }>(ensureConversations, values)) {
        changedChats.add(chatId);
      }
    }
  }

  private async tag(recording: Recording): Promise<void> {
    const tagged = newIn(recording).filter(({ origin }) => origin.tags.length > 0);
    if (tagged.length === 0) return;
    const rows = await this.transaction.rows<{ chatId: number }>(tag, [
      recording.businessId,
      plainArray(tagged.map(({ message }) => message.contactId)),
      textArray(tagged.map(({ origin }) => origin.channel)),
      plainArray(tagged.map(({ origin }) => origin.campaignId)),
      plainArray(tagged.map(({ origin }) => origin.stepId)),
      textArray(tagged.map(({ origin }) => plainArray(origin.tags))),
    ]);
    for (const { chatId } of rows) recording.changedChats.add(chatId);
  }

  private async keep(recording: Recording, isHeard: boolean): Promise<LoggedEvent[]> {
    const { businessId, campaigns, kept, changedChats, changedContacts } = recording;
    const events: LoggedEvent[] = [];
    for (const { origin, messages } of campaigns) {
      const news = messages.filter((message) => isNew(message, kept));
      const stored = await this.store(businessId, origin, news, isHeard);
      events.push(...stored.events);
      const known = messages.filter(({ reference }) => kept.has(reference));
      if (stored.unplaced.length > 0) {
        // These messages have no open conversation: it was closed meanwhile, or the contact was erased. Opening one now
        // breaks the lock order and may cause a deadlock. The transaction is then run again.
        await this.ensureConversations(
          recording,
          stored.unplaced.map((message) => ({ origin, message })),
        );
        const more = await this.store(businessId, origin, stored.unplaced, isHeard);
        events.push(...more.events);
      }
      if (known.length > 0) events.push(...(await this.amend(businessId, known, isHeard)));
    }
    if (changedChats.size + changedContacts.length > 0) {
      const values = [businessId, plainArray([...changedChats]), plainArray(changedContacts), isHeard];
      events.push(...(await this.transaction.rows<LoggedEvent>(tell, values)));
    }
    return events;
  }

  private async store(
    businessId: number,
    origin: CampaignOrigin,
    messages: readonly CampaignMessage[],
    isHeard: boolean,
  ) {
    const { channel, authorName, campaignId, templateId, media, stepId } = origin;
    if (messages.length === 0) return { events: [], unplaced: [] };
    const rows = await this.transaction.rows<StoredRow>(store, [
      businessId,
      channel,
      authorName,
      campaignId,
      templateId,
      media?.link ?? null,
      stepId,
      plainArray(messages.map(({ contactId }) => contactId)),
      textArray(messages.map(({ reference }) => reference)),
      plainArray(messages.map(({ attempt }) => attempt)),
      textArray(messages.map(({ body }) => body)),
      textArray(messages.map(({ state }) => state)),
      textArray(messages.map(({ platformMessageId }) => platformMessageId)),
      textArray(messages.map(({ errorReason }) => errorReason)),
      isHeard,
      media && JSON.stringify({ kind: media.type }),
    ]);
    const unplaced = new Set(rows.flatMap(({ unplaced }) => unplaced ?? []));
    return {
      events: rows.flatMap(({ unplaced, ...event }) => (unplaced === null ? [event] : [])),
      unplaced: messages.filter(({ reference }) => unplaced.has(reference)),
    };
  }

  private amend(businessId: number, messages: readonly CampaignMessage[], isHeard: boolean): Promise<LoggedEvent[]> {
    return this.transaction.rows<LoggedEvent>(amend, [
      businessId,
      textArray(messages.map(({ reference }) => reference)),
      plainArray(messages.map(({ attempt }) => attempt)),
      textArray(messages.map(({ state }) => state)),
      textArray(messages.map(({ platformMessageId }) => platformMessageId)),
      textArray(messages.map(({ errorReason }) => errorReason)),
      isHeard,
    ]);
  }
}
