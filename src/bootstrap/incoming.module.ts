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
  type WebhookCounts,
  type WebhookReaders,
  WorkOffWebhooks,
} from "../inbox/public.ts";
import type { Secrets } from "../infra/crypto/secrets.ts";
import { background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell, Queries } from "../infra/postgres/database.ts";
import { isDatabaseFailure } from "../infra/postgres/database-failure.ts";
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
import { bringMovedWebhooks, RoutedWebhooks } from "./incoming-cells.ts";
import { provide, provideTick } from "./provide.ts";
import { sideBySide } from "./side-by-side.ts";

/** Days for which failed webhooks are kept for an operator. */
const keepFailedWebhooksDays = 7;

/** Wakes the processes that handle webhooks. */
const webhooksWaiting = "webhooks_waiting";

/** Handles webhooks of the platforms. */
export const incomingModule = new ContainerModule(({ bind }) => {
  provide(bind, "webhookQueue", ["cells"], (cells) => {
    const queues = queuesOf(cells);
    return queues.length === 1 ? (queues[0] as PostgresWebhookQueue) : new SpreadWebhookQueue(cells.directory, queues);
  });
  provide(
    bind,
    "keepWebhooks",
    ["cells", "openedCells", "directory"],
    (cells, opened, directory): Pick<KeepWebhooks, "keep"> => {
      const keepers = queuesOf(cells).map((queue) => new KeepWebhooks(queue, isDatabaseFailure));
      if (keepers.length === 1) return keepers[0] as KeepWebhooks;
      const byName = new Map(keepers.map((keeper, at) => [opened[at]?.name ?? "", keeper]));
      return new RoutedWebhooks(byName, directory, webhookReaders);
    },
  );
  provide(
    bind,
    "workOffWebhooks",
    ["cells", "campaignAnnouncer", "secrets", "feed", "aftermath", "log"],
    (cells, announcer, secrets, feed, aftermath, log) =>
      cells.parts().map((part) => {
        const unitOfWork = incomingUnitOfWork(part, announcer, secrets);
        const queue = new PostgresWebhookQueue(part.directory);
        return new WorkOffWebhooks(unitOfWork, queue, webhookReaders, feed, aftermath, (error, webhookId) =>
          webhookId === null
            ? log.warn({ err: error }, "a batch of webhooks could not be processed")
            : log.error({ err: error, webhookId }, "a webhook could not be processed"),
        );
      }),
  );
  provide(bind, "incomingUnitOfWork", ["cells", "campaignAnnouncer", "secrets"], (...deps) =>
    incomingUnitOfWork(...deps),
  );
  provide(
    bind,
    "aftermath",
    ["metrics", "earlyLoop", "mediaStorage", "mediaFiles", "notifications", "log"],
    (metrics, early, storage, files, notifications, log): Aftermath => {
      const remove = new RemoveWithdrawn(storage, files);
      return {
        onDropped: (channel, reason, count) => metrics.countDroppedNews(channel, reason, count),
        applyEarly: () => early.nudge(),
        fetchFiles: () => notifications.notify(filesWaiting),
        removeFiles: ({ businessId, names }) => {
          // A sweep removes what is left an hour later.
          remove
            .execute(businessId, names)
            .catch((error: unknown) => log.warn({ err: error, businessId }, "withdrawn files could not be removed"));
        },
      };
    },
  );
  provide(
    bind,
    "applyEarlyStatuses",
    ["cells", "campaignAnnouncer", "secrets", "feed"],
    (cells, announcer, secrets, feed) => {
      const all = cells
        .parts()
        .map((part) => new ApplyEarlyStatuses(incomingUnitOfWork(part, announcer, secrets), feed));
      return {
        execute: (signal) => sideBySide(all, (early) => early.execute(signal)),
        purge: () => sideBySide(all, (early) => early.purge()),
      };
    },
  );
  provide(bind, "earlyLoop", ["applyEarlyStatuses", "log"], (apply, log) => {
    return new NudgedLoop(
      (signal) => apply.execute(signal),
      (error) => log.error({ err: error }, "early delivery statuses could not be applied"),
    );
  });
  provide(bind, "background", ["earlyLoop"], (loop) =>
    background("early statuses", "intake", { stop: () => loop.stop() }),
  );
  provideTick(bind, "statuses.apply-early", 5, ["applyEarlyStatuses"], (early, signal) => early.execute(signal));
  provideTick(bind, "statuses.purge-early", 60, ["applyEarlyStatuses"], (early) => early.purge());
  provide(bind, "webhookLoop", ["workOffWebhooks", "log"], (all, log) => {
    const loops = all.map(
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
  provide(
    bind,
    "background",
    ["webhookLoop", "webhookQueue", "notifications", "metrics"],
    (loop, queue, notifications, metrics) => {
      notifications.onWork(webhooksWaiting, () => loop.nudge());
      const counts = cached(() => queue.counts());
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
  provideTick(bind, "webhooks.work-off", 5, ["notifications"], (notifications) =>
    notifications.notify(webhooksWaiting),
  );
  provide(bind, "tick", ["cells", "openedCells", "directory"], (cells, opened, directory) => {
    const parts = new Map(cells.parts().map((part, at) => [opened[at]?.name ?? "", part]));
    return tick("webhooks.follow", 2, async () => {
      if (parts.size > 1) await bringMovedWebhooks(parts, directory);
    });
  });
  provideTick(bind, "webhooks.purge", 3600, ["webhookQueue"], (queue) => queue.purge(keepFailedWebhooksDays));
});

const queuesOf = (cells: Cells<Cell>): readonly PostgresWebhookQueue[] =>
  cells.parts().map((part) => new PostgresWebhookQueue(part.directory));

/** The queues of several cells. Claims go to a single queue. */
class SpreadWebhookQueue extends PostgresWebhookQueue {
  constructor(
    directory: Queries,
    private readonly queues: readonly PostgresWebhookQueue[],
  ) {
    super(directory);
  }

  override async counts(): Promise<WebhookCounts> {
    const all = await this.ofEach((queue) => queue.counts());
    const sum = (of: keyof WebhookCounts) => all.reduce((total, each) => total + each[of], 0);
    return { due: sum("due"), postponed: sum("postponed"), givenUp: sum("givenUp") };
  }

  override async retryGivenUp(): Promise<number> {
    return (await this.ofEach((queue) => queue.retryGivenUp())).reduce((total, count) => total + count, 0);
  }

  override async purge(days: number): Promise<number> {
    return (await this.ofEach((queue) => queue.purge(days))).reduce((total, count) => total + count, 0);
  }

  /** Cells that do not answer are left out. */
  private async ofEach<Result>(ask: (queue: PostgresWebhookQueue) => Promise<Result>): Promise<Result[]> {
    const outcomes = await Promise.allSettled(this.queues.map(ask));
    return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  }
}

const webhookReaders: WebhookReaders = Object.fromEntries(
  Object.values(chatChannelKinds).map(({ name, receiving }) => [name, receiving.read]),
);

/** Announces the progress of campaigns. */
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
