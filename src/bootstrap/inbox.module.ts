import { ContainerModule } from "inversify";
import { readCloudWebhook } from "../inbox/adapters/http/cloud-payload.ts";
import { cloudWebhookRoutes } from "../inbox/adapters/http/cloud-webhook.routes.ts";
import { ticketStepsRoute } from "../inbox/adapters/http/ticket-steps.route.ts";
import { PostgresIncomingStore } from "../inbox/adapters/postgres/incoming-store.ts";
import { PostgresOutgoingMessages } from "../inbox/adapters/postgres/outgoing-messages.ts";
import { PostgresTicketSteps } from "../inbox/adapters/postgres/ticket-steps.ts";
import { PostgresWebhookQueue } from "../inbox/adapters/postgres/webhook-queue.ts";
import type { IncomingStores } from "../inbox/application/ports.ts";
import { SettleExpired } from "../inbox/application/settle-expired.ts";
import { WorkOffWebhooks } from "../inbox/application/work-off-webhooks.ts";
import type { Queries } from "../infra/postgres/database.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { cloudChannel } from "../kernel/channels.ts";
import { NudgedLoop } from "../kernel/nudged-loop.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

/** Days for which webhooks that could not be worked off are kept for an operator to look at. */
const keepFailedWebhooksDays = 7;

export const inboxModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.outgoingMessages, [tokens.database, tokens.config], (database, { messages }) => {
    return new PostgresOutgoingMessages(database, messages.leaseSeconds);
  });
  provide(bind, tokens.settleExpired, [tokens.outgoingMessages, tokens.feed], (...deps) => new SettleExpired(...deps));
  provide(bind, tokens.webhookQueue, [tokens.database], (database) => new PostgresWebhookQueue(database));
  provide(
    bind,
    tokens.workOffWebhooks,
    [tokens.database, tokens.webhookQueue, tokens.feed, tokens.log],
    (database, queue, feed, log) => {
      const unitOfWork = new PostgresUnitOfWork(database, incomingStores);
      return new WorkOffWebhooks(unitOfWork, queue, readCloudWebhook, feed, (error, webhookId) =>
        log.error({ err: error, webhookId }, "a webhook could not be worked off"),
      );
    },
  );
  provide(bind, tokens.webhookLoop, [tokens.workOffWebhooks, tokens.log], (workOff, log) => {
    return new NudgedLoop(
      () => workOff.execute(),
      (error) => log.error({ err: error }, "webhooks could not be worked off"),
    );
  });
  provide(bind, tokens.ticketSteps, [tokens.database], (database) => new PostgresTicketSteps(database));

  provide(bind, tokens.tick, [tokens.settleExpired], (settleExpired) => ({
    name: "messages.settle",
    everySeconds: 5,
    run: async (signal) => void (await settleExpired.execute(signal)),
  }));
  provide(bind, tokens.tick, [tokens.webhookLoop], (loop) => ({
    name: "webhooks.work-off",
    everySeconds: 5,
    run: async () => loop.nudge(),
  }));
  provide(bind, tokens.tick, [tokens.webhookQueue], (queue) => ({
    name: "webhooks.purge",
    everySeconds: 3600,
    run: async () => void (await queue.purge(keepFailedWebhooksDays)),
  }));
  provide(bind, tokens.tick, [tokens.eventLog, tokens.config], (eventLog, { realtime }) => ({
    name: "events.purge",
    everySeconds: 600,
    run: async () => void (await eventLog.purge(realtime.keepEventsHours)),
  }));

  provide(bind, tokens.routes, [tokens.ticketSteps], (steps) => [ticketStepsRoute(steps)]);
  provide(
    bind,
    tokens.routes,
    [tokens.config, tokens.webhookQueue, tokens.webhookLoop],
    ({ messagingPlatform }, queue, loop) => cloudWebhookRoutes(messagingPlatform, queue, () => loop.nudge()),
  );
});

const incomingStores = (transaction: Queries): IncomingStores => ({
  queue: new PostgresWebhookQueue(transaction),
  incoming: new PostgresIncomingStore(transaction, cloudChannel),
});
