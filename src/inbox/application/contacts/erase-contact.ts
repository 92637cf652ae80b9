import type { EventFeed } from "../../../kernel/events.ts";
import { ContactNotFound } from "../../domain/contact.ts";
import { withoutOwnerOf } from "../../domain/forget-number.ts";
import type {
  Erasure,
  ErasureStores,
  ErasureUnitOfWork,
  KeptPayloads,
  RefusedErasure,
  RemoveFiles,
  RowsWithout,
} from "./ports.ts";

const payloadsAtOnce = 100;
const contactsAtOnce = 20;

/**
 * Erases all that says who a contact is and what was written. Figures stay, and so do rows that are counted.
 *
 * One transaction erases the contact with its messages and notes what remains to be done outside of it. That is done
 * before the caller hears that the contact is erased; where it fails, or the process dies, `complete` does it.
 */
export class EraseContact {
  constructor(
    private readonly unitOfWork: ErasureUnitOfWork,
    private readonly payloads: KeptPayloads,
    private readonly refused: RefusedErasure,
    private readonly rowsWithout: RowsWithout,
    private readonly removeFiles: RemoveFiles,
    private readonly feed: EventFeed,
    /** Hears why an erasure could not be completed; it is tried again. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Everything is gone once it resolves. Rejects with `ContactNotFound`. Asked again after a failure, it goes on. */
  async execute(businessId: number, contactId: number): Promise<void> {
    const known = await this.find(businessId, contactId);
    const isOpen = known?.progress === "none" || known?.progress === "begun";
    if (!known || !isOpen) throw new ContactNotFound(`contact ${contactId}`);
    // What waits to be worked off would come back after the erasure.
    await this.erasePayloads(known);
    if (known.progress === "none") await this.begin(businessId, contactId);
    await this.finish(businessId, contactId);
  }

  /**
   * Does what remains of erasures: of those that failed or whose process died, and of those a minute ago once more, as
   * something that was under way then may have come into the contact's chats after them.
   */
  async complete(signal?: { readonly aborted: boolean }): Promise<void> {
    for (let count = contactsAtOnce; count === contactsAtOnce; ) {
      const due = (await this.unitOfWork.sweep(({ contacts }) => contacts.takeDue(contactsAtOnce))).flat();
      for (const { businessId, contactId } of due) {
        if (signal?.aborted) return;
        await this.finish(businessId, contactId).catch(this.onFailure);
      }
      count = due.length;
    }
  }

  private find(businessId: number, contactId: number): Promise<Erasure | null> {
    return this.unitOfWork.run(businessId, ({ contacts }) => contacts.find(businessId, contactId));
  }

  private async begin(businessId: number, contactId: number): Promise<void> {
    const events = await this.unitOfWork.run(businessId, async (stores) => {
      const { contacts } = stores;
      const contact = await contacts.find(businessId, contactId);
      if (!contact) return [];
      const names = await eraseMessages(stores, businessId, contact);
      const numbers = await contacts.eraseContact(businessId, contactId);
      if (!numbers) return [];
      await contacts.eraseAnswers(businessId, contactId);
      await contacts.eraseConversations(businessId, contact.chatIds);
      await contacts.eraseChats(businessId, contact.chatIds);
      const files = await stores.files.withdraw(businessId, names);
      await contacts.begin(businessId, contactId, { numbers, files });
      return contacts.announce(businessId, contact);
    });
    this.feed.publish(events);
  }

  /** May be done any number of times, and by several at once. */
  private async finish(businessId: number, contactId: number): Promise<void> {
    const begun = await this.find(businessId, contactId);
    if (!begun) return;
    await this.erasePayloads(begun);
    const { numbers } = begun;
    await this.refused.edit(businessId, numbers, (rows) => this.rowsWithout(rows, numbers));
    const late = await this.eraseLate(businessId, contactId);
    await this.eraseEvents(businessId, begun);
    const files = [...begun.files, ...late];
    await this.removeFiles(businessId, files);
    await this.unitOfWork.run(businessId, ({ contacts }) =>
      begun.progress === "completed"
        ? contacts.end(businessId, contactId)
        : contacts.complete(businessId, contactId, files),
    );
  }

  /** What came into the contact's chats while they were erased. */
  private eraseLate(businessId: number, contactId: number): Promise<string[]> {
    return this.unitOfWork.run(businessId, async (stores) => {
      const { contacts } = stores;
      const contact = await contacts.find(businessId, contactId);
      if (!contact) return [];
      const names = await eraseMessages(stores, businessId, contact);
      await contacts.eraseAnswers(businessId, contactId);
      await contacts.eraseConversations(businessId, contact.chatIds);
      await contacts.eraseChats(businessId, contact.chatIds);
      const files = names.length === 0 ? [] : await stores.files.withdraw(businessId, names);
      if (files.length > 0) await contacts.addFiles(businessId, contactId, files);
      return files;
    });
  }

  /** Some at a time, and without the lock under which events are numbered: nothing of the business waits for it. */
  private async eraseEvents(businessId: number, contact: Erasure): Promise<void> {
    for (let reached: number | null = 0; reached !== null; ) {
      const after: number = reached;
      reached = await this.unitOfWork.run(businessId, ({ contacts }) =>
        contacts.eraseEvents(businessId, contact, after),
      );
    }
  }

  /** What other customers wrote in the same payloads stays, and what came for other businesses. */
  private async erasePayloads({ numbers: ids, senders }: Erasure): Promise<void> {
    if (ids.length === 0) return;
    let after = 0;
    for (let count = payloadsAtOnce; count === payloadsAtOnce; ) {
      const found = await this.payloads.holding(ids, after, payloadsAtOnce);
      for (const { id, payload } of found) {
        await this.payloads.replace(id, payload, withoutOwnerOf(payload, { ids, senders }));
        after = id;
      }
      count = found.length;
    }
  }
}

/** The names of the files that the messages named. */
async function eraseMessages(
  { others, contacts }: ErasureStores,
  businessId: number,
  contact: Erasure,
): Promise<string[]> {
  for (const other of others) await other.erase(businessId, contact);
  const names = await contacts.filesOf(businessId, contact.chatIds);
  await contacts.eraseMessages(businessId, contact.chatIds);
  return names;
}
