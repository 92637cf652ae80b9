import { ContainerModule } from "inversify";
import { PostgresAuditLog } from "../administration/adapters/postgres/audit-log.ts";
import { newSigningSecret, type Secrets } from "../infra/crypto/secrets.ts";
import { background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
import { PostgresZones } from "../infra/postgres/business-zones.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell } from "../infra/postgres/database.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { enveloped } from "../infra/realtime/wire.ts";
import { cached } from "../kernel/cached.ts";
import type { LoggedEvent } from "../kernel/events.ts";
import { NudgedLoop } from "../kernel/nudged-loop.ts";
import { OccasionalLog } from "../kernel/occasional-log.ts";
import { webhookRoutes } from "../webhooks/adapters/http/webhooks.routes.ts";
import { HttpWebhookSender } from "../webhooks/adapters/http-client/webhook-sender.ts";
import { PostgresDeliveryReads, PostgresWebhooks } from "../webhooks/adapters/postgres/deliveries.ts";
import { PostgresDeliveryQueue } from "../webhooks/adapters/postgres/delivery-queue.ts";
import { DeliverWebhooks, keptDays, ManageDeliveries, testType, type WebhookStores } from "../webhooks/public.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";
import { toWire } from "./wire-events.ts";

/** Tells every worker that there may be something for endpoints of businesses. */
export const deliveriesDue = "deliveries_due";
/** Milliseconds for which figures from the database are good, however often they are asked for. */
const gaugeLifeMs = 5_000;
/** Milliseconds within which the same trouble is logged once. */
const silenceMs = 60_000;

export const webhooksModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.deliveryQueue, [tokens.cells, tokens.secrets], (...deps) => new PostgresDeliveryQueue(...deps));
  provide(
    bind,
    tokens.webhookSender,
    [tokens.config],
    ({ webhooks: { timeoutMs, allowPrivateUrls } }) =>
      new HttpWebhookSender({ timeoutMs, allowPrivate: allowPrivateUrls }),
  );
  provide(bind, tokens.background, [tokens.webhookSender], (sender) =>
    background("webhook sender", "means", { stop: () => sender.close() }),
  );
  provide(
    bind,
    tokens.deliverWebhooks,
    [tokens.deliveryQueue, tokens.webhookSender, tokens.cells, tokens.log],
    (queue, sender, cells, log) => {
      const complaints = new OccasionalLog(log, silenceMs);
      return new DeliverWebhooks(queue, sender, spell, unitOfWorkOf(cells), (error, businessId) =>
        complaints.error({ err: error, businessId }, "deliveries to an endpoint broke off; they go on later"),
      );
    },
  );
  provide(bind, tokens.deliveryLoop, [tokens.deliverWebhooks, tokens.log], (deliver, log) => {
    const complaints = new OccasionalLog(log, silenceMs);
    return new NudgedLoop(
      (signal) => deliver.execute(signal),
      (error) => complaints.error({ err: error }, "what is to be delivered to endpoints could not be found out"),
    );
  });
  provide(
    bind,
    tokens.background,
    [tokens.config, tokens.deliveryLoop, tokens.deliverWebhooks, tokens.notifications],
    ({ role }, loop, deliver, notifications) => {
      if (role !== "api") notifications.onWork(deliveriesDue, () => loop.nudge());
      return background("deliveries", "intake", {
        stop: async () => {
          await loop.stop();
          await deliver.idle();
        },
      });
    },
  );
  provide(bind, tokens.background, [tokens.deliveryQueue, tokens.metrics], (queue, metrics) => {
    const counts = cached(gaugeLifeMs, () => queue.counts());
    return background("figures of deliveries", "means", {
      start: () => {
        metrics.gauge("outgoing_webhooks", "Deliveries to endpoints of businesses; endpoints disabled", async () => {
          const { waiting, failed, disabled } = await counts();
          return { waiting, failed, disabled };
        });
        const about = "Seconds for which the oldest delivery has been due";
        metrics.gauge("outgoing_webhooks_oldest_seconds", about, async () => (await counts()).oldest);
      },
    });
  });
  provide(bind, tokens.tick, [tokens.notifications], (notifications) =>
    tick("webhooks.deliver", 2, () => notifications.notify(deliveriesDue)),
  );
  provide(bind, tokens.tick, [tokens.deliveryQueue], (queue) => tick("webhooks.tidy", 60, () => queue.tidy(keptDays)));
  provide(bind, tokens.routes, [tokens.cells, tokens.secrets, tokens.notifications], (cells, secrets, notifications) =>
    webhookRoutes(
      new ManageDeliveries(
        new PostgresDeliveryReads(cells),
        unitOfWorkOf(cells),
        newSecretBy(secrets),
        spell,
        () => notifications.notify(deliveriesDue),
        new PostgresZones(cells),
      ),
    ),
  );
});

/** A secret of an endpoint, and as it is stored. */
export const newSecretBy = (secrets: Secrets) => (businessId: number) => {
  const secret = newSigningSecret();
  return { secret, sealed: secrets.seal(secret, businessId) };
};

/** As the sockets of an App Key hear it. */
const spell = (event: LoggedEvent): object => enveloped(event, event.name === testType ? {} : toWire(event));

const unitOfWorkOf = (cells: Cells<Cell>) =>
  new PostgresUnitOfWork(cells, (transaction): WebhookStores => {
    const audit = new PostgresAuditLog(transaction);
    return {
      webhooks: new PostgresWebhooks(transaction),
      note: (businessId, by, recordId, before, after) =>
        audit.add({ businessId, ...(by ?? { kind: "system", id: null, address: "" }) }, [
          { resource: "webhooks", recordId, change: "changed", before, after },
        ]),
    };
  });
