import type { EventFeed, LoggedEvent } from "../../kernel/events.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";

/** A contact without a name: the id on the platform stands in its place. */
export interface UnnamedContact {
  readonly businessId: number;
  readonly contactId: number;
  /** The contact's chat on the channel. */
  readonly chatId: number;
  /** The channel that knows the contact. */
  readonly provider: string;
  /** The contact's id there. */
  readonly platformId: string;
  /** This one included. */
  readonly attempts: number;
  /** Somebody gave a name, or the contact was erased. */
  readonly isSettled: boolean;
}

export interface UnnamedContacts {
  /**
   * One contact of each business, those that wait longest first. They are due again after the pause that follows this
   * attempt, so that a process that dies loses nothing.
   *
   * @param without - businesses that are left out
   */
  claim(limit: number, without: readonly number[], pausesInSeconds: readonly number[]): Promise<UnnamedContact[]>;
}

export interface NamingStores {
  /** Unless somebody named the contact, or it was erased. Logs `contact:changed`. */
  name(contact: UnnamedContact, name: string): Promise<LoggedEvent[]>;
  /** The platform is not asked any more, and what the contact wrote until now has the name that the contact has. */
  settle(contact: UnnamedContact): Promise<void>;
}

/** Null where the platform tells no name, or cannot be asked. */
export type AskName = (contact: UnnamedContact) => Promise<string | null>;

const minute = 60;
const hour = 60 * minute;
/** Seconds between attempts: four days in all. */
const pauses = [minute, 5 * minute, 30 * minute, 3 * hour, 12 * hour, 24 * hour, 24 * hour, 24 * hour];
/** Of one business there is one at most, so that one with many, or whose platform hangs, holds up no others. */
const mostUnderWay = 16;

/** Asks platforms for the names of customers that webhooks do not name. Any number of workers may do so at once. */
export class NameContacts {
  constructor(
    private readonly unnamed: UnnamedContacts,
    private readonly unitOfWork: UnitOfWork<NamingStores>,
    private readonly ask: AskName,
    private readonly feed: EventFeed,
    /** Hears why one contact could not be named; it is tried again. */
    private readonly onFailure: (error: unknown, businessId: number) => void,
  ) {}

  /** Works until nothing is due, or `signal` is aborted and what is under way has ended. */
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
    // In another transaction: messages are locked before contacts. Where it fails, the next attempt finds a settled one.
    if (name !== null || isSettled || attempts > pauses.length) {
      await this.unitOfWork.run(businessId, (stores) => stores.settle(contact));
    }
  }
}
