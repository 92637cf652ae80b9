import { chatChannelKinds, settingsOf } from "../channels/channels.ts";
import { rowsWithout } from "../inbox/adapters/http/contact-rows.ts";
import { contactsRoutes } from "../inbox/adapters/http/contacts.routes.ts";
import { importContactsRoutes } from "../inbox/adapters/http/import-contacts.routes.ts";
import { PostgresContactEdits } from "../inbox/adapters/postgres/contacts/contact-edits.ts";
import { PostgresContactErasure } from "../inbox/adapters/postgres/contacts/contact-erasure.ts";
import { PostgresContactReads } from "../inbox/adapters/postgres/contacts/contact-reads.ts";
import { PostgresKeptPayloads } from "../inbox/adapters/postgres/contacts/kept-payloads.ts";
import { PostgresNaming, PostgresUnnamedContacts } from "../inbox/adapters/postgres/contacts/unnamed-contacts.ts";
import {
  EditContacts,
  EraseContact,
  type ErasureStores,
  ImportContacts,
  NameContacts,
  type UnnamedContact,
} from "../inbox/public.ts";
import { newToken } from "../infra/crypto/secrets.ts";
import { PostgresRefusedRows } from "../infra/postgres/refused-rows.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { ImportRows } from "../kernel/row-imports.ts";
import { PostgresCampaignErasure } from "../messaging/adapters/postgres/campaigns/campaign-erasure.ts";
import { PostgresMediaErasure } from "../messaging/adapters/postgres/media/media-erasure.ts";
import { removeWithdrawn } from "../messaging/public.ts";
import { PostgresOrderErasure } from "../orders/adapters/postgres/order-erasure.ts";
import { PostgresWebhookErasure } from "../webhooks/adapters/postgres/webhook-erasure.ts";
import { noteOn } from "./audit.ts";
import { moduleOf } from "./provide.ts";

/** The longest wait for a platform's answer with a customer's name, in milliseconds. */
const longestNameMs = 5_000;

export const contactsModule = moduleOf(({ provide, provideTick }) => {
  provide("eraseContact", ({ cells, slowCells, feed, secrets, mediaStorage, mediaFiles, log }) => {
    const unitOfWork = new PostgresUnitOfWork(
      slowCells,
      (transaction): ErasureStores => ({
        contacts: new PostgresContactErasure(transaction, secrets.digestNumber, secrets),
        others: [new PostgresCampaignErasure(transaction), new PostgresOrderErasure(transaction)],
        files: new PostgresMediaErasure(transaction),
        copies: [new PostgresWebhookErasure(transaction)],
        note: noteOn(transaction),
      }),
    );
    return new EraseContact(
      unitOfWork,
      new PostgresKeptPayloads(cells),
      new PostgresRefusedRows(slowCells, "contacts"),
      ({ channel, payload }, forgotten) => chatChannelKinds[channel].receiving.without(payload, forgotten),
      rowsWithout,
      (businessId, names) => removeWithdrawn(mediaStorage, mediaFiles, { businessId, names }),
      feed,
      (error) => log.warn({ err: error }, "the erasure of a contact is completed later"),
    );
  });
  provideTick("contacts.complete-erasure", 30, ({ eraseContact }, signal) => eraseContact.complete(signal));
  provide("routes", ({ cells, slowCells, feed, secrets, eraseContact, log }) => {
    const unitOfWork = new PostgresUnitOfWork(
      cells,
      (transaction) => new PostgresContactEdits(transaction, secrets.digestNumber),
    );
    const reads = new PostgresContactReads(cells);
    const slowReads = new PostgresContactReads(slowCells);
    const edits = new EditContacts(reads, unitOfWork, feed);
    const refused = new PostgresRefusedRows(cells, "contacts");
    const imports = new ImportContacts(unitOfWork, new ImportRows(refused, () => newToken("r")));
    const onFailure = (error: unknown) => log.warn({ err: error }, "an import of contacts broke off");
    return [
      ...contactsRoutes(reads, slowReads, edits, eraseContact),
      ...importContactsRoutes(imports, refused, onFailure),
    ];
  });
  provide(
    "nameContacts",
    ({ cells, feed, senderDirectory, httpClient, config: { messagingPlatform, channels }, log }) => {
      const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => new PostgresNaming(transaction));
      const timeoutMs = Math.min(messagingPlatform.timeoutMs, longestNameMs);
      const platforms = { client: httpClient, messagingPlatform: { ...messagingPlatform, timeoutMs }, urls: channels };
      const ask = async ({ businessId, chatId, provider, platformId }: UnnamedContact): Promise<string | null> => {
        const kind = Object.values(chatChannelKinds).find(({ name }) => name === provider);
        const settings = kind ? settingsOf(kind.name, platforms) : null;
        const sender = kind && settings ? await senderDirectory.forChat(businessId, kind.name, chatId) : null;
        return settings && sender ? ((await kind?.receiving.nameOf?.(settings, sender, platformId)) ?? null) : null;
      };
      return new NameContacts(new PostgresUnnamedContacts(cells), unitOfWork, ask, feed, (error, businessId) =>
        log.warn({ err: error, businessId }, "a contact could not be named; it is tried again"),
      );
    },
  );
  provideTick("contacts.name", 5, ({ nameContacts }, signal) => nameContacts.execute(signal));
  provideTick("contacts.purge-refused", 3600, ({ cells }, signal) =>
    new PostgresRefusedRows(cells, "contacts").purge(signal),
  );
});
