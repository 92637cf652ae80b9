import type { DoneBy } from "../../../kernel/audit.ts";
import { numberedChannels } from "../../../kernel/channels.ts";
import type { EventFeed } from "../../../kernel/events.ts";
import { ContactNotFound } from "../../domain/contact.ts";
import type {
  Erasure,
  ErasureUnitOfWork,
  KeptPayloads,
  PayloadWithout,
  RefusedErasure,
  RemoveFiles,
  RowsWithout,
} from "./ports.ts";

const contactsAtOnce = 20;

/**
 * Erases a contact's identity and the contents of its messages. Emptied rows stay, because reports count them.
 *
 * A first transaction erases the contact itself, so that nothing new reaches it, and records the remaining work.
 * Several small transactions then do the rest before `execute` resolves. After a failure or a crash, `complete`
 * finishes the erasure.
 */
export class EraseContact {
  constructor(
    private readonly unitOfWork: ErasureUnitOfWork,
    private readonly payloads: KeptPayloads,
    private readonly refused: RefusedErasure,
    private readonly payloadWithout: PayloadWithout,
    private readonly rowsWithout: RowsWithout,
    private readonly removeFiles: RemoveFiles,
    private readonly feed: EventFeed,
    /** Receives the error of an erasure that will be tried again. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /**
   * Resolves when everything is erased; the audit records `by`. Rejects with `ContactNotFound`. A call after a failure
   * continues the erasure.
   */
  async execute(businessId: number, contactId: number, by: DoneBy): Promise<void> {
    const known = await this.find(businessId, contactId);
    const isOpen = known?.progress === "none" || known?.progress === "begun";
    if (!known || !isOpen) throw new ContactNotFound(`contact ${contactId}`);
    // Webhooks that are still queued would bring the contact's data back after the erasure.
    await this.erasePayloads(known);
    if (known.progress === "none") await this.begin(businessId, contactId, by);
    await this.finish(businessId, contactId);
  }

  /**
   * Finishes erasures that failed or crashed. Also repeats completed erasures, because work in flight may have written
   * data after them. After an abort it stops between two batches of messages; a later call continues.
   */
  async complete(signal?: AbortSignal): Promise<void> {
    // `due` may be longer than `contactsAtOnce`, because each cell returns up to `contactsAtOnce` erasures.
    for (let count = contactsAtOnce; count >= contactsAtOnce; ) {
      const due = (await this.unitOfWork.sweep(({ contacts }) => contacts.takeDue(contactsAtOnce))).flat();
      for (const { businessId, contactId } of due) {
        if (signal?.aborted) return;
        await this.finish(businessId, contactId, signal).catch((error: unknown) => {
          if (!signal?.aborted || error !== signal.reason) this.onFailure(error);
        });
      }
      count = due.length;
    }
  }

  private find(businessId: number, contactId: number): Promise<Erasure | null> {
    return this.unitOfWork.run(businessId, ({ contacts }) => contacts.find(businessId, contactId));
  }

  private async begin(businessId: number, contactId: number, by: DoneBy): Promise<void> {
    const events = await this.unitOfWork.run(businessId, async ({ contacts, note }) => {
      const numbers = await contacts.eraseContact(businessId, contactId);
      if (!numbers) return [];
      const contact = await contacts.find(businessId, contactId);
      if (!contact) return [];
      await contacts.eraseTraces(businessId, contact, numbers);
      await contacts.begin(businessId, contactId, numbers);
      const entry = { resource: "contacts", recordId: contactId, change: "removed" } as const;
      await note(businessId, by, [{ ...entry, before: null, after: null }]);
      return contacts.announce(businessId, contact);
    });
    this.feed.publish(events);
  }

  /** Idempotent, and safe to run concurrently. If `signal` is aborted, rejects after the next batch of messages. */
  private async finish(businessId: number, contactId: number, signal?: AbortSignal): Promise<void> {
    const begun = await this.find(businessId, contactId);
    if (!begun) return;
    await this.erasePayloads(begun);
    const { numbers, knownOn } = begun;
    if (knownOn === null) await this.refused.edit(businessId, numbers, (rows) => this.rowsWithout(rows, numbers));
    await this.eraseOthers(businessId, begun);
    const late: string[] = [];
    for (const chatId of begun.chatIds) late.push(...(await this.eraseMessages(businessId, contactId, chatId, signal)));
    // Rows may have been written while the messages were being erased.
    await this.unitOfWork.run(businessId, ({ contacts }) => contacts.eraseTraces(businessId, begun, numbers));
    await this.eraseEvents(businessId, begun);
    await this.unitOfWork.run(businessId, async ({ copies }) => {
      for (const copy of copies) await copy.erase(businessId, begun);
    });
    const files = [...begun.files, ...late];
    await this.removeFiles(businessId, files);
    await this.unitOfWork.run(businessId, ({ contacts }) => contacts.complete(businessId, contactId, files));
  }

  private async eraseOthers(businessId: number, contact: Erasure): Promise<void> {
    const count = await this.unitOfWork.run(businessId, async ({ others }) => others.length);
    for (let index = 0; index < count; index += 1) {
      const events = await this.unitOfWork.run(businessId, async ({ others }) => {
        await others[index]?.erase(businessId, contact);
        // `announce` locks the event counter. It runs last, so that other writers wait only for the commit.
        return (await others[index]?.announce?.(businessId, contact)) ?? [];
      });
      this.feed.publish(events);
    }
  }

  /** Clients get events only about the newest messages. Returns the files that only the chat's erased messages used. */
  private async eraseMessages(
    businessId: number,
    contactId: number,
    chatId: number,
    signal: AbortSignal | undefined,
  ): Promise<string[]> {
    const withdrawn: string[] = [];
    for (let before: number | null | undefined; before !== null; ) {
      const from: number | null = before ?? null;
      const { reached, files, events } = await this.unitOfWork.run(businessId, async (stores) => {
        const { contacts } = stores;
        const { reached, newest, files: named } = await contacts.eraseMessages(businessId, chatId, from);
        const files = named.length === 0 ? [] : await stores.files.withdraw(businessId, named);
        if (files.length > 0) await contacts.addFiles(businessId, contactId, files);
        const isTold = from === null && newest.length > 0;
        return { reached, files, events: isTold ? await contacts.announceMessages(businessId, chatId, newest) : [] };
      });
      this.feed.publish(events);
      withdrawn.push(...files);
      before = reached;
      // After an abort, the next call starts again from the newest message, but skips erased messages quickly.
      signal?.throwIfAborted();
    }
    return withdrawn;
  }

  /** Works in batches and does not lock the event counter, so that the business's other writes do not wait. */
  private async eraseEvents(businessId: number, contact: Erasure): Promise<void> {
    for (let reached: number | null = 0; reached !== null; ) {
      const after: number = reached;
      reached = await this.unitOfWork.run(businessId, ({ contacts }) =>
        contacts.eraseEvents(businessId, contact, after),
      );
    }
  }

  /** Removes the contact from stored webhooks; data of other customers and other businesses stays. */
  private async erasePayloads({ numbers: ids, knownOn, senders, sentUntil: until }: Erasure): Promise<void> {
    if (ids.length === 0) return;
    const sought = { texts: ids, channels: knownOn === null ? numberedChannels : [knownOn], until };
    await this.payloads.edit(sought, (kept) => this.payloadWithout(kept, { ids, senders }));
  }
}
