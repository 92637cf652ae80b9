import { beforeAll } from "../../../kernel/errors.ts";
import type { EventFeed } from "../../../kernel/events.ts";
import {
  ContactMovedOn,
  ContactNotFound,
  HasNoNumber,
  isPhoneNumber,
  TagNotFound,
  WrongNumber,
} from "../../domain/contact.ts";
import type { Viewer } from "../../domain/visibility.ts";
import type { WholeContact } from "../events.ts";
import type {
  ContactChanges,
  ContactEdits,
  ContactReads,
  ContactUnitOfWork,
  ListedContact,
  NewContact,
} from "./ports.ts";

/** Edits contacts for users and App Keys. */
export class EditContacts {
  constructor(
    private readonly reads: Pick<ContactReads, "contact">,
    private readonly unitOfWork: ContactUnitOfWork,
    private readonly feed: EventFeed,
  ) {}

  /** Rejects with `TagNotFound` or `NumberTaken`. */
  async create(viewer: Viewer, contact: Omit<NewContact, "businessId">): Promise<ListedContact> {
    const { businessId } = viewer;
    const id = await this.edit(businessId, contact.tagIds, async (edits) => ({
      id: await edits.create({ ...contact, businessId }),
      differs: true,
    }));
    return this.reads.contact(viewer, id);
  }

  /**
   * Rejects with `ContactNotFound`, `ContactMovedOn`, `TagNotFound`, `NumberTaken`, `WrongNumber` or `HasNoNumber`.
   *
   * @param isExpected - returns true if the stored contact is as the caller last saw it; null skips the check
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
      // A platform may have created the contact with an invalid number. That number may stay.
      if (phone !== null && phone !== held.phone && !isPhoneNumber(phone))
        throw new WrongNumber(`${phone.length} digits`);
      return { id: contactId, differs: await edits.change(businessId, contactId, changes, { ...held, phone }) };
    });
    return this.reads.contact(viewer, contactId);
  }

  private async edit(
    businessId: number,
    tagIds: readonly number[],
    write: (edits: ContactEdits) => Promise<{ readonly id: number; readonly differs: boolean }>,
  ): Promise<number> {
    const entering = this.unitOfWork.run(businessId, async (contacts) => {
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
