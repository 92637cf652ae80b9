import { chatChannelKinds } from "../channels/channels.ts";
import { PostgresEarlyStatuses } from "../inbox/adapters/postgres/incoming/early-statuses.ts";
import { PostgresIncomingQueue } from "../inbox/adapters/postgres/incoming/incoming-queue.ts";
import { PostgresIncomingStore } from "../inbox/adapters/postgres/incoming/incoming-store.ts";
import { PostgresProvenSenders } from "../inbox/adapters/postgres/incoming/proven-senders.ts";
import {
  type Aftermath,
  ApplyEarlyStatuses,
  type IncomingStores,
  KeepIncoming,
  type WebhookReaders,
  WorkOffIncoming,
} from "../inbox/public.ts";
import type { Secrets } from "../infra/crypto/secrets.ts";
import { failingFast } from "../infra/postgres/cells/multiple-cells.ts";
import { sideBySide } from "../infra/postgres/cells/side-by-side.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell, Queries } from "../infra/postgres/database.ts";
import { isDatabaseFailure } from "../infra/postgres/database-failure.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { cached } from "../kernel/cached.ts";
import type { Log } from "../kernel/log.ts";
import { NudgedLoop } from "../kernel/nudged-loop.ts";
import { PostgresCampaignStatuses } from "../messaging/adapters/postgres/campaigns/campaign-statuses.ts";
import { PostgresMediaErasure } from "../messaging/adapters/postgres/media/media-erasure.ts";
import { PostgresTemplateNews } from "../messaging/adapters/postgres/templates/template-news.ts";
import { type CampaignAnnouncer, type MediaRegister, type MediaStorage, removeWithdrawn } from "../messaging/public.ts";
import { PostgresCatalogOrders } from "../orders/adapters/postgres/catalog-orders.ts";
import { noteOn } from "./audit.ts";
import { bringMovedIncoming, RoutedIncoming, upkeepOf } from "./incoming-cells.ts";
import { filesWaiting } from "./media.module.ts";
import type { OpenedCells } from "./opened-cell.ts";
import { moduleOf } from "./provide.ts";

/** Days for which failed webhooks are kept for an operator. */
const keepFailedWebhooksDays = 7;

/** Wakes the processes that handle webhooks. */
const webhooksWaiting = "webhooks_waiting";

