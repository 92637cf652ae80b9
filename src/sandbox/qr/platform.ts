import { randomBytes } from "node:crypto";
import { qrChannel } from "../../kernel/channels.ts";
import type { Core } from "../core/control.ts";
import { onePixelPng } from "../core/files.ts";
import { BadInput, dialled, type Fields, fieldsIn, isObject } from "../core/input.ts";
import { type Call, control, type Platform, type PlatformRoute } from "../core/route.ts";
import { Senders } from "../core/senders.ts";
import type { AcceptedMessage } from "../core/shared.ts";
import { readQrInstance, type SandboxQrInstance } from "../settings.ts";
import { messageIdIn, QrCustomers } from "./customers.ts";
import { allEvents, jidOf, QrWebhooks, qrStatuses, targetIn } from "./qr-webhooks.ts";
import { failure, refusal, validationError } from "./refusals.ts";
import { contextOf, mediaContent, readIn, type SentContent, sentToWire, textContent } from "./sent.ts";

/** The reason that the provider gives if a connection ends because the phone was logged out. */
const loggedOut = 401;

/** A provider of phones that are paired by QR code. */
export function qrPlatform(settings: readonly SandboxQrInstance[], { shared, webhooks, queues }: Core): Platform {
  const instances = new Senders<SandboxQrInstance>([], ({ instance }) => instance);
  const qrWebhooks = new QrWebhooks(webhooks);
  const customers = new QrCustomers(instances, qrWebhooks, shared.files);
  const statuses = queues.open(qrStatuses(instances, qrWebhooks));
  /** Instances that show a code which no phone has scanned yet. */
  const coded = new Set<string>();
  for (const instance of settings) put(instance);

  /** Adds or replaces an instance. Sends a webhook if this change pairs the phone or logs the phone out. */
  function put(given: SandboxQrInstance): object {
    const before = instances.find(given.instance);
    const { instance, connected, webhook } = instances.put(given);
    if (webhook) {
      const { url, headers = {} } = webhook;
      qrWebhooks.direct(instance, { url, headers, events: allEvents, base64: false });
    }
    if (before && (before.connected === false) !== (connected === false)) {
      coded.delete(instance);
      if (connected === false) void reportConnection(given, "close", loggedOut);
      else void reportConnection(given, "open", 200);
    }
    return { instance };
  }

  function reportConnection(sender: SandboxQrInstance, state: string, statusReason: number): Promise<boolean> {
    return qrWebhooks.send(sender, "connection.update", { instance: sender.instance, state, statusReason });
  }

  /** Resolves after the first attempt to deliver the webhook. */
  async function scan(instance: string): Promise<object> {
    const sender = instances.find(instance);
    if (!sender) throw new BadInput("instance must be an instance");
    if (!coded.delete(instance)) throw new BadInput(`no code of ${instance} is shown`);
    instances.put({ ...sender, connected: true });
    return { instance, delivered: await reportConnection(sender, "open", 200) };
  }

  function connect(sender: SandboxQrInstance): object {
    if (sender.connected !== false) return state(sender);
    coded.add(sender.instance);
    void reportConnection(sender, "connecting", 200);
    return pairing;
  }

  /** With `enabled: false`, the instance stops sending webhooks. */
  function setWebhook(call: Call): object {
    const { instance } = instanceOf(call);
    const { webhook } = fieldsIn(call.body) ?? {};
    if (!isObject(webhook)) throw validationError('requires property "webhook"');
    if (typeof webhook.enabled !== "boolean") throw validationError('requires property "enabled"');
    qrWebhooks.direct(instance, webhook.enabled ? targetIn(webhook) : null);
    return { webhook: { instanceName: instance, ...webhook } };
  }

  function send(call: Call, contentOf: (body: Fields) => SentContent): object {
    const sender = instanceOf(call);
    const body = fieldsIn(call.body);
    if (!body) throw validationError("is not of a type(s) object");
    const content = contentOf(body);
    if (sender.connected === false) throw refusal(500, "Connection Closed");
    const to = recipientOf(body.number);
    const id = `3EB0${randomBytes(9).toString("hex").toUpperCase()}`;
    const { instance: from } = sender;
    const accepted = shared.accept({ ...content, id, channel: qrChannel, from, to, context: contextOf(body) });
    customers.note(id, content.text);
    const wire = sentOf(accepted);
    if (!statuses.isMute(to)) echo(sender, wire);
    statuses.add(accepted);
    return wire;
  }

  function echo(sender: SandboxQrInstance, wire: object): void {
    const { echo: wanted = "send.message" } = sender;
    if (wanted !== "messages.upsert") void qrWebhooks.send(sender, "send.message", wire);
    if (wanted !== "send.message") void qrWebhooks.send(sender, "messages.upsert", wire);
  }

  function mediaOf(call: Call): object {
    const file = customers.fileOf(instanceOf(call), messageIdIn(call.body));
    if (!file) throw refusal(400, ["Message not found"]);
    return file;
  }

  function markAsRead(call: Call): object {
    const { instance } = instanceOf(call);
    for (const id of readIn(fieldsIn(call.body) ?? {})) shared.reads.addMessage(instance, id);
    return { message: "Read messages", read: "success" };
  }

  function instanceOf({ path, headers }: Call): SandboxQrInstance {
    const sender = instances.find(path.instance);
    if (!sender) throw refusal(404, [`The "${path.instance ?? ""}" instance does not exist`]);
    if (headers.apikey !== sender.apiKey) throw refusal(401, "Unauthorized");
    return sender;
  }

  function recipientOf(number: unknown): string {
    const to = typeof number === "string" ? dialled(number) : null;
    if (to !== null && !shared.undeliverable.has(to)) return to;
    throw refusal(400, [{ jid: `${number}@s.whatsapp.net`, exists: false, number }]);
  }

  const sending = (path: string, operation: string, contentOf: (body: Fields) => SentContent): PlatformRoute => ({
    route: `POST /message/${path}/{instance}`,
    operation,
    status: 201,
    counter: shared,
    handle: (call) => send(call, contentOf),
  });

  return {
    routes: [
      {
        route: "GET /instance/connectionState/{instance}",
        operation: "connection_state",
        handle: (call) => state(instanceOf(call)),
      },
      { route: "GET /instance/connect/{instance}", operation: "connect", handle: (call) => connect(instanceOf(call)) },
      { route: "POST /webhook/set/{instance}", operation: "set_webhook", status: 201, handle: setWebhook },
      sending("sendText", "send_text", textContent),
      sending("sendMedia", "send_media", mediaContent),
      {
        route: "POST /chat/getBase64FromMediaMessage/{instance}",
        operation: "media_base64",
        status: 201,
        handle: mediaOf,
      },
      { route: "POST /chat/markMessageAsRead/{instance}", operation: "mark_read", status: 201, handle: markAsRead },
    ],
    control: [
      control(
        "POST /__sandbox/qr-instances",
        "adds or replaces a phone paired by QR code, and sends a webhook if that pairs it or logs it out: " +
          "{instance, apiKey, connected, phone, webhook: {url, headers}, webhookBase64, echo, updates, wraps}",
        (input) => put(readQrInstance(input, "instance")),
      ),
      control(
        "POST /__sandbox/qr/{instance}/scan",
        "a phone scans the requested code and is connected",
        (_, { path }) => scan(path.instance ?? ""),
      ),
      control(
        "POST /__sandbox/qr/{instance}/customers/{customer}/write",
        "the owner of a paired phone writes to a customer from the phone itself; the body is as for customers of channel qr",
        (input, { path }) => customers.writeFromPhone(path.instance ?? "", path.customer ?? "", input),
      ),
    ],
    customers: { qr: customers },
    failure,
    reset: () => customers.clear(),
  };
}

const state = ({ instance, connected }: SandboxQrInstance) => ({
  instance: { instanceName: instance, state: connected === false ? "close" : "open" },
});

const pairing = { pairingCode: null, code: "2@sandbox", base64: `data:image/png;base64,${onePixelPng}`, count: 1 };

const sentOf = ({ id, at, from, to, ...content }: AcceptedMessage): object => ({
  key: { remoteJid: jidOf(to), fromMe: true, id },
  pushName: "",
  status: "PENDING",
  ...sentToWire(content),
  messageTimestamp: Math.floor(at / 1_000),
  instanceId: from,
  source: "unknown",
});
