import { BadInput, flag, integer, object, optional, phoneNumber, shape } from "../core/input.ts";
import { type Answer, type Call, type ControlRoute, ok } from "../core/route.ts";
import { controlInput } from "../core/server.ts";
import { readAccount, readNumbers } from "../settings.ts";
import type { AcceptedMessage } from "./accepted.ts";
import type { Cloud } from "./cloud.ts";

/** How tests and people at a terminal look into the Cloud API side and steer it. */
export function cloudControl(cloud: Cloud): ControlRoute[] {
  const { accounts, accepted, customers } = cloud;
  return [
    {
      method: "GET",
      path: "/__sandbox/messages",
      about: "accepted messages, newest last; ?to= ?reference= ?since=<ISO time or ms> ?limit=<1000>",
      handle: (call) => ok(listMessages(cloud, call)),
    },
    {
      method: "GET",
      path: "/__sandbox/messages/count",
      about: "how many were accepted, requested, refused; distinct references and duplicates",
      handle: () => ok(accepted.counts()),
    },
    {
      method: "POST",
      path: "/__sandbox/customers/{number}/say",
      about: "a customer writes: {text, type, name, to, referral, context, button, content, id, timestamp, repeat}",
      handle: async (call) => ok(await customers.say(call.path.number ?? "", controlInput(call))),
    },
    {
      method: "POST",
      path: "/__sandbox/customers/{number}/preferences",
      about: 'a customer opts out of marketing or back in: {value: "stop" | "resume", to}',
      handle: async (call) => ok(await customers.prefer(call.path.number ?? "", controlInput(call))),
    },
    {
      method: "POST",
      path: "/__sandbox/webhooks",
      about: "how webhooks are delivered: {paused, shuffled, seed, repeat, fail_numbers, fail_code}",
      handle: (call) => changeBehaviour(cloud, call),
    },
    {
      method: "GET",
      path: "/__sandbox/webhooks",
      about: "that, with the statuses pending and dropped and the webhooks delivered and refused",
      handle: () => showBehaviour(cloud),
    },
    {
      method: "POST",
      path: "/__sandbox/accounts",
      about:
        "adds or replaces a number: {token, accountId, phoneNumberId, displayPhoneNumber, messagesPerSecond, templates}",
      handle: (call) => {
        const account = readAccount(controlInput(call), "account");
        accounts.put(account);
        return ok({ phoneNumberId: account.phoneNumberId, templates: account.templates.length });
      },
    },
    {
      method: "PUT",
      path: "/__sandbox/undeliverable",
      about: "the recipients that are refused with 131026: {numbers}",
      handle: (call) => {
        const { numbers } = shape({ numbers: readNumbers })(controlInput(call), "body");
        cloud.undeliverable = new Set(numbers);
        return ok({ numbers });
      },
    },
    {
      method: "PUT",
      path: "/__sandbox/error-status",
      about: 'the HTTP status of error codes: {"132001": 400}',
      handle: (call) => changeErrorStatuses(cloud, call),
    },
  ];
}

function listMessages({ accepted }: Cloud, { query }: Call): object[] {
  const to = query.get("to");
  const limit = query.get("limit");
  const found = accepted.list({
    to: to === null ? undefined : phoneNumber(plusRestored(to), "to"),
    reference: query.get("reference") ?? undefined,
    since: momentOf(query.get("since")),
    limit: limit === null ? 1_000 : integer(1, 100_000)(Number(limit), "limit"),
  });
  return found.map(view);
}

const view = (message: AcceptedMessage): object => ({
  id: message.id,
  at: new Date(message.at).toISOString(),
  phoneNumberId: message.sender.phoneNumberId,
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
const plusRestored = (number: string): string => number.replace(/^ /, "+");

function momentOf(since: string | null): number | undefined {
  if (since === null) return undefined;
  const moment = /^\d+$/.test(since) ? Number(since) : Date.parse(since);
  if (Number.isNaN(moment)) throw new BadInput("since must be an ISO time or milliseconds");
  return moment;
}

interface BehaviourChange {
  readonly paused: boolean | undefined;
  readonly shuffled: boolean | undefined;
  readonly seed: number | undefined;
  readonly repeat: number | undefined;
  readonly fail_numbers: readonly string[] | undefined;
  readonly fail_code: number | undefined;
}

const readBehaviour = shape<BehaviourChange>({
  paused: optional(flag),
  shuffled: optional(flag),
  seed: optional(integer(0, 2 ** 32 - 1)),
  repeat: optional(integer(1, 10)),
  fail_numbers: optional(readNumbers),
  fail_code: optional(integer(1, 999_999_999)),
});

function changeBehaviour(cloud: Cloud, call: Call): Answer {
  const change = readBehaviour(controlInput(call), "body");
  const before = cloud.statuses.behaviour;
  cloud.webhooks.repeat = change.repeat ?? cloud.webhooks.repeat;
  cloud.statuses.behave({
    paused: change.paused ?? before.paused,
    shuffled: change.shuffled ?? before.shuffled,
    seed: change.seed ?? before.seed,
    failNumbers: change.fail_numbers ? new Set(change.fail_numbers) : before.failNumbers,
    failCode: change.fail_code ?? before.failCode,
  });
  return showBehaviour(cloud);
}

function showBehaviour({ statuses, webhooks }: Cloud): Answer {
  const { paused, shuffled, seed, failNumbers, failCode } = statuses.behaviour;
  return ok({
    paused,
    shuffled,
    seed,
    repeat: webhooks.repeat,
    fail_numbers: [...failNumbers],
    fail_code: failCode,
    ...statuses.counts(),
    ...webhooks.counts,
  });
}

function changeErrorStatuses({ errorStatuses }: Cloud, call: Call): Answer {
  const wanted = Object.entries(object(controlInput(call), "body")).map(([code, status]) => {
    if (!/^\d{1,9}$/.test(code)) throw new BadInput(`${code} is not an error code`);
    return [Number(code), integer(400, 599)(status, code)] as const;
  });
  for (const [code, status] of wanted) errorStatuses.change(code, status);
  return ok(Object.fromEntries(wanted));
}
