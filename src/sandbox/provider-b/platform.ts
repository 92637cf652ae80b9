import { randomBytes } from "node:crypto";
import { providerBChannel } from "../../kernel/channels.ts";
import { dialled, fieldsIn } from "../core/input.ts";
import { type Call, control, type Platform, Refusal } from "../core/route.ts";
import { Senders } from "../core/senders.ts";
import type { SentMessage, Shared } from "../core/shared.ts";
import { Windows } from "../core/windows.ts";
import { readProviderB, type SandboxProviderB, type SandboxProviderBTemplate } from "../settings.ts";

const longestBody = 1_600;

type Content = Pick<SentMessage, "type" | "text" | "template" | "media">;

const refusal = (code: number, message?: string): Refusal => new Refusal({ code, message });

/** ProviderB: messages of an account, by template or, within 24 hours of the customer's last one, as they are. */
export function providerBPlatform(settings: readonly SandboxProviderB[], shared: Shared): Platform {
  const accounts = new Senders(settings, ({ accountId }) => accountId);
  const windows = new Windows();

  function send(call: Call): object {
    const account = accountOf(call);
    const form = new URLSearchParams(call.body);
    if (numberIn(form.get("From")) !== account.phone) throw refusal(63007);
    const to = recipientOf(form);
    const content = contentOf(form, account.templates ?? []);
    if (shared.undeliverable.has(to)) throw refusal(63024);
    if (content.type !== "template" && !windows.isOpen(account.phone, to)) throw refusal(63016);
    const id = `SM${randomBytes(16).toString("hex")}`;
    const { at } = shared.accept({ ...content, id, channel: providerBChannel, from: account.phone, to });
    return {
      sid: id,
      status: "queued",
      account_sid: account.accountId,
      from: form.get("From"),
      to: form.get("To"),
      body: content.text ?? "",
      num_media: content.media ? "1" : "0",
      direction: "outbound-api",
      error_code: null,
      error_message: null,
      date_created: new Date(at).toUTCString(),
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
    ],
    control: [
      control(
        "POST /__sandbox/provider-b",
        "adds or replaces an account: {accountId, token, phone, templates: [{contentId, variables}], status}",
        (input) => ({ accountId: accounts.put(readProviderB(input, "account")).accountId }),
      ),
      windows.sayRoute("provider-b", (phone) => accounts.some((account) => account.phone === phone)),
    ],
    failure: ({ code, status = statuses[code] ?? 400, message = messages[code] ?? "An error occurred" }) => ({
      status,
      body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
    }),
    reset: () => windows.clear(),
  };
}

function recipientOf(form: URLSearchParams): string {
  const written = form.get("To");
  if (!written) throw refusal(21604);
  const to = numberIn(written);
  if (to === null) throw refusal(21211, `The 'To' number ${written.slice(0, 100)} is not a valid phone number.`);
  return to;
}

/** The digits of `whatsapp:+59170000001`; `null` when it is not of that form. */
const numberIn = (address: string | null): string | null =>
  address?.startsWith("whatsapp:+") ? dialled(address.slice("whatsapp:".length)) : null;

/** What is sent; throws `Refusal` when it would not be taken. */
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
  if (link && !(/^https?:/.test(link) && URL.canParse(link))) throw refusal(21620);
  return { type: link ? "media" : "text", ...(text && { text }), ...(link && { media: { link } }) };
}

/** The texts of the variables in their order: all of the template's, and no other. */
function variablesOf(form: URLSearchParams, { variables: count }: SandboxProviderBTemplate): string[] {
  const given = fieldsIn(form.get("ContentVariables") ?? "{}");
  const texts = Array.from({ length: count }, (_, index) => given?.[`${index + 1}`]);
  const areTexts = texts.every((text) => typeof text === "string" && text !== "");
  if (!given || !areTexts || Object.keys(given).length !== count) throw refusal(21656);
  return texts as string[];
}

const statuses: Readonly<Record<number, number>> = { 20003: 401, 20404: 404, 20429: 429, 20500: 500, 20503: 503 };

const messages: Readonly<Record<number, string>> = {
  20003: "Authenticate",
  20429: "Too Many Requests",
  21604: "A 'To' phone number is required.",
  21610: "Attempt to send to unsubscribed recipient",
  21617: "The concatenated message body exceeds the 1600 character limit.",
  21619: "A text message body or media urls must be specified.",
  21620: "Invalid media URL(s)",
  21655: "The ContentSid is Invalid",
  21656: "The ContentVariables Parameter is invalid",
  63007: "Twilio could not find a Channel with the specified From address",
  63016: "Failed to send freeform message because you are outside the allowed window. Please use a Template.",
  63018: "Rate limit exceeded for Channel",
  63024: "Invalid message recipient",
};
