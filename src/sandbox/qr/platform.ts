import { randomBytes } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { qrChannel } from "../../kernel/channels.ts";
import type { AcceptedMessage, Shared } from "../core/accepted.ts";
import { dialled, type Fields, isObject } from "../core/input.ts";
import { type Answer, type Call, ok, type Platform, type PlatformRoute } from "../core/route.ts";
import { Senders } from "../core/senders.ts";
import { controlInput } from "../core/server.ts";
import { readQrInstance, type SandboxQrInstance } from "../settings.ts";

/** A request that the provider refuses; `message` stands in the answer as it is. */
class QrError extends Error {
  constructor(
    readonly status: number,
    readonly said: unknown,
  ) {
    super(STATUS_CODES[status]);
  }
}

type Content = Pick<AcceptedMessage, "type" | "text" | "media">;

/** A provider of phones that are paired by QR code. */
export function qrPlatform(settings: readonly SandboxQrInstance[], shared: Shared): Platform {
  const instances = new Senders(settings, ({ instance }) => instance);
  const { accepted } = shared;

  function send(call: Call, contentOf: (body: Fields) => Content): object {
    const sender = instanceOf(call);
    const body = jsonOf(call);
    const content = contentOf(body);
    if (sender.connected === false) throw new QrError(500, "Connection Closed");
    const to = recipientOf(body.number);
    const id = `3EB0${randomBytes(9).toString("hex").toUpperCase()}`;
    accepted.add({
      ...content,
      id,
      at: Date.now(),
      channel: qrChannel,
      from: sender.instance,
      to,
      statuses: [],
    });
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
    if (!sender) throw new QrError(404, [`The "${path.instance ?? ""}" instance does not exist`]);
    if (headers.apikey !== sender.apiKey) throw new QrError(401, "Unauthorized");
    return sender;
  }

  function recipientOf(number: unknown): string {
    const to = typeof number === "string" ? dialled(number) : null;
    if (to !== null && !shared.undeliverable.has(to)) return to;
    throw new QrError(400, [{ jid: `${number}@s.whatsapp.net`, exists: false, number }]);
  }

  const route = (path: string, operation: string, contentOf: (body: Fields) => Content): PlatformRoute => ({
    method: "POST",
    path,
    operation,
    arrived: () => accepted.countRequest(),
    handle(call) {
      try {
        return { status: 201, body: send(call, contentOf) };
      } catch (error) {
        if (!(error instanceof QrError)) throw error;
        accepted.countRefusal();
        return qrAnswer(error);
      }
    },
  });

  return {
    routes: [
      route("/message/sendText/{instance}", "send_text", textContent),
      route("/message/sendMedia/{instance}", "send_media", mediaContent),
    ],
    control: [
      {
        method: "POST",
        path: "/__sandbox/qr-instances",
        about: "adds or replaces a phone paired by QR code: {instance, apiKey, connected}",
        handle(call) {
          const instance = readQrInstance(controlInput(call), "instance");
          instances.put(instance);
          return ok({ instance: instance.instance });
        },
      },
    ],
    // The provider has no codes but those of HTTP.
    failure({ code, status = code >= 400 && code <= 599 ? code : 400, message = STATUS_CODES[status] }) {
      return qrAnswer(new QrError(status, [message]));
    },
    reset() {},
    close() {},
  };
}

const qrAnswer = ({ status, message, said }: QrError): Answer => ({
  status,
  body: { status, error: message, response: { message: said } },
});

function jsonOf({ body }: Call): Fields {
  try {
    const value: unknown = JSON.parse(body);
    if (isObject(value)) return value;
  } catch {
    // The same answer as for JSON that is no object.
  }
  throw complaint("is not of a type(s) object");
}

const complaint = (...complaints: string[]): QrError =>
  new QrError(400, [complaints.map((each) => `instance ${each}`)]);

function textContent({ number, text }: Fields): Content {
  if (typeof number !== "string") throw complaint('requires property "number"');
  if (typeof text !== "string") throw complaint('requires property "text"');
  if (text.trim() === "") throw new QrError(400, ["Text is required"]);
  return { type: "text", text };
}

const mediaTypes: readonly unknown[] = ["image", "document", "video", "audio"];

function mediaContent({ number, mediatype, media, caption, fileName }: Fields): Content {
  if (typeof number !== "string") throw complaint('requires property "number"');
  if (typeof mediatype !== "string" || !mediaTypes.includes(mediatype)) {
    throw complaint("mediatype is not one of enum values: image,document,video,audio");
  }
  if (typeof media !== "string" || !/^https?:/.test(media) || !URL.canParse(media)) {
    throw new QrError(400, ["Owned media must be a url or base64"]);
  }
  if (mediatype === "document" && fileName === undefined && !/\/.+\./.test(new URL(media).pathname)) {
    throw new QrError(500, ["TypeError: Cannot read properties of null (reading '1')"]);
  }
  return {
    type: mediatype,
    ...(typeof caption === "string" && { text: caption }),
    media: { link: media, ...(typeof fileName === "string" && { fileName }) },
  };
}
