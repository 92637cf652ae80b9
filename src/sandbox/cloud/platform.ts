import type { Core } from "../core/control.ts";
import { momentOf, readWriting } from "../core/customer-input.ts";
import { BadInput, integer, object, optional, phoneNumber, shape, text } from "../core/input.ts";
import { control, type Platform } from "../core/route.ts";
import { type ErrorStatuses, graphFailure } from "../graph/graph.ts";
import { readAccount, type SandboxSettings } from "../settings.ts";
import { Accounts, accountEvent, changesEnvelope, newMessageId } from "./accounts.ts";
import { Customers } from "./customers.ts";
import { Media } from "./media.ts";
import { cloudRoutes } from "./routes.ts";
import { cloudStatuses } from "./statuses.ts";
import { TemplateReviews } from "./template-reviews.ts";
import { Uploads } from "./uploads.ts";

const readEvent = shape({ field: text(100), value: optional(object) });

/** The Cloud API: messages, media, templates with their example files, and webhooks with delivery statuses. */
export function cloudPlatform(settings: SandboxSettings, { shared, webhooks, queues, errorStatuses }: Core): Platform {
  const accounts = new Accounts(settings.accounts);
  shared.graphTokens.push((token) => accounts.knows(token));
  const statuses = queues.open(cloudStatuses(webhooks));
  const media = new Media(shared.files, settings.mediaLinkMs);
  const customers = new Customers(accounts, webhooks, media);
  const uploads = new Uploads();
  const reviews = new TemplateReviews(accounts, webhooks, settings.reviewDelayMs ?? 2_000);

  const send = async (payload: object, copies?: number) => ({
    delivered: await webhooks.deliver(webhooks.signed("cloud", payload, copies)),
  });

  /** Sends the webhook about a message that an agent writes to a customer in the business app. */
  async function write(phoneNumberId: string, customer: string, input: unknown): Promise<object> {
    const sender = accounts.senders.find(phoneNumberId);
    if (!sender) throw new BadInput(`there is no ${phoneNumberId.slice(0, 100)}`);
    const to = phoneNumber(customer, "customer");
    const { text: body, id = newMessageId(), timestamp, repeat } = readWriting(input, "body");
    const at = String(Math.floor(momentOf(timestamp) / 1_000));
    const echo = { from: sender.displayPhoneNumber, to, id, timestamp: at, type: "text", text: { body } };
    const change = { sender, field: "smb_message_echoes", value: { message_echoes: [echo] } };
    return { id, ...(await send(changesEnvelope([change]), repeat)) };
  }

  /** Sends a webhook about a business account, with any field and any value. */
  function tell(account: string, input: unknown): Promise<object> {
    if (!accounts.businesses.has(account)) throw new BadInput(`there is no account ${account.slice(0, 100)}`);
    const { field, value = {} } = readEvent(input, "body");
    return send(accountEvent(account, field, value));
  }

  return {
    routes: cloudRoutes({ accounts, customers, statuses, media, reviews, uploads, shared }),
    customers: { cloud: customers },
    control: [
      control(
        "POST /__sandbox/customers/{number}/preferences",
        'a customer opts out of marketing or back in: {value: "stop" | "resume", to}',
        (input, { path }) => customers.prefer(path.number ?? "", input),
      ),
      control(
        "POST /__sandbox/accounts",
        "adds or replaces a number: {token, accountId, phoneNumberId, displayPhoneNumber, messagesPerSecond, quality, " +
          "messagingLimit, templates, people}",
        (input) => {
          const account = readAccount(input, "account");
          accounts.put(account);
          return { phoneNumberId: account.phoneNumberId, templates: account.templates.length };
        },
      ),
      control(
        "POST /__sandbox/numbers/{sender}/customers/{customer}/write",
        "the business writes to a customer from the business app, sent as an echo: {text, id, timestamp, repeat}",
        (input, { path }) => write(path.sender ?? "", path.customer ?? "", input),
      ),
      control(
        "POST /__sandbox/accounts/{account}/news",
        "sends any event of a business account: {field: account_update | phone_number_quality_update | ..., value}",
        (input, { path }) => tell(path.account ?? "", input),
      ),
      control(
        "POST /__sandbox/reviews",
        'how templates are judged from now on: {outcome: "APPROVED" | "REJECTED" | "PENDING", reason, delay_ms}',
        (input) => reviews.behave(input),
      ),
      control(
        "POST /__sandbox/templates/{name}",
        "changes a template, sent by webhook: {event: APPROVED | REJECTED | PAUSED | DISABLED | REINSTATED | ..., reason, " +
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
      reviews.reset();
      uploads.reset();
      errorStatuses.clear();
    },
    close: () => reviews.reset(),
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
