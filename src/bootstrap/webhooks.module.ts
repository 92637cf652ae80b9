import { PostgresAuditLog } from "../administration/adapters/postgres/audit-log.ts";
import { newSigningSecret, type Secrets } from "../infra/crypto/secrets.ts";
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
import { PostgresDeliveryUpkeep } from "../webhooks/adapters/postgres/delivery-upkeep.ts";
import { DeliverWebhooks, ManageDeliveries, testType, type WebhookStores } from "../webhooks/public.ts";
import { moduleOf } from "./provide.ts";
import { toWire } from "./wire-events.ts";

/** Wakes the workers that deliver webhooks. */
export const deliveriesDue = "deliveries_due";

export const webhooksModule = moduleOf(({ provide, provideTick, provideBackground }) => {
  provide("deliveryQueue", ({ cells, secrets }) => new PostgresDeliveryQueue(cells, secrets));
  provide("deliveryUpkeep", ({ cells }) => new PostgresDeliveryUpkeep(cells));
  provide(
    "webhookSender",
    ({ config: { webhooks } }) =>
      new HttpWebhookSender({ timeoutMs: webhooks.timeoutMs, allowPrivate: webhooks.allowPrivateUrls }),
  );
  provideBackground("webhook sender", "means", ({ webhookSender }) => ({ stop: () => webhookSender.close() }));
  provide("deliverWebhooks", ({ deliveryQueue, webhookSender, cells, log }) => {
    const complaints = new OccasionalLog(log);
    return new DeliverWebhooks(deliveryQueue, webhookSender, webhookPayload, unitOfWorkOf(cells), (error, businessId) =>
      complaints.error({ err: error, businessId }, "deliveries to an endpoint broke off; they go on later"),
    );
  });
  provide("deliveryLoop", ({ deliverWebhooks, log }) => {
    const complaints = new OccasionalLog(log);
    return new NudgedLoop(
      (signal) => deliverWebhooks.execute(signal),
      (error) => complaints.error({ err: error }, "due webhook deliveries could not be read"),
    );
  });
  provideBackground("deliveries", "intake", ({ config: { role }, deliveryLoop, deliverWebhooks, notifications }) => {
    if (role !== "api") notifications.onWork(deliveriesDue, () => deliveryLoop.nudge());
    return {
      stop: async () => {
        await deliveryLoop.stop();
        await deliverWebhooks.idle();
      },
    };
  });
  provideBackground("figures of deliveries", "means", ({ deliveryUpkeep, metrics }) => {
    const counts = cached(() => deliveryUpkeep.counts());
    return {
      start: () => {
        metrics.gauge("outgoing_webhooks", "Deliveries to endpoints of businesses; endpoints disabled", async () => {
          const { waiting, failed, disabled } = await counts();
          return { waiting, failed, disabled };
        });
        const about = "Seconds for which the oldest delivery has been due";
        metrics.gauge("outgoing_webhooks_oldest_seconds", about, async () => (await counts()).oldest);
      },
    };
  });
  provideTick("webhooks.deliver", 2, ({ notifications }) => notifications.notify(deliveriesDue));
  provideTick("webhooks.tidy", 60, ({ deliveryUpkeep }, signal) => deliveryUpkeep.tidy(signal));
  provide("routes", ({ cells, secrets, notifications }) =>
    webhookRoutes(
      new ManageDeliveries(
        new PostgresDeliveryReads(cells),
        unitOfWorkOf(cells),
        newSecretBy(secrets),
        webhookPayload,
        () => notifications.notify(deliveriesDue),
        new PostgresZones(cells),
      ),
    ),
  );
});

export const newSecretBy = (secrets: Secrets) => (businessId: number) => {
  const secret = newSigningSecret();
  return { secret, sealed: secrets.seal(secret, businessId) };
};

/** A webhook has the same payload as an event for sockets of an App Key. */
const webhookPayload = (event: LoggedEvent): object => enveloped(event, event.name === testType ? {} : toWire(event));

const unitOfWorkOf = (cells: Cells<Cell>) =>
  new PostgresUnitOfWork(cells, (transaction): WebhookStores => {
    const audit = new PostgresAuditLog(transaction);
    return {
      webhooks: new PostgresWebhooks(transaction),
      note: (businessId, by, recordId, before, after) =>
        audit.add({ businessId, ...by }, [{ resource: "webhooks", recordId, change: "changed", before, after }]),
    };
  });
