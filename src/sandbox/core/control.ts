import { cloudChannel } from "../../kernel/channels.ts";
import { readNumbers } from "../settings.ts";
import type { Faults } from "./faults.ts";
import { BadInput, integer, shape } from "./input.ts";
import { type Call, type ControlRoute, control, isAskedFor, type Platform } from "./route.ts";
import type { AcceptedMessage, Shared } from "./shared.ts";
import { readWebhookTarget, type Webhooks } from "./webhooks.ts";

/** The control routes that all platforms share, together with those of each. */
export function controlRoutes(
  platforms: readonly Platform[],
  faults: Faults,
  webhooks: Webhooks,
  shared: Shared,
): ControlRoute[] {
  const routes: ControlRoute[] = [
    control("GET /__sandbox", "this list", () => ({
      routes: routes.map(({ route, about }) => ({ route, about })),
    })),
    control(
      "DELETE /__sandbox",
      "forgets messages, faults, behaviour and opt-outs; accounts and the webhook's address stay",
      () => {
        for (const each of [faults, webhooks, shared, ...platforms]) each.reset?.();
        return { cleared: true };
      },
    ),
    control(
      "POST /__sandbox/faults",
      "what happens to the next requests: {count, path, status, code, subcode, message, retry_after, delay_ms, " +
        "hang, reset, garbage, accept}",
      (input) => {
        faults.add(input);
        return faults.list();
      },
    ),
    control("GET /__sandbox/faults", "faults that still wait", () => faults.list()),
    control("DELETE /__sandbox/faults", "removes the faults that still wait", () => {
      faults.reset();
      return [];
    }),
    control("POST /__sandbox/webhook", "where webhooks go and what signs them: {url, appSecret}", (input) => {
      webhooks.target = readWebhookTarget(input, "webhook");
      return { url: webhooks.target.url };
    }),
    control(
      "GET /__sandbox/messages",
      "accepted messages, newest last; ?to= ?channel= ?reference= ?since=<ISO time or ms> ?limit=<1000>",
      (_, call) => listMessages(shared, call),
    ),
    control(
      "GET /__sandbox/messages/count",
      "how many were accepted, requested, refused; distinct references and duplicates",
      () => shared.counts(),
    ),
    control(
      "PUT /__sandbox/undeliverable",
      "the recipients that cannot be reached, 131026 on the cloud channel: {numbers}",
      (input) => {
        const { numbers } = readUndeliverable(input, "body");
        shared.undeliverable = new Set(numbers);
        return { numbers };
      },
    ),
    ...platforms.flatMap((platform) => platform.control),
  ];
  return routes;
}

const readUndeliverable = shape({ numbers: readNumbers });

function listMessages(shared: Shared, { query }: Call): object[] {
  const to = query.get("to")?.replace(/^[ +]/, ""); // a plus that was not escaped in a query arrives as a space
  const since = momentOf(query.get("since") ?? "0");
  const limit = integer(1, 100_000)(Number(query.get("limit") ?? 1_000), "limit");
  const found = shared
    .oldestFirst()
    .filter(
      (message) =>
        message.at >= since &&
        (to === undefined || message.to === to) &&
        isAskedFor(query, "channel", message.channel) &&
        isAskedFor(query, "reference", message.reference),
    );
  return found.slice(-limit).map(view);
}

const view = (message: AcceptedMessage): object => ({
  id: message.id,
  at: new Date(message.at).toISOString(),
  channel: message.channel,
  from: message.from,
  phoneNumberId: message.channel === cloudChannel ? message.from : undefined,
  to: message.to,
  type: message.type,
  template: message.template,
  text: message.text,
  media: message.media,
  reaction: message.reaction,
  reference: message.reference,
  context: message.context,
  statuses: message.statuses,
});

function momentOf(since: string): number {
  const moment = /^\d+$/.test(since) ? Number(since) : Date.parse(since);
  if (Number.isNaN(moment)) throw new BadInput("since must be an ISO time or milliseconds");
  return moment;
}
