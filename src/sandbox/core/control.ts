import { cloudChannel } from "../../kernel/channels.ts";
import { readNumbers } from "../settings.ts";
import type { AcceptedMessage, AcceptedMessages, Shared } from "./accepted.ts";
import type { Faults } from "./faults.ts";
import { BadInput, integer, shape } from "./input.ts";
import { type Call, type ControlRoute, control, type Platform } from "./route.ts";
import { readWebhookTarget, type Webhooks } from "./webhooks.ts";

/** The control routes that all platforms share, together with those of each. */
export function controlRoutes(
  platforms: readonly Platform[],
  faults: Faults,
  webhooks: Webhooks,
  shared: Shared,
): ControlRoute[] {
  const routes: ControlRoute[] = [
    control("GET", "", "this list", () => ({
      routes: routes.map(({ method, path, about }) => ({ route: `${method} ${path}`, about })),
    })),
    control(
      "DELETE",
      "",
      "forgets messages, faults, behaviour and opt-outs; accounts and the webhook's address stay",
      () => {
        for (const each of [faults, webhooks, shared, ...platforms]) each.reset?.();
        return { cleared: true };
      },
    ),
    control(
      "POST",
      "/faults",
      "what happens to the next requests: {count, path, status, code, subcode, message, retry_after, delay_ms, " +
        "hang, reset, garbage, accept}",
      (input) => {
        faults.add(input);
        return faults.list();
      },
    ),
    control("GET", "/faults", "faults that still wait", () => faults.list()),
    control("DELETE", "/faults", "removes the faults that still wait", () => {
      faults.reset();
      return [];
    }),
    control("POST", "/webhook", "where webhooks go and what signs them: {url, appSecret}", (input) => {
      webhooks.target = readWebhookTarget(input, "webhook");
      return { url: webhooks.target.url };
    }),
    control(
      "GET",
      "/messages",
      "accepted messages, newest last; ?to= ?channel= ?reference= ?since=<ISO time or ms> ?limit=<1000>",
      (_, call) => listMessages(shared.accepted, call),
    ),
    control(
      "GET",
      "/messages/count",
      "how many were accepted, requested, refused; distinct references and duplicates",
      () => shared.accepted.counts(),
    ),
    control(
      "PUT",
      "/undeliverable",
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

function listMessages(accepted: AcceptedMessages, { query }: Call): object[] {
  const limit = query.get("limit");
  const found = accepted.list({
    // A plus that was not escaped in a query arrives as a space.
    to: query.get("to")?.replace(/^[ +]/, ""),
    channel: query.get("channel") ?? undefined,
    reference: query.get("reference") ?? undefined,
    since: momentOf(query.get("since")),
    limit: limit === null ? 1_000 : integer(1, 100_000)(Number(limit), "limit"),
  });
  return found.map(view);
}

const view = (message: AcceptedMessage): object => ({
  id: message.id,
  at: new Date(message.at).toISOString(),
  channel: message.channel,
  from: message.from,
  ...(message.channel === cloudChannel ? { phoneNumberId: message.from } : {}),
  to: message.to,
  type: message.type,
  template: message.template,
  text: message.text,
  media: message.media,
  reaction: message.reaction,
  reference: message.reference,
  statuses: message.statuses,
});

function momentOf(since: string | null): number | undefined {
  if (since === null) return undefined;
  const moment = /^\d+$/.test(since) ? Number(since) : Date.parse(since);
  if (Number.isNaN(moment)) throw new BadInput("since must be an ISO time or milliseconds");
  return moment;
}
