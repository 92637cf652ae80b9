import type { EventFeed, LoggedEvent } from "../../../kernel/events.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";

/** A contact whose webhooks carry no name. Until the name is known, its platform id serves as the name. */
export interface UnnamedContact {
  readonly businessId: number;
  readonly contactId: number;
  readonly chatId: number;
  /** The contact's channel. */
  readonly provider: string;
  /** The contact's id on the channel. */
  readonly platformId: string;
  /** Includes this attempt. */
  readonly attempts: number;
  /** The contact has a name by now, or was erased. */
  readonly isSettled: boolean;
}

export interface UnnamedContacts {
  /**
   * Claims at most one contact of each business, the longest waiting first. Each becomes due again after the next
   * pause, so a crash loses nothing.
   *
   * @param without - businesses to leave out
   */
  claim(limit: number, without: readonly number[], pausesInSeconds: readonly number[]): Promise<UnnamedContact[]>;
}

export interface NamingStores {
  /** Does nothing if a user named the contact or it was erased. Logs `contact:changed`. */
  name(contact: UnnamedContact, name: string): Promise<LoggedEvent[]>;
  /**
   * Ends the attempts, and writes the contact's name into its earlier messages. Logs `message:changed` for them, and
   * `chat:changed` for chats whose last message is one of them.
   */
  settle(contact: UnnamedContact): Promise<LoggedEvent[]>;
}

/** Null if the platform gives no name or cannot be asked. */
type AskName = (contact: UnnamedContact) => Promise<string | null>;

const minute = 60;
const hour = 60 * minute;
/** Seconds between attempts; together almost 88 hours. */
const pauses = [minute, 5 * minute, 30 * minute, 3 * hour, 12 * hour, 24 * hour, 24 * hour, 24 * hour];
/** Attempts at a time. Each business has at most one, so that a business with slow attempts does not block others. */
const mostUnderWay = 16;

/** Asks platforms for the names that webhooks do not carry. Safe in any number of processes. */
export class NameContacts {
  constructor(
    private readonly unnamed: UnnamedContacts,
    private readonly unitOfWork: UnitOfWork<NamingStores>,
    private readonly ask: AskName,
    private readonly feed: EventFeed,
    /** Receives the error of an attempt that will be retried. */
    private readonly onFailure: (error: unknown, businessId: number) => void,
  ) {}

  /** Works until no contact is due. After `signal` aborts, it waits for running attempts. */
  async execute(signal?: AbortSignal): Promise<void> {
    const underWay = new Map<number, Promise<void>>();
    for (;;) {
      const room = signal?.aborted ? 0 : mostUnderWay - underWay.size;
      const claimed = room > 0 ? await this.unnamed.claim(room, [...underWay.keys()], pauses) : [];
      for (const contact of claimed) {
        const { businessId } = contact;
        const done = this.attend(contact)
          .catch((error) => this.onFailure(error, businessId))
          .finally(() => underWay.delete(businessId));
        underWay.set(businessId, done);
      }
      if (underWay.size === 0) return;
      await Promise.race(underWay.values());
    }
  }

  private async attend(contact: UnnamedContact): Promise<void> {
    const { businessId, isSettled, attempts } = contact;
    const name = isSettled ? null : await this.ask(contact);
    if (name !== null) {
      this.feed.publish(await this.unitOfWork.run(businessId, (stores) => stores.name(contact, name)));
    }
    // A second transaction, because messages must be locked before contacts. If it fails, the next attempt repeats it.
    if (name !== null || isSettled || attempts > pauses.length) {
      this.feed.publish(await this.unitOfWork.run(businessId, (stores) => stores.settle(contact)));
    }
  }
}
