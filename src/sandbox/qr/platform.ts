import { randomBytes } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { qrChannel } from "../../kernel/channels.ts";
import { dialled, type Fields, fieldsIn, isObject } from "../core/input.ts";
import { type Call, control, type Platform, type PlatformRoute, Refusal } from "../core/route.ts";
import { Senders } from "../core/senders.ts";
import type { SentMessage, Shared } from "../core/shared.ts";
import { readQrInstance, type SandboxQrInstance } from "../settings.ts";
import { QrNews, readQrTarget } from "./news.ts";

/** A request that the provider refuses; `said` stands in the answer as it is. */
const refusal = (status: number, said: unknown): Refusal => new Refusal({ code: status, details: said });

/** A PNG of one dot, where the provider draws a code. */
const blankImage = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Why a connection ended, in the provider's number: the phone was logged out. */
const loggedOut = 401;

type Content = Pick<SentMessage, "type" | "text" | "media">;

/** A provider of phones that are paired by QR code. */
export function qrPlatform(settings: readonly SandboxQrInstance[], shared: Shared): Platform {
  const instances = new Senders(settings, ({ instance }) => instance);
  const news = new QrNews((instance) => instances.find(instance)?.apiKey ?? "");
  const tellOfConnection = (instance: string, state: string, statusReason: number) =>
    news.tell(instance, "connection.update", { state, statusReason });

  /** Delivers a webhook when a phone is paired or logged out. */
  function put(given: SandboxQrInstance): object {
    const before = instances.find(given.instance);
    const { instance, connected } = instances.put(given);
    if (before && (before.connected === false) !== (connected === false)) {
      if (connected === false) tellOfConnection(instance, "close", loggedOut);
      else tellOfConnection(instance, "open", 200);
    }
    return { instance };
  }

  function connect(sender: SandboxQrInstance): object {
    if (sender.connected !== false) return state(sender);
    tellOfConnection(sender.instance, "connecting", 200);
    return pairing;
  }

  /** Without a webhook that is enabled, none. */
  function setWebhook(call: Call): object {
    const { instance } = instanceOf(call);
    const { webhook } = fieldsIn(call.body) ?? {};
    if (!isObject(webhook)) throw complaint('requires property "webhook"');
    if (typeof webhook.enabled !== "boolean") throw complaint('requires property "enabled"');
    news.direct(instance, webhook.enabled ? targetIn(webhook) : null);
    return { webhook: { instanceName: instance, ...webhook } };
  }

  function send(call: Call, contentOf: (body: Fields) => Content): object {
    const sender = instanceOf(call);
    const body = fieldsIn(call.body);
    if (!body) throw complaint("is not of a type(s) object");
    const content = contentOf(body);
    if (sender.connected === false) throw refusal(500, "Connection Closed");
    const to = recipientOf(body.number);
    const id = `3EB0${randomBytes(9).toString("hex").toUpperCase()}`;
    shared.accept({ ...content, id, channel: qrChannel, from: sender.instance, to, context: contextOf(body) });
    return {
      key: { remoteJid: `${to}@s.whatsapp.net`, fromMe: true, id },
      pushName: "",
      status: "PENDING",
      messageType: content.type === "text" ? "conversation" : `${content.type}Message`,
      messageTimestamp: Math.floor(Date.now() / 1_000),
      instanceId: sender.instance,
      source: "unknown",
    };
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

  const route = (path: string, operation: string, contentOf: (body: Fields) => Content): PlatformRoute => ({
    route: `POST /message/${path}/{instance}`,
    operation,
    status: 201,
    counter: shared,
    handle: (call) => send(call, contentOf),
  });

  const state = ({ instance, connected }: SandboxQrInstance) => ({
    instance: { instanceName: instance, state: connected === false ? "close" : "open" },
  });
  const reading = (
    path: string,
    operation: string,
    answerOf: (instance: SandboxQrInstance) => object,
  ): PlatformRoute => ({
    route: `GET /instance/${path}/{instance}`,
    operation,
    handle: (call: Call) => answerOf(instanceOf(call)),
  });
  const pairing = { pairingCode: null, code: "2@sandbox", base64: `data:image/png;base64,${blankImage}`, count: 1 };

  return {
    routes: [
      reading("connectionState", "connection_state", state),
      reading("connect", "connect", connect),
      { route: "POST /webhook/set/{instance}", operation: "set_webhook", status: 201, handle: setWebhook },
      route("sendText", "send_text", textContent),
      route("sendMedia", "send_media", mediaContent),
    ],
    control: [
      control(
        "POST /__sandbox/qr-instances",
        "adds or replaces a phone paired by QR code: {instance, apiKey, connected}; tells its webhook of one that is " +
          "paired or logged out by that",
        (input) => put(readQrInstance(input, "instance")),
      ),
    ],
    reset: () => news.reset(),
    close: () => news.close(),
    // The provider has no codes but those of HTTP.
    failure({
      code,
      status = code >= 400 && code <= 599 ? code : 400,
      message = STATUS_CODES[status],
      details = [message],
    }) {
      return { status, body: { status, error: STATUS_CODES[status], response: { message: details } } };
    },
  };
}

function targetIn({ url, headers = {}, events }: Fields) {
  if (!Array.isArray(events)) throw complaint('requires property "events"');
  if (!isObject(headers) || Object.values(headers).some((value) => typeof value !== "string")) {
    throw complaint("headers is not of a type(s) object");
  }
  try {
    return { ...readQrTarget({ url }, "webhook"), headers: headers as Record<string, string> };
  } catch {
    throw complaint('does not match format "uri"');
  }
}

/** Which message it answers, as the platforms of all channels show it here. */
function contextOf({ quoted }: Fields): object | undefined {
  if (quoted === undefined) return undefined;
  const id = isObject(quoted) && isObject(quoted.key) ? quoted.key.id : undefined;
  if (typeof id !== "string" || id === "") throw complaint('requires property "key.id"');
  return { message_id: id };
}

const complaint = (what: string): Refusal => refusal(400, [[`instance ${what}`]]);

function textContent({ number, text }: Fields): Content {
  if (typeof number !== "string") throw complaint('requires property "number"');
  if (typeof text !== "string") throw complaint('requires property "text"');
  if (text.trim() === "") throw refusal(400, ["Text is required"]);
  return { type: "text", text };
}

const mediaTypes: readonly unknown[] = ["image", "document", "video", "audio"];

function mediaContent({ number, mediatype, media, caption, fileName }: Fields): Content {
  if (typeof number !== "string") throw complaint('requires property "number"');
  if (typeof mediatype !== "string" || !mediaTypes.includes(mediatype)) {
    throw complaint("mediatype is not one of enum values: image,document,video,audio");
  }
  if (typeof media !== "string" || !/^https?:/.test(media) || !URL.canParse(media)) {
    throw refusal(400, ["Owned media must be a url or base64"]);
  }
  if (mediatype === "document" && fileName === undefined && !/\/.+\./.test(new URL(media).pathname)) {
    throw refusal(500, ["TypeError: Cannot read properties of null (reading '1')"]);
  }
  return {
    type: mediatype,
    ...(typeof caption === "string" && { text: caption }),
    media: { link: media, ...(typeof fileName === "string" && { fileName }) },
  };
}
