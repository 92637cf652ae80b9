import { BadInput, flag, integer, object, optional, shape } from "../core/input.ts";
import { control, type Platform } from "../core/route.ts";
import type { Shared } from "../core/shared.ts";
import type { Webhooks } from "../core/webhooks.ts";
import { type ErrorStatuses, graphFailure } from "../graph/graph.ts";
import { readAccount, readNumbers, type SandboxSettings } from "../settings.ts";
import { Accounts } from "./accounts.ts";
import { Customers } from "./customers.ts";
import { Reads } from "./reads.ts";
import { cloudRoutes } from "./routes.ts";
import { StatusQueue } from "./statuses.ts";
import { TemplateReviews } from "./template-reviews.ts";

/** The Cloud API: messages, templates and what belongs to them, with delivery statuses by webhook. */
export function cloudPlatform(
  settings: SandboxSettings,
  shared: Shared,
  errorStatuses: ErrorStatuses,
  webhooks: Webhooks,
  log: (line: string) => void,
): Platform {
  const accounts = new Accounts(settings.accounts);
  const statuses = new StatusQueue(webhooks, settings.statusDelayMs ?? 50, log);
  const customers = new Customers(accounts, webhooks);
  const reads = new Reads();
  const reviews = new TemplateReviews(accounts, webhooks, settings.reviewDelayMs ?? 2_000);
  return {
    routes: cloudRoutes({ accounts, customers, statuses, reads, reviews, shared }),
    control: [
      control(
        "POST /__sandbox/customers/{number}/say",
        "a customer writes: {text, type, name, to, channel, reply_to, media: {type, mime, base64, filename}, referral, " +
          "context, button, content, id, timestamp, repeat}",
        (input, { path }) => customers.say(path.number ?? "", input),
      ),
      control(
        "POST /__sandbox/customers/{number}/react",
        "a customer reacts to a message, or takes that back with an empty emoji: {message_id, emoji, to, name, id, " +
          "timestamp, repeat}",
        (input, { path }) => customers.react(path.number ?? "", input),
      ),
      control(
        "GET /__sandbox/reads",
        "messages of customers that were marked as read, when first and how often; ?message_id=",
        (_, { query }) => reads.list(query),
      ),
      control(
        "POST /__sandbox/customers/{number}/preferences",
        'a customer opts out of marketing or back in: {value: "stop" | "resume", to}',
        (input, { path }) => customers.prefer(path.number ?? "", input),
      ),
      control(
        "POST /__sandbox/webhooks",
        "how webhooks are delivered: {paused, shuffled, seed, repeat, fail_numbers, fail_code}",
        (input) => changeBehaviour(statuses, webhooks, input),
      ),
      control(
        "GET /__sandbox/webhooks",
        "that, with the statuses pending and dropped and the webhooks delivered and refused",
        () => behaviourOf(statuses, webhooks),
      ),
      control(
        "POST /__sandbox/accounts",
        "adds or replaces a number: {token, accountId, phoneNumberId, displayPhoneNumber, messagesPerSecond, templates, " +
          "people}",
        (input) => {
          const account = readAccount(input, "account");
          accounts.put(account);
          return { phoneNumberId: account.phoneNumberId, templates: account.templates.length };
        },
      ),
      control(
        "POST /__sandbox/reviews",
        'how templates are judged from now on: {outcome: "APPROVED" | "REJECTED" | "PENDING", reason, delay_ms}',
        (input) => reviews.behave(input),
      ),
      control(
        "POST /__sandbox/templates/{name}",
        "changes a template, told by webhook: {event: APPROVED | REJECTED | PAUSED | DISABLED | REINSTATED | ..., reason, " +
          "category, language, account}",
        (input, { path }) => reviews.change(path.name ?? "", input),
      ),
      control("PUT /__sandbox/error-status", 'the HTTP status of error codes: {"132001": 400}', (input) =>
        changeErrorStatuses(errorStatuses, input),
      ),
    ],
    failure: graphFailure(errorStatuses),
    reset() {
      customers.clear();
      reads.clear();
      statuses.reset();
      reviews.reset();
      errorStatuses.clear();
    },
    close() {
      statuses.reset();
      reviews.reset();
    },
  };
}

const readBehaviour = shape({
  paused: optional(flag),
  shuffled: optional(flag),
  seed: optional(integer(0, 2 ** 32 - 1)),
  repeat: optional(integer(1, 10)),
  fail_numbers: optional(readNumbers),
  fail_code: optional(integer(1, 999_999_999)),
});

function changeBehaviour(statuses: StatusQueue, webhooks: Webhooks, input: unknown): object {
  const change = readBehaviour(input, "body");
  const before = statuses.behaviour;
  webhooks.repeat = change.repeat ?? webhooks.repeat;
  statuses.behave({
    paused: change.paused ?? before.paused,
    shuffled: change.shuffled ?? before.shuffled,
    seed: change.seed ?? before.seed,
    failNumbers: change.fail_numbers ? new Set(change.fail_numbers) : before.failNumbers,
    failCode: change.fail_code ?? before.failCode,
  });
  return behaviourOf(statuses, webhooks);
}

function behaviourOf(statuses: StatusQueue, webhooks: Webhooks): object {
  const { paused, shuffled, seed, failNumbers, failCode } = statuses.behaviour;
  return {
    paused,
    shuffled,
    seed,
    repeat: webhooks.repeat,
    fail_numbers: [...failNumbers],
    fail_code: failCode,
    ...statuses.counts(),
    ...webhooks.counts,
  };
}

function changeErrorStatuses(errorStatuses: ErrorStatuses, input: unknown): object {
  const wanted = Object.entries(object(input, "body")).map(([code, status]) => {
    if (!/^\d{1,9}$/.test(code)) throw new BadInput(`${code} is not an error code`);
    return [Number(code), integer(400, 599)(status, code)] as const;
  });
  for (const [code, status] of wanted) errorStatuses.set(code, status);
  return Object.fromEntries(wanted);
}
