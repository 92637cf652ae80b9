import type { EventFeed } from "../../../kernel/events.ts";
import { ContactNotFound } from "../../domain/contact.ts";
import { withoutOwnerOf } from "../../domain/forget-number.ts";
import type {
  ContactErasure,
  ErasedContact,
  ErasureStores,
  ErasureUnitOfWork,
  KeptPayloads,
  RemoveFiles,
} from "./ports.ts";

const payloadsAtOnce = 100;
const contactsAtOnce = 20;

/** Erases all that says who a contact is and what was written. Figures stay, and so do rows that are counted. */
export class EraseContact {
  constructor(
    private readonly unitOfWork: ErasureUnitOfWork,
    private readonly payloads: KeptPayloads,
    private readonly removeFiles: RemoveFiles,
    private readonly feed: EventFeed,
  ) {}

  /** Everything is gone once it resolves. Rejects with `ContactNotFound`. */
  async execute(businessId: number, contactId: number): Promise<void> {
    const known = await this.unitOfWork.run(businessId, ({ contacts }) => present(contacts, businessId, contactId));
    // What waits to be worked off would come back after the erasure.
    await this.erasePayloads(known);
    const { contact, files, events } = await this.unitOfWork.run(businessId, async (stores) => {
      const { contacts } = stores;
      const contact = await present(contacts, businessId, contactId);
      const { files } = await eraseAll(stores, businessId, contact);
      const events = await contacts.announce(businessId, contact);
      await contacts.eraseEvents(businessId, contact);
      return { contact, files, events };
    });
    this.feed.publish(events);
    await this.removeFiles(businessId, files);
    await this.erasePayloads(contact);
  }

  /**
   * What was under way during an erasure may have come into the contact's chats after it: a minute later it is erased as
   * well.
   */
  async complete(signal?: { readonly aborted: boolean }): Promise<void> {
    for (let count = contactsAtOnce; count === contactsAtOnce && !signal?.aborted; ) {
      const done = await this.unitOfWork.sweep(async (stores) => {
        const { contacts } = stores;
        const files: { businessId: number; names: readonly string[] }[] = [];
        const unfinished = await contacts.takeUnfinished(contactsAtOnce);
        for (const { businessId, contactId } of unfinished) {
          const contact = await contacts.find(businessId, contactId);
          if (!contact) continue;
          files.push({ businessId, names: (await eraseAll(stores, businessId, contact)).files });
          await contacts.eraseEvents(businessId, contact);
        }
        return { count: unfinished.length, files };
      });
      for (const { files } of done) {
        for (const { businessId, names } of files) await this.removeFiles(businessId, names);
      }
      count = Math.max(...done.map((each) => each.count));
    }
  }

  /** What other customers wrote in the same payloads stays, and what came for other businesses. */
  private async erasePayloads({ phone, platformId, senders }: ErasedContact): Promise<void> {
    const ids = [phone ?? "", platformId].filter((id) => id !== "");
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

async function present(contacts: ContactErasure, businessId: number, contactId: number): Promise<ErasedContact> {
  const contact = await contacts.find(businessId, contactId);
  if (!contact || contact.phone === null) throw new ContactNotFound(`contact ${contactId}`);
  return contact;
}

/** Messages come first, as always; a second look finds those that came while their chats were not locked yet. */
async function eraseAll(
  { contacts, others }: ErasureStores,
  businessId: number,
  contact: ErasedContact,
): Promise<{ files: string[] }> {
  const { chatIds } = contact;
  const files = await contacts.filesOf(businessId, chatIds);
  await contacts.eraseAnswers(businessId, contact);
  await contacts.eraseMessages(businessId, chatIds);
  await contacts.eraseContact(businessId, contact);
  await contacts.eraseChats(businessId, contact);
  const late = await contacts.filesOf(businessId, chatIds);
  await contacts.eraseMessages(businessId, chatIds);
  for (const other of others) await other.erase(businessId, contact);
  return { files: [...new Set([...files, ...late])] };
}