/** Handles webhooks of the platforms. */
export const incomingModule = moduleOf(({ provide, provideTick, provideBackground }) => {
  provide("incomingUpkeep", ({ cells }) => upkeepOf(cells.parts().map(queueOf)));
  provide("keepIncoming", ({ cells, openedCells, directory }): Pick<KeepIncoming, "keep"> => {
    const keeperIn = (cell: Cell) => new KeepIncoming(new PostgresIncomingQueue(cell), isDatabaseFailure);
    if (openedCells.length === 1) return keeperIn(cells.common);
    const keepers = new Map([...byName(openedCells)].map(([name, cell]) => [name, keeperIn(cell)]));
    return new RoutedIncoming(keepers, directory, webhookReaders);
  });
  provide("workOffIncoming", ({ cells, campaignAnnouncer, secrets, feed, aftermath, log }) =>
    cells.parts().map((part) => {
      const unitOfWork = incomingUnitOfWork(part, campaignAnnouncer, secrets);
      return new WorkOffIncoming(unitOfWork, queueOf(part), webhookReaders, feed, aftermath, (error, webhookId) =>
        webhookId === null
          ? log.warn({ err: error }, "a batch of webhooks could not be processed")
          : log.error({ err: error, webhookId }, "a webhook could not be processed"),
      );
    }),
  );
  provide("incomingUnitOfWork", ({ cells, campaignAnnouncer, secrets }) =>
    incomingUnitOfWork(cells, campaignAnnouncer, secrets),
  );
  provide(
    "aftermath",
    ({ metrics, earlyLoop, mediaStorage, mediaFiles, notifications, log }): Aftermath => ({
      onDropped: (channel, reason, count) => metrics.countDroppedNews(channel, reason, count),
      applyEarly: () => earlyLoop.nudge(),
      fetchFiles: () => notifications.notify(filesWaiting),
      removeFiles: removing(mediaStorage, mediaFiles, log),
    }),
  );
  provide("applyEarlyStatuses", ({ cells, campaignAnnouncer, secrets, feed, mediaStorage, mediaFiles, log }) => {
    const removeFiles = removing(mediaStorage, mediaFiles, log);
    const all = cells
      .parts()
      .map((part) => new ApplyEarlyStatuses(incomingUnitOfWork(part, campaignAnnouncer, secrets), feed, removeFiles));
    return {
      execute: async (signal) => void (await sideBySide(all, (early) => early.execute(signal))),
      purge: async (signal) => void (await sideBySide(all, (early) => early.purge(signal))),
    };
  });
  provide("earlyLoop", ({ applyEarlyStatuses, log }) => {
    return new NudgedLoop(
      (signal) => applyEarlyStatuses.execute(signal),
      (error) => log.error({ err: error }, "early delivery statuses could not be applied"),
    );
  });
  provideBackground("early statuses", "intake", ({ earlyLoop }) => ({ stop: () => earlyLoop.stop() }));
  provideTick("statuses.apply-early", 5, ({ applyEarlyStatuses }, signal) => applyEarlyStatuses.execute(signal));
  provideTick("statuses.purge-early", 60, ({ applyEarlyStatuses }, signal) => applyEarlyStatuses.purge(signal));
  provide("incomingLoop", ({ workOffIncoming, log }) => {
    const loops = workOffIncoming.map(
      (workOff) =>
        new NudgedLoop(
          (signal) => workOff.execute(signal),
          (error) => log.error({ err: error }, "webhooks could not be processed"),
        ),
    );
    return {
      nudge: () => {
        for (const loop of loops) loop.nudge();
      },
      stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))),
    };
  });
  provideBackground("webhooks", "intake", ({ incomingLoop, incomingUpkeep, notifications, metrics }) => {
    notifications.onWork(webhooksWaiting, () => incomingLoop.nudge());
    const counts = cached(() => incomingUpkeep.counts());
    const about = "Webhooks of all channels that are kept, of all processes";
    return {
      start: () =>
        metrics.gauge("webhooks_waiting", about, async () => {
          const { due, postponed, givenUp } = await counts();
          return { due, postponed, given_up: givenUp };
        }),
      stop: () => incomingLoop.stop(),
    };
  });
  provideTick("webhooks.work-off", 5, ({ notifications }) => notifications.notify(webhooksWaiting));
  provideTick("webhooks.follow", 2, async ({ openedCells, directory }) => {
    if (openedCells.length > 1) await bringMovedIncoming(byName(openedCells), directory);
  });
  provideTick("webhooks.purge", 3600, ({ incomingUpkeep }) => incomingUpkeep.purge(keepFailedWebhooksDays));
});

const queueOf = (part: Cells<Cell>) => new PostgresIncomingQueue(part.common);

/** The cells by their names. A cell that is down fails at once. */
const byName = (opened: OpenedCells): ReadonlyMap<string, Cell> =>
  new Map(opened.map((cell) => [cell.name, failingFast(cell)]));

/** Files that cannot be removed now are removed later by the sweep of media files. */
const removing =
  (storage: MediaStorage | null, register: MediaRegister, log: Log): Aftermath["removeFiles"] =>
  (files) => {
    removeWithdrawn(storage, register, files).catch((error: unknown) =>
      log.warn({ err: error, businessId: files.businessId }, "withdrawn files could not be removed"),
    );
  };

const webhookReaders: WebhookReaders = Object.fromEntries(
  Object.values(chatChannelKinds).map(({ name, receiving }) => [name, receiving.read]),
);

const telling = (announcer: CampaignAnnouncer, changed: ReadonlyMap<number, readonly number[]>) => () => {
  for (const [businessId, campaignIds] of changed) announcer.touch(businessId, campaignIds);
};

const incomingUnitOfWork = (
  cells: Cells<Cell>,
  announcer: CampaignAnnouncer,
  secrets: Secrets,
): PostgresUnitOfWork<IncomingStores> =>
  new PostgresUnitOfWork(cells, (transaction) => incomingStores(transaction, announcer, secrets));

const incomingStores = (transaction: Queries, announcer: CampaignAnnouncer, secrets: Secrets): IncomingStores => ({
  deliveries: (channel) => ({
    apply: async (statuses) =>
      telling(announcer, await new PostgresCampaignStatuses(transaction, channel).apply(statuses)),
  }),
  templates: {
    apply: async (news, elsewhere) =>
      telling(announcer, await new PostgresTemplateNews(transaction).apply(news, elsewhere)),
  },
  queue: new PostgresIncomingQueue(transaction),
  senders: new PostgresProvenSenders(transaction),
  early: new PostgresEarlyStatuses(transaction),
  incoming: (channel) =>
    new PostgresIncomingStore(transaction, channel, {
      digestOf: secrets.digestNumber,
      note: noteOn(transaction),
      files: new PostgresMediaErasure(transaction),
      orders: new PostgresCatalogOrders(transaction),
    }),
});
