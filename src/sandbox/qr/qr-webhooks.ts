import { BadInput, type Fields, texts, webAddress } from "../core/input.ts";
import type { Senders } from "../core/senders.ts";
import type { AcceptedMessage } from "../core/shared.ts";
import type { MessageStatus, StatusReporter } from "../core/status-queue.ts";
import { type Delivery, isSuccess, type Webhooks } from "../core/webhooks.ts";
import type { SandboxQrInstance } from "../settings.ts";
import { validationError } from "./refusals.ts";

const maxAttempts = 6;

const events = [
  "connection.update",
  "messages.delete",
  "messages.edited",
  "messages.update",
  "messages.upsert",
  "send.message",
] as const;
type QrEvent = (typeof events)[number];
export const allEvents: ReadonlySet<QrEvent> = new Set(events);

/** Where an instance's webhooks are sent, with which headers, and which events they report. */
interface QrTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: ReadonlySet<QrEvent>;
  /** Whether webhooks about new messages include the messages' files. */
  readonly base64: boolean;
}

/** Sends the events of each instance to the address of that instance. */
export class QrWebhooks {
  private readonly targets = new Map<string, QrTarget>();
  private lastAt = 0;

  constructor(private readonly webhooks: Webhooks) {}

  direct(instance: string, target: QrTarget | null): void {
    if (target) this.targets.set(instance, target);
    else this.targets.delete(instance);
  }

  isAskedFor(instance: string, event: QrEvent): boolean {
    return this.targets.get(instance)?.events.has(event) === true;
  }

  carriesFiles({ instance, webhookBase64 }: SandboxQrInstance): boolean {
    return webhookBase64 ?? this.targets.get(instance)?.base64 === true;
  }

  /** Resolves after the first attempt, to `true` if the webhook was accepted. Retries follow in the background. */
  send(instance: SandboxQrInstance, event: QrEvent, data: object, copies?: number): Promise<boolean> {
    return this.webhooks.deliver(this.delivery(instance, event, data, copies));
  }

  delivery(sender: SandboxQrInstance, event: QrEvent, data: object, copies?: number): Delivery {
    const { instance, apiKey, phone } = sender;
    // Gives each event a different time, because receivers sort events by time.
    this.lastAt = Math.max(this.lastAt + 1, Date.now());
    const target = this.targets.get(instance);
    const payload: Fields = {
      event,
      instance,
      data,
      destination: target?.url,
      date_time: new Date(this.lastAt).toISOString(),
      ...(phone !== undefined && { sender: jidOf(phone) }),
      server_url: "http://localhost:8080",
      apikey: apiKey,
    };
    const destination = () =>
      target?.events.has(event)
        ? { url: target.url, headers: { ...target.headers, "content-type": "application/json" } }
        : undefined;
    const more = { isAccepted: isSuccess, maxAttempts, copies };
    return this.webhooks.delivery(Buffer.from(JSON.stringify(payload)), destination, more);
  }
}

export const jidOf = (phone: string): string => `${phone}@s.whatsapp.net`;

/** The webhook that a client sets. An empty list of events means all events. */
export function targetIn({ url, headers = {}, events: asked, base64 }: Fields): QrTarget {
  if (!Array.isArray(asked)) throw validationError('requires property "events"');
  const wanted = events.filter((event) => asked.length === 0 || asked.includes(event.replace(".", "_").toUpperCase()));
  try {
    return {
      url: webAddress(url, "webhook.url"),
      headers: texts(headers, "webhook.headers"),
      events: new Set(wanted),
      base64: base64 === true,
    };
  } catch (error) {
    if (error instanceof BadInput) throw validationError(error.message);
    throw error;
  }
}

const usual: readonly string[] = ["SERVER_ACK", "DELIVERY_ACK", "READ"];
const failing: readonly string[] = ["SERVER_ACK", "ERROR"];

/** Reports each status in a webhook of its own. */
export const qrStatuses = (
  instances: Senders<SandboxQrInstance>,
  qrWebhooks: QrWebhooks,
): StatusReporter<AcceptedMessage> => ({
  perWebhook: 1,
  stepsOf({ from, type }, fails) {
    if (!instances.find(from) || !qrWebhooks.isAskedFor(from, "messages.update")) return [];
    if (fails) return failing;
    return type === "audio" ? [...usual, "PLAYED"] : usual;
  },
  delivery([status]) {
    const sender = instances.find(status?.message.from);
    if (!status || !sender) throw new Error("there is no status to deliver");
    return qrWebhooks.delivery(sender, "messages.update", toWire(status, sender));
  },
});

function toWire({ message: { id, to }, name }: MessageStatus<AcceptedMessage>, sender: SandboxQrInstance): object {
  const [remoteJid, instanceId] = [jidOf(to), sender.instance];
  const key = { remoteJid, fromMe: true, id };
  switch (sender.updates) {
    case "key":
      return { key, status: name, instanceId };
    case "list":
      return [{ key, update: { status: name }, instanceId }];
    case "id":
      return { ...key, status: name, datetime: Date.now(), owner: instanceId };
    default: {
      // The provider's internal id of the message. No other field contains this id.
      const messageId = `cm${Buffer.from(id).toString("hex").slice(-23)}`;
      return { messageId, keyId: id, remoteJid, fromMe: true, participant: remoteJid, status: name, instanceId };
    }
  }
}
