import { randomBytes } from "node:crypto";
import { providerBChannel } from "../../kernel/channels.ts";
import type { Core } from "../core/control.ts";
import { dialled, fieldsIn, isWebAddress } from "../core/input.ts";
import { type Call, control, type Platform, SpecialAnswer } from "../core/route.ts";
import { Senders } from "../core/senders.ts";
import type { SentMessage } from "../core/shared.ts";
import { Windows } from "../core/windows.ts";
import {
  readProviderB,
  type SandboxProviderB,
  type SandboxProviderBTemplate,
  type SandboxSettings,
} from "../settings.ts";
import { type ProviderBMessage, providerBStatuses } from "./callbacks.ts";
import { ownerOf, ProviderBCustomers } from "./customers.ts";
import { failure, refusal } from "./errors.ts";

const longestBody = 1_600;
const mediaLinkMs = 5 * 60 * 1_000;

type Content = Pick<SentMessage, "type" | "text" | "template" | "media">;
type Sent = Omit<ProviderBMessage, "at" | "statuses">;

/** Templates may go to anyone, other messages only to `people` and to customers who wrote in the last 24 hours. */
export function providerBPlatform(settings: SandboxSettings, { shared, webhooks, queues }: Core): Platform {
  const accounts = new Senders(settings.providerB ?? [], ({ accountId }) => accountId);
  const windows = new Windows();
  const customers = new ProviderBCustomers(accounts, windows, webhooks, shared.files);
  const statuses = queues.open(providerBStatuses(accounts, webhooks));

  function send(call: Call): object {
    const account = accountOf(call);
    const form = new URLSearchParams(call.body);
    if (numberIn(form.get("From")) !== account.phone) throw refusal(63007);
    const to = recipientOf(form);
    const content = contentOf(form, account.templates ?? []);
    const statusCallback = statusCallbackOf(form);
    if (shared.undeliverable.has(to)) throw refusal(63024);
    const isOpen = account.people?.includes(to) || windows.isOpen(account.phone, to);
    if (content.type !== "template" && !isOpen) throw refusal(63016);
    const id = `${content.media ? "MM" : "SM"}${randomBytes(16).toString("hex")}`;
    const { accountId, phone: from } = account;
    const sent: Sent = { ...content, id, channel: providerBChannel, from, to, accountId, statusCallback };
    const message = shared.accept(sent);
    statuses.add(message);
    return {
      sid: id,
      status: "queued",
      account_sid: accountId,
      from: form.get("From"),
      to: form.get("To"),
      body: content.text ?? "",
      num_media: content.media ? "1" : "0",
      direction: "outbound-api",
      error_code: null,
      error_message: null,
      date_created: new Date(message.at).toUTCString(),
    };
  }

  function accountOf({ path, headers }: Call): SandboxProviderB {
    const [, encoded = ""] = /^Basic (\S+)$/i.exec(headers.authorization ?? "") ?? [];
    const account = accounts.find(path.account);
    const given = Buffer.from(encoded, "base64").toString();
    if (!account || given !== `${account.accountId}:${account.token}`) throw refusal(20003);
    return account;
  }

  function accountNode(call: Call): object {
    const { accountId, status = "active" } = accountOf(call);
    return { sid: accountId, friendly_name: "Sandbox", status, type: "Full", owner_account_sid: accountId };
  }

  /** Redirects the caller to an address that needs no authentication and is valid for a limited time. */
  function mediaOf(call: Call): SpecialAnswer {
    const { accountId } = accountOf(call);
    const { message = "", media = "" } = call.path;
    if (shared.files.find(media)?.owner !== ownerOf(accountId, message)) throw refusal(20404);
    const location = shared.files.link(media, { forMs: settings.mediaLinkMs ?? mediaLinkMs });
    return new SpecialAnswer(302, "", { location });
  }

  return {
    routes: [
      {
        route: "GET /2010-04-01/Accounts/{account}.json",
        operation: "provider_b_account",
        handle: accountNode,
      },
      {
        route: "POST /2010-04-01/Accounts/{account}/Messages.json",
        operation: "provider_b_messages",
        status: 201,
        counter: shared,
        handle: send,
      },
      {
        route: "GET /2010-04-01/Accounts/{account}/Messages/{message}/Media/{media}",
        operation: "provider_b_media",
        handle: mediaOf,
      },
    ],
    control: [
      control(
        "POST /__sandbox/provider-b",
        "adds or replaces an account: {accountId, token, phone, templates: [{contentId, variables}], people, status, webhookUrl}",
        (input) => ({ accountId: accounts.put(readProviderB(input, "account")).accountId }),
      ),
      windows.sayRoute("provider-b", (phone) => accounts.some((account) => account.phone === phone)),
    ],
    customers: { "provider-b": customers },
    failure,
    reset() {
      windows.clear();
      customers.clear();
    },
  };
}

function recipientOf(form: URLSearchParams): string {
  const written = form.get("To");
  if (!written) throw refusal(21604);
  const to = numberIn(written);
  if (to === null) throw refusal(21211, `The 'To' number ${written.slice(0, 100)} is not a valid phone number.`);
  return to;
}

/** The digits of an address such as `whatsapp:+59170000001`; `null` for an address of another form. */
const numberIn = (address: string | null): string | null =>
  address?.startsWith("whatsapp:+") ? dialled(address.slice("whatsapp:".length)) : null;

function statusCallbackOf(form: URLSearchParams): string | undefined {
  const url = form.get("StatusCallback");
  if (!url) return undefined;
  if (isWebAddress(url)) return url;
  throw refusal(21609);
}

/** Throws `Refusal` for content that ProviderB would not accept. */
function contentOf(form: URLSearchParams, templates: readonly SandboxProviderBTemplate[]): Content {
  const contentId = form.get("ContentSid");
  if (contentId !== null) {
    const template = templates.find((each) => each.contentId === contentId);
    if (!template) throw refusal(21655);
    return { type: "template", template: { contentId, parameters: variablesOf(form, template) } };
  }
  const [text, link] = [form.get("Body"), form.get("MediaUrl")];
  if (!text && !link) throw refusal(21619);
  if (text && text.length > longestBody) throw refusal(21617);
  if (link && !isWebAddress(link)) throw refusal(21620);
  return { type: link ? "media" : "text", ...(text && { text }), ...(link && { media: { link } }) };
}

/** The texts of the template's variables, in order. Throws `Refusal` if a variable is missing, empty or unknown. */
function variablesOf(form: URLSearchParams, { variables: count }: SandboxProviderBTemplate): string[] {
  const given = fieldsIn(form.get("ContentVariables") ?? "{}");
  const texts = Array.from({ length: count }, (_, index) => given?.[`${index + 1}`]);
  const areTexts = texts.every((text) => typeof text === "string" && text !== "");
  if (!given || !areTexts || Object.keys(given).length !== count) throw refusal(21656);
  return texts as string[];
}
