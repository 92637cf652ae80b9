import { cloudChannel } from "../../kernel/channels.ts";
import { readNumbers } from "../settings.ts";
import type { AcceptedMessage, AcceptedMessages, Shared } from "./accepted.ts";
import type { Faults } from "./faults.ts";
import { BadInput, integer, shape } from "./input.ts";
import { type Call, type ControlRoute, ok, type Platform } from "./route.ts";
import { controlInput, controlPrefix } from "./server.ts";
import { readWebhookTarget, type Webhooks } from "./webhooks.ts";

/** The control routes that all platforms share, together with those of each. */
export function controlRoutes(
  platforms: readonly Platform[],
  faults: Faults,
  webhooks: Webhooks,
  shared: Shared,
): ControlRoute[] {
  const routes: ControlRoute[] = [
    {
      method: "GET",
      path: controlPrefix,
      about: "this list",
      handle: () => ok({ routes: routes.map(({ method, path, about }) => ({ route: `${method} ${path}`, about })) }),
    },
    {
      method: "DELETE",
      path: controlPrefix,
      about: "forgets messages, faults, behaviour and opt-outs; accounts and the webhook's address stay",
      handle: () => {
        faults.clear();
        webhooks.reset();
        shared.reset();
        for (const platform of platforms) platform.reset();
        return ok({ cleared: true });
      },
    },
    {
      method: "POST",
      path: `${controlPrefix}/faults`,
      about:
        "what happens to the next requests: {count, path, status, code, subcode, message, retry_after, delay_ms, " +
        "hang, reset, garbage, accept}",
      handle: (call) => {
        faults.add(controlInput(call));
        return ok(faults.list());
      },
    },
    {
      method: "GET",
      path: `${controlPrefix}/faults`,
      about: "faults that still wait",
      handle: () => ok(faults.list()),
    },
    {
      method: "DELETE",
      path: `${controlPrefix}/faults`,
      about: "removes the faults that still wait",
      handle: () => {
        faults.clear();
        return ok([]);
      },
    },
    {
      method: "POST",
      path: `${controlPrefix}/webhook`,
      about: "where webhooks go and what signs them: {url, appSecret}",
      handle: (call) => {
        const target = readWebhookTarget(controlInput(call), "webhook");
        webhooks.target = target;
        return ok({ url: target.url });
      },
    },
    {
      method: "GET",
      path: `${controlPrefix}/messages`,
      about: "accepted messages, newest last; ?to= ?channel= ?reference= ?since=<ISO time or ms> ?limit=<1000>",
      handle: (call) => ok(listMessages(shared.accepted, call)),
    },
    {
      method: "GET",
      path: `${controlPrefix}/messages/count`,
      about: "how many were accepted, requested, refused; distinct references and duplicates",
      handle: () => ok(shared.accepted.counts()),
    },
    {
      method: "PUT",
      path: `${controlPrefix}/undeliverable`,
      about: "the recipients that cannot be reached, 131026 on the cloud channel: {numbers}",
      handle: (call) => {
        const { numbers } = readUndeliverable(controlInput(call), "body");
        shared.undeliverable = new Set(numbers);
        return ok({ numbers });
      },
    },
    ...platforms.flatMap(({ control }) => control),
  ];
  return routes;
}

const readUndeliverable = shape({ numbers: readNumbers });

function listMessages(accepted: AcceptedMessages, { query }: Call): object[] {
  const to = query.get("to");
  const limit = query.get("limit");
  const found = accepted.list({
    to: to === null ? undefined : withoutPlus(to),
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

/** A plus that was not escaped in a query arrives as a space. */
const withoutPlus = (recipient: string): string => recipient.replace(/^[ +]/, "");

function momentOf(since: string | null): number | undefined {
  if (since === null) return undefined;
  const moment = /^\d+$/.test(since) ? Number(since) : Date.parse(since);
  if (Number.isNaN(moment)) throw new BadInput("since must be an ISO time or milliseconds");
  return moment;
}
