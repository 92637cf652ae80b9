import { randomBytes } from "node:crypto";
import { providerBChannel } from "../../kernel/channels.ts";
import type { AcceptedMessage, Shared } from "../core/accepted.ts";
import { type Answer, type Call, ok, type Platform } from "../core/route.ts";
import { Senders } from "../core/senders.ts";
import { controlInput } from "../core/server.ts";
import { sayRoute, Windows } from "../core/windows.ts";
import { readProviderB, type SandboxProviderB } from "../settings.ts";
import { ProviderBError, providerBAnswer } from "./errors.ts";
import { type Content, contentOf, numberIn } from "./messages.ts";

/** ProviderB: messages of an account, by template or, within 24 hours of the customer's last one, as they are. */
export function providerBPlatform(settings: readonly SandboxProviderB[], shared: Shared): Platform {
  const accounts = new Senders(settings, ({ accountId }) => accountId);
  const windows = new Windows();
  const { accepted } = shared;

  function send(call: Call): object {
    const account = accountOf(call);
    const form = new URLSearchParams(call.body);
    if (numberIn(form.get("From")) !== account.phone) throw new ProviderBError(63007);
    const to = recipientOf(form);
    const content = contentOf(form, account.templates ?? []);
    requireReachable(account, to, content);
    const message: AcceptedMessage = {
      ...content,
      id: `SM${randomBytes(16).toString("hex")}`,
      at: Date.now(),
      channel: providerBChannel,
      from: account.phone,
      to,
      statuses: [],
    };
    accepted.add(message);
    return {
      sid: message.id,
      status: "queued",
      account_sid: account.accountId,
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
    if (!account || given !== `${account.accountId}:${account.token}`) throw new ProviderBError(20003);
    return account;
  }

  function requireReachable({ phone }: SandboxProviderB, to: string, { type }: Content): void {
    if (shared.undeliverable.has(to)) throw new ProviderBError(63024);
    if (type !== "template" && !windows.isOpen(phone, to)) throw new ProviderBError(63016);
  }

  return {
    routes: [
      {
        method: "POST",
        path: "/2010-04-01/Accounts/{account}/Messages.json",
        operation: "provider_b_messages",
        arrived: () => accepted.countRequest(),
        handle(call) {
          try {
            return { status: 201, body: send(call) };
          } catch (error) {
            if (!(error instanceof ProviderBError)) throw error;
            accepted.countRefusal();
            return providerBAnswer(error);
          }
        },
      },
    ],
    control: [
      {
        method: "POST",
        path: "/__sandbox/provider-b",
        about: "adds or replaces an account: {accountId, token, phone, templates: [{contentId, variables}]}",
        handle(call): Answer {
          const account = readProviderB(controlInput(call), "account");
          accounts.put(account);
          return ok({ accountId: account.accountId });
        },
      },
      sayRoute("/__sandbox/provider-b/{sender}/customers/{customer}/say", windows, (phone) =>
        accounts.some((account) => account.phone === phone),
      ),
    ],
    failure: ({ code, status, message }) => providerBAnswer(new ProviderBError(code, message), status),
    reset: () => windows.clear(),
    close() {},
  };
}

function recipientOf(form: URLSearchParams): string {
  const written = form.get("To");
  if (!written) throw new ProviderBError(21604);
  const to = numberIn(written);
  if (to === null)
    throw new ProviderBError(21211, `The 'To' number ${written.slice(0, 100)} is not a valid phone number.`);
  return to;
}
