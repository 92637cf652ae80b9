import { cloudChannel } from "../../kernel/channels.ts";
import type { ErrorStatuses } from "../graph/graph.ts";
import { readRecipients } from "../settings.ts";
import type { Faults } from "./faults.ts";
import { BadInput, integer, object, oneOf, shape } from "./input.ts";
import {
  type Call,
  type ControlRoute,
  type CustomerSide,
  control,
  customerChannels,
  matchesQuery,
  type Platform,
} from "./route.ts";
import type { AcceptedMessage, Shared } from "./shared.ts";
import type { StatusQueues } from "./status-queues.ts";
import { readWebhookTarget, type Webhooks } from "./webhooks.ts";

/** Objects that the platforms and the control side share. */
export interface Core {
  readonly shared: Shared;
  readonly webhooks: Webhooks;
  readonly queues: StatusQueues;
  readonly errorStatuses: ErrorStatuses;
}

export function controlRoutes(
  platforms: readonly Platform[],
  faults: Faults,
  { shared, webhooks, queues }: Core,
): ControlRoute[] {
  const routes: ControlRoute[] = [
    control("GET /__sandbox", "this list", () => ({
      routes: routes.map(({ route, about }) => ({ route, about })),
    })),
    control(
      "DELETE /__sandbox",
      "forgets messages, faults, behaviour and opt-outs; accounts and the webhook's address stay",
      () => {
        for (const each of [faults, webhooks, queues, shared, ...platforms]) each.reset?.();
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
    control("GET /__sandbox/faults", "faults that are still to come", () => faults.list()),
    control("DELETE /__sandbox/faults", "removes the faults that are still to come", () => {
      faults.reset();
      return [];
    }),
    control(
      "POST /__sandbox/webhook",
      "where webhooks go and what signs them: {url, pageUrl, photoUrl, appSecret}",
      (input) => {
        webhooks.target = readWebhookTarget(input, "webhook");
        return { url: webhooks.target.url };
      },
    ),
    ...queues.control(),
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
      "GET /__sandbox/reads",
      "messages of customers that were marked as read, or on pages all of a customer's, when first and how often; " +
        "?message_id= ?customer=",
      (_, { query }) => shared.reads.list(query),
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
    ...customerRoutes(platforms),
    ...platforms.flatMap((platform) => platform.control),
  ];
  return routes;
}

const readChannel = oneOf(...customerChannels);

/** The routes for customers' actions on all channels. Each channel checks its own input. */
function customerRoutes(platforms: readonly Platform[]): ControlRoute[] {
  const route = (verb: keyof CustomerSide, about: string) =>
    control(`POST /__sandbox/customers/{id}/${verb}`, about, (input, { path: { id = "" } }) => {
      const { channel = "cloud", ...said } = object(input, "body");
      const name = readChannel(channel, "channel");
      const side = platforms.find(({ customers }) => customers?.[name])?.customers?.[name];
      if (!side) throw new BadInput(`customers of channel ${name} have no stand-in`);
      return side[verb](id, said);
    });
  const common = `channel: ${customerChannels.join(" | ")}, to, name, id, timestamp, repeat`;
  return [
    route(
      "say",
      `a customer writes: {${common}, text, reply_to, media: {type, mime, base64, filename}}, ` +
        "and what the channel has besides",
    ),
    route(
      "react",
      `a customer reacts to a message, or takes that back with an empty emoji: {${common}, message_id, emoji}`,
    ),
  ];
}

const readUndeliverable = shape({ numbers: readRecipients });

function listMessages(shared: Shared, { query }: Call): object[] {
  const to = query.get("to")?.replace(/^[ +]/, ""); // an unescaped plus in a query arrives as a space
  const since = momentOf(query.get("since") ?? "0");
  const limit = integer(1, 100_000)(Number(query.get("limit") ?? 1_000), "limit");
  const found = shared
    .oldestFirst()
    .filter(
      (message) =>
        message.at >= since &&
        (to === undefined || message.to === to) &&
        matchesQuery(query, "channel", message.channel) &&
        matchesQuery(query, "reference", message.reference),
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
