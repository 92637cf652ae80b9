import { ContainerModule } from "inversify";
import { chatChannelKinds } from "../channels/channels.ts";
import { PostgresEarlyStatuses } from "../inbox/adapters/postgres/early-statuses.ts";
import { PostgresIncomingStore } from "../inbox/adapters/postgres/incoming-store.ts";
import { PostgresProvenSenders } from "../inbox/adapters/postgres/proven-senders.ts";
import { PostgresWebhookQueue } from "../inbox/adapters/postgres/webhook-queue.ts";
import {
  type Aftermath,
  ApplyEarlyStatuses,
  type IncomingStores,
  KeepWebhooks,
  type WebhookReaders,
  WorkOffWebhooks,
} from "../inbox/public.ts";
import type { Secrets } from "../infra/crypto/secrets.ts";
import { background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
import type { Queries } from "../infra/postgres/database.ts";
import { isOwnTrouble } from "../infra/postgres/own-trouble.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { cached } from "../kernel/cached.ts";
import { NudgedLoop } from "../kernel/nudged-loop.ts";
import { PostgresCampaignStatuses } from "../messaging/adapters/postgres/campaigns/campaign-statuses.ts";
import { PostgresMediaErasure } from "../messaging/adapters/postgres/media/media-erasure.ts";
import { PostgresTemplateNews } from "../messaging/adapters/postgres/templates/template-news.ts";
import { type CampaignAnnouncer, RemoveWithdrawn } from "../messaging/public.ts";
import { PostgresCatalogOrders } from "../orders/adapters/postgres/catalog-orders.ts";
import { noteOn } from "./audit.ts";
import { filesWaiting } from "./files.module.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

/** Milliseconds for which figures from the database are good, however often they are asked for. */
const gaugeLifeMs = 5_000;
/** Days for which webhooks that could not be worked off are kept for an operator to look at. */
const keepFailedWebhooksDays = 7;

/** Tells every process that there are webhooks to work off. */
const webhooksWaiting = "webhooks_waiting";

/** What platforms told, from its arrival to the inbox. */
export const incomingModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.webhookQueue, [tokens.cells], ({ directory }) => new PostgresWebhookQueue(directory));
  provide(bind, tokens.keepWebhooks, [tokens.webhookQueue], (queue) => new KeepWebhooks(queue, isOwnTrouble));
  provide(
    bind,
    tokens.workOffWebhooks,
    [tokens.incomingUnitOfWork, tokens.webhookQueue, tokens.feed, tokens.aftermath, tokens.log],
    (unitOfWork, queue, feed, aftermath, log) =>
      new WorkOffWebhooks(unitOfWork, queue, webhookReaders, feed, aftermath, (error, webhookId) =>
        webhookId === null
          ? log.warn({ err: error }, "a batch of webhooks could not be worked off")
          : log.error({ err: error, webhookId }, "a webhook could not be worked off"),
      ),
  );
  provide(
    bind,
    tokens.incomingUnitOfWork,
    [tokens.cells, tokens.campaignAnnouncer, tokens.secrets],
    (cells, announcer, secrets) =>
      new PostgresUnitOfWork(cells, (transaction) => incomingStores(transaction, announcer, secrets)),
  );
  provide(
    bind,
    tokens.aftermath,
    [tokens.metrics, tokens.earlyLoop, tokens.mediaStorage, tokens.mediaFiles, tokens.notifications, tokens.log],
    (metrics, early, storage, files, notifications, log): Aftermath => {
      const remove = new RemoveWithdrawn(storage, files);
      return {
        onDropped: (channel, reason, count) => metrics.countDroppedNews(channel, reason, count),
        applyEarly: () => early.nudge(),
        fetchFiles: () => notifications.notify(filesWaiting),
        removeFiles: ({ businessId, names }) => {
          // What is left is swept an hour later.
          remove
            .execute(businessId, names)
            .catch((error: unknown) => log.warn({ err: error, businessId }, "withdrawn files could not be removed"));
        },
      };
    },
  );
  provide(
    bind,
    tokens.applyEarlyStatuses,
    [tokens.incomingUnitOfWork, tokens.feed],
    (unitOfWork, feed) => new ApplyEarlyStatuses(unitOfWork, feed),
  );
  provide(bind, tokens.earlyLoop, [tokens.applyEarlyStatuses, tokens.log], (apply, log) => {
    return new NudgedLoop(
      (signal) => apply.execute(signal),
      (error) => log.error({ err: error }, "early delivery statuses could not be applied"),
    );
  });
  provide(bind, tokens.background, [tokens.earlyLoop], (loop) =>
    background("early statuses", "intake", { stop: () => loop.stop() }),
  );
  provide(bind, tokens.tick, [tokens.applyEarlyStatuses], (early) =>
    tick("statuses.apply-early", 5, (signal) => early.execute(signal)),
  );
  provide(bind, tokens.tick, [tokens.applyEarlyStatuses], (early) =>
    tick("statuses.purge-early", 60, () => early.purge()),
  );
  provide(bind, tokens.webhookLoop, [tokens.workOffWebhooks, tokens.log], (workOff, log) => {
    return new NudgedLoop(
      (signal) => workOff.execute(signal),
      (error) => log.error({ err: error }, "webhooks could not be worked off"),
    );
  });
  provide(
    bind,
    tokens.background,
    [tokens.webhookLoop, tokens.webhookQueue, tokens.notifications, tokens.metrics],
    (loop, queue, notifications, metrics) => {
      notifications.onWork(webhooksWaiting, () => loop.nudge());
      const counts = cached(gaugeLifeMs, () => queue.counts());
      const about = "Webhooks of all channels that are kept, of all processes";
      return background("webhooks", "intake", {
        start: () =>
          metrics.gauge("webhooks_waiting", about, async () => {
            const { due, postponed, givenUp } = await counts();
            return { due, postponed, given_up: givenUp };
          }),
        stop: () => loop.stop(),
      });
    },
  );
  provide(bind, tokens.tick, [tokens.notifications], (notifications) =>
    tick("webhooks.work-off", 5, () => notifications.notify(webhooksWaiting)),
  );
  provide(bind, tokens.tick, [tokens.webhookQueue], (queue) =>
    tick("webhooks.purge", 3600, () => queue.purge(keepFailedWebhooksDays)),
  );
});

const webhookReaders: WebhookReaders = Object.fromEntries(
  Object.values(chatChannelKinds).map(({ name, receiving }) => [name, receiving.read]),
);

/** Tells where campaigns stand, by their business. */
const telling = (announcer: CampaignAnnouncer, changed: ReadonlyMap<number, readonly number[]>) => () => {
  for (const [businessId, campaignIds] of changed) announcer.touch(businessId, campaignIds);
};

const incomingStores = (transaction: Queries, announcer: CampaignAnnouncer, secrets: Secrets): IncomingStores => ({
  deliveries: (channel) => ({
    apply: async (statuses) =>
      telling(announcer, await new PostgresCampaignStatuses(transaction, channel).apply(statuses)),
  }),
  templates: {
    apply: async (news) => telling(announcer, await new PostgresTemplateNews(transaction).apply(news)),
  },
  queue: new PostgresWebhookQueue(transaction),
  senders: new PostgresProvenSenders(transaction),
  early: new PostgresEarlyStatuses(transaction),
  incoming: (channel) =>
    new PostgresIncomingStore(transaction, channel, {
      digestOf: (customer) => secrets.digestNumber(customer),
      note: noteOn(transaction),
      files: new PostgresMediaErasure(transaction),
      orders: new PostgresCatalogOrders(transaction),
    }),
});
