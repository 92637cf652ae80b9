import { beforeAll } from "../../../kernel/errors.ts";
import type { EventFeed } from "../../../kernel/events.ts";
import {
  ContactMovedOn,
  ContactNotFound,
  HasNoNumber,
  isPhoneNumber,
  type NumberTaken,
  TagNotFound,
  WrongNumber,
} from "../../domain/contact.ts";
import type { Viewer } from "../../domain/visibility.ts";
import type { WholeContact } from "../events.ts";
import type { PageAsked, PageOf } from "../reading/ports.ts";
import type {
  ContactChanges,
  ContactEdits,
  ContactFilter,
  ContactReads,
  ContactUnitOfWork,
  ListedContact,
  NewContact,
} from "./ports.ts";

export type EditContactFailure =
  | ContactNotFound
  | ContactMovedOn
  | TagNotFound
  | NumberTaken
  | WrongNumber
  | HasNoNumber;

/** Lists and edits contacts for users and App Keys. */
export class ManageContacts {
  /** @param slowReads - a pool with a long statement timeout, for exports */
  constructor(
    private readonly reads: ContactReads,
    private readonly slowReads: ContactReads,
    private readonly unitOfWork: ContactUnitOfWork,
    private readonly feed: EventFeed,
  ) {}

  list(
    viewer: Viewer,
    filter: ContactFilter,
    page: PageAsked<number>,
    signal?: AbortSignal,
  ): Promise<PageOf<ListedContact, number>> {
    return this.reads.contacts(viewer, filter, page, signal);
  }

  /** Rejects with `ContactNotFound`. */
  async one(viewer: Viewer, contactId: number): Promise<ListedContact> {
    const contact = await this.reads.contact(viewer, contactId);
    if (!contact) throw new ContactNotFound(`contact ${contactId}`);
    return contact;
  }

  fieldNames({ businessId }: Viewer, filter: ContactFilter, signal: AbortSignal): Promise<string[]> {
    return this.slowReads.fieldNames(businessId, filter, signal);
  }

  /** All matching contacts in batches. */
  all({ businessId }: Viewer, filter: ContactFilter, signal: AbortSignal): AsyncIterable<readonly WholeContact[]> {
    return this.slowReads.all(businessId, filter, signal);
  }

  /** Rejects with `TagNotFound` or `NumberTaken`. */
  async create(viewer: Viewer, contact: Omit<NewContact, "businessId">): Promise<ListedContact> {
    const { businessId } = viewer;
    const id = await this.edit(businessId, contact.tagIds, async (edits) => ({
      id: await edits.create({ ...contact, businessId }),
      differs: true,
    }));
    return this.one(viewer, id);
  }

  /**
   * Rejects with `EditContactFailure`.
   *
   * @param isExpected - whether the stored contact is the one that the caller saw; null skips the check
   */
  async change(
    viewer: Viewer,
    contactId: number,
    changes: ContactChanges,
    isExpected: ((contact: WholeContact) => boolean) | null,
  ): Promise<ListedContact> {
    const { businessId } = viewer;
    await this.edit(businessId, changes.tagIds ?? [], async (edits) => {
      const held = await edits.hold(businessId, contactId);
      if (!held) throw new ContactNotFound(`contact ${contactId}`);
      const known = isExpected && (await edits.held(businessId, contactId));
      if (isExpected && known && !isExpected(known)) throw new ContactMovedOn(`contact ${contactId}`);
      if (held.phone === null && changes.phone !== null) throw new HasNoNumber(`contact ${contactId}`);
      const phone = changes.phone ?? held.phone;
      // Platforms give some customers ids that look like numbers but are not valid; such a number may stay.
      if (phone !== null && phone !== held.phone && !isPhoneNumber(phone))
        throw new WrongNumber(`${phone.length} digits`);
      return { id: contactId, differs: await edits.change(businessId, contactId, changes, { ...held, phone }) };
    });
    return this.one(viewer, contactId);
  }

  private async edit(
    businessId: number,
    tagIds: readonly number[],
    write: (edits: ContactEdits) => Promise<{ readonly id: number; readonly differs: boolean }>,
  ): Promise<number> {
    const entering = this.unitOfWork.run(businessId, async ({ contacts }) => {
      const { id, differs } = await write(contacts);
      const unknown = await contacts.unknownTags(businessId, tagIds);
      if (unknown.length > 0) throw new TagNotFound(`tags ${unknown}`);
      return { id, events: differs ? await contacts.announce(businessId, id) : [] };
    });
    const { id, events } = await beforeAll(entering);
    this.feed.publish(events);
    return id;
  }
}
