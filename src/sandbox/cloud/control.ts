import { BadInput, flag, integer, object, optional, shape } from "../core/input.ts";
import { type Answer, type Call, type ControlRoute, ok } from "../core/route.ts";
import { controlInput } from "../core/server.ts";
import { readAccount, readNumbers } from "../settings.ts";
import type { Cloud } from "./cloud.ts";

/** How tests and people at a terminal look into the Cloud API side and steer it. */
export function cloudControl(cloud: Cloud): ControlRoute[] {
  const { accounts, customers } = cloud;
  return [
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
        "adds or replaces a number: {token, accountId, phoneNumberId, displayPhoneNumber, messagesPerSecond, templates, " +
        "people}",
      handle: (call) => {
        const account = readAccount(controlInput(call), "account");
        accounts.put(account);
        return ok({ phoneNumberId: account.phoneNumberId, templates: account.templates.length });
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

const readBehaviour = shape({
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
