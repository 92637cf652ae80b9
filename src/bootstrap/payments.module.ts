import { ContainerModule } from "inversify";
import { background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
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
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

/** Milliseconds within which the same trouble is logged once. */
const silenceMs = 60_000;
/** Hours for which events wait where no process is to push them: long enough to change that setting everywhere. */
const unpushedHours = 1;

const unpushed = "no Pusher host is configured: changes of orders of type app or web go to the Socket.IO namespace";
/** Tells every process that there are changes of orders to push. */
const ordersToPush = "orders_to_push";

export const paymentsModule = new ContainerModule(({ bind }) => {
  const asked = [tokens.httpClient, tokens.config, tokens.log] as const;
  provide(bind, tokens.deliveryPricing, [...asked], (client, { integrations }, log) => {
    const { deliveryPricingUrl: baseUrl, timeoutMs } = integrations;
    if (baseUrl === "") return null;
    const onFailure = warningOf(log, "the delivery pricing names no price");
    return new HttpDeliveryPricing({ client, baseUrl, timeoutMs, onFailure });
  });
  provide(bind, tokens.driverTracking, [...asked], (client, { integrations }, log) => {
    const { driverTrackingUrl: baseUrl, timeoutMs } = integrations;
    if (baseUrl === "") return { locate: async () => null };
    const onFailure = warningOf(log, "the driver tracking tells no location");
    return new HttpDriverTracking({ client, baseUrl, timeoutMs, onFailure });
  });
  provide(bind, tokens.pusherHost, [tokens.config, tokens.log], ({ pusher }, log) => {
    if (pusher.host === "") return null;
    const warn = warningOf(log, "the Pusher host takes nothing; it is tried again");
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
        givenUp ? log.error({ reason }, "an order's change was not pushed, and is given up") : warn(reason),
    });
  });
  provide(bind, tokens.pushOutbox, [tokens.cells], (cells) => new PostgresPushOutbox(cells));
  provide(bind, tokens.pushLoop, [tokens.pushOutbox, tokens.pusherHost, tokens.log], (outbox, host, log) => {
    const push = host && new PushOrderEvents(outbox, host);
    return new NudgedLoop(
      async (signal) => push?.execute(signal),
      (error) => log.error({ err: error }, "orders' changes could not be pushed"),
    );
  });
  provide(
    bind,
    tokens.background,
    [tokens.pushLoop, tokens.pusherHost, tokens.notifications, tokens.log],
    (loop, host, notifications, log) => {
      if (host) notifications.onWork(ordersToPush, () => loop.nudge());
      return background("pushing of orders", "intake", {
        start: () => void (host || log.info({}, unpushed)),
        stop: () => loop.stop(),
      });
    },
  );
  provide(bind, tokens.background, [tokens.pusherHost], (host) =>
    background("Pusher host", "means", { stop: () => host?.close() }),
  );
  provide(bind, tokens.tick, [tokens.pusherHost, tokens.notifications], (host, notifications) =>
    tick("orders.push", 5, async () => host && notifications.notify(ordersToPush)),
  );
  provide(bind, tokens.tick, [tokens.pushOutbox, tokens.pusherHost], (outbox, host) =>
    tick("orders.forget-unpushed", 600, () => host ?? outbox.forget(unpushedHours)),
  );

  provide(
    bind,
    tokens.routes,
    [tokens.cells, tokens.feed, tokens.businessMessages, tokens.log],
    (cells, feed, messages, log) => {
      const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
        links: new PostgresLinkRenewals(transaction),
        events: new PostgresOrderEvents(transaction),
      }));
      const send = new SendPaymentLink(new PostgresPaymentLinks(cells), unitOfWork, feed, (error) =>
        log.error({ err: error }, "a payment link is missing in the statistics"),
      );
      return paymentLinkRoutes(send, messages);
    },
  );
  provide(bind, tokens.routes, [tokens.pusherHost], (host) => [pusherAuthRoute(host, pusherChannelOf)]);
});

function warningOf(log: Log, message: string): (reason: string) => void {
  const warnings = new OccasionalLog(log, silenceMs);
  return (reason) => warnings.warn({ reason }, message);
}
