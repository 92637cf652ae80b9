import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { onTheWire } from "../infra/realtime/wire.ts";
import type { Log } from "../kernel/log.ts";
import { NudgedLoop } from "../kernel/nudged-loop.ts";
import { OccasionalLog } from "../kernel/occasional-log.ts";
import { paymentLinkRoutes } from "../orders/adapters/http/payment-link.routes.ts";
import { pusherAuthRoute } from "../orders/adapters/http/pusher-auth.route.ts";
import { HttpDeliveryPricing } from "../orders/adapters/http-client/delivery-pricing.ts";
import { HttpDriverTracking } from "../orders/adapters/http-client/driver-tracking.ts";
import { PostgresOrderEvents } from "../orders/adapters/postgres/order-events.ts";
import { PostgresLinkRenewals, PostgresPaymentLinks } from "../orders/adapters/postgres/payment-links.ts";
import { PostgresPushOutbox } from "../orders/adapters/postgres/push-outbox.ts";
import { PusherHost } from "../orders/adapters/pusher/pusher-host.ts";
import { fitting, pusherChannelOf } from "../orders/adapters/realtime/pusher-channel.ts";
import { orderEvents } from "../orders/adapters/wire/order-wire.ts";
import { PushOrderEvents, SendPaymentLink } from "../orders/public.ts";
import { moduleOf } from "./provide.ts";

/** Hours that events wait if no Pusher host is configured: time to configure it in all processes. */
const unpushedHours = 1;

const unpushed = "no Pusher host is configured: changes of orders of type app or web go to the Socket.IO namespace";
/** Wakes the processes that push orders. */
const ordersToPush = "orders_to_push";

export const paymentsModule = moduleOf(({ provide, provideTick, provideBackground }) => {
  provide("deliveryPricing", ["httpClient", "config", "log"], (client, { integrations }, log) => {
    const { deliveryPricingUrl: baseUrl, timeoutMs } = integrations;
    if (baseUrl === "") return null;
    const onFailure = warningOf(log, "the delivery pricing service gave no price");
    return new HttpDeliveryPricing({ client, baseUrl, timeoutMs, onFailure });
  });
  provide("driverTracking", ["httpClient", "config", "log"], (client, { integrations }, log) => {
    const { driverTrackingUrl: baseUrl, timeoutMs } = integrations;
    if (baseUrl === "") return { locate: async () => null };
    const onFailure = warningOf(log, "the driver tracking service gave no location");
    return new HttpDriverTracking({ client, baseUrl, timeoutMs, onFailure });
  });
  provide("pusherHost", ["config", "log"], ({ pusher }, log) => {
    if (pusher.host === "") return null;
    const warn = warningOf(log, "the Pusher host did not accept an event; it is tried again");
    const toWire = onTheWire(({ payload }) => orderEvents["order:changed"](payload as never), log);
    return new PusherHost({
      ...pusher,
      channelOf: pusherChannelOf,
      serialize: (event, limit) => {
        const wire = toWire(event);
        if (wire?.name !== event.name) throw new Error(`event ${event.number} cannot be put on the wire`);
        return fitting(wire.payload, limit);
      },
      onFailure: (reason, givenUp) =>
        givenUp ? log.error({ reason }, "pushing an order's change was given up") : warn(reason),
    });
  });
  provide("pushOutbox", ["cells"], (cells) => new PostgresPushOutbox(cells));
  provide("pushLoop", ["pushOutbox", "pusherHost", "log"], (outbox, host, log) => {
    const push = host && new PushOrderEvents(outbox, host);
    return new NudgedLoop(
      async (signal) => push?.execute(signal),
      (error) => log.error({ err: error }, "changes of orders could not be pushed"),
    );
  });
  provideBackground(
    "pushing of orders",
    "intake",
    ["pushLoop", "pusherHost", "notifications", "log"],
    (loop, host, notifications, log) => {
      if (host) notifications.onWork(ordersToPush, () => loop.nudge());
      return {
        start: () => void (host || log.info({}, unpushed)),
        stop: () => loop.stop(),
      };
    },
  );
  provideBackground("Pusher host", "means", ["pusherHost"], (host) => ({ stop: () => host?.close() }));
  provideTick(
    "orders.push",
    5,
    ["pusherHost", "notifications"],
    async (host, notifications) => host && notifications.notify(ordersToPush),
  );
  provideTick(
    "orders.forget-unpushed",
    600,
    ["pushOutbox", "pusherHost"],
    (outbox, host) => host ?? outbox.forget(unpushedHours),
  );

  provide("routes", ["cells", "feed", "businessMessages", "log"], (cells, feed, messages, log) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      links: new PostgresLinkRenewals(transaction),
      events: new PostgresOrderEvents(transaction),
    }));
    const send = new SendPaymentLink(new PostgresPaymentLinks(cells), unitOfWork, feed, (error) =>
      log.error({ err: error }, "a payment link could not be counted in the statistics"),
    );
    return paymentLinkRoutes(send, messages);
  });
  provide("routes", ["pusherHost"], (host) => [pusherAuthRoute(host, pusherChannelOf)]);
});

function warningOf(log: Log, message: string): (reason: string) => void {
  const warnings = new OccasionalLog(log);
  return (reason) => warnings.warn({ reason }, message);
}
