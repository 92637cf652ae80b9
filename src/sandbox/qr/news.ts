import { BadInput, type Fields, texts, webAddress } from "../core/input.ts";
import type { Delivery, Webhooks } from "../core/webhooks.ts";
import type { SandboxQrInstance } from "../settings.ts";
import { complaint } from "./refusals.ts";

const maxAttempts = 6;

/** What the provider tells of, as webhooks name it. */
const events = [
  "connection.update",
  "messages.delete",
  "messages.edited",
  "messages.update",
  "messages.upsert",
  "send.message",
] as const;
type QrEvent = (typeof events)[number];
export const allNews: ReadonlySet<QrEvent> = new Set(events);

/** Where an instance's news go, with the headers that it was told to send along. */
interface QrTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: ReadonlySet<QrEvent>;
  /** Whether files come along with what customers write. */
  readonly base64: boolean;
}

/** Tells what happens to instances, each at the address that it was given. */
export class QrNews {
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

  /** Resolves after the first attempt, `true` when the receiver took it; more attempts follow in the background. */
  tell(instance: SandboxQrInstance, event: QrEvent, data: object, copies?: number): Promise<boolean> {
    return this.webhooks.deliver(this.delivery(instance, event, data, copies));
  }

  delivery(sender: SandboxQrInstance, event: QrEvent, data: object, copies?: number): Delivery {
    const { instance, apiKey, phone } = sender;
    // No two at one time: receivers put what arrives in any order by it.
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
    const isTaken = (status: number) => status >= 200 && status < 300;
    return this.webhooks.delivery(Buffer.from(JSON.stringify(payload)), destination, { isTaken, maxAttempts, copies });
  }

  close(): void {
    this.targets.clear();
  }
}

/** The address of a phone in the provider's words. */
export const jidOf = (phone: string): string => `${phone}@s.whatsapp.net`;

/** What a client asks for. An empty list of events means all of them. */
export function targetIn({ url, headers = {}, events: asked, base64 }: Fields): QrTarget {
  if (!Array.isArray(asked)) throw complaint('requires property "events"');
  const wanted = events.filter((event) => asked.length === 0 || asked.includes(event.replace(".", "_").toUpperCase()));
  try {
    return {
      url: webAddress(url, "webhook.url"),
      headers: texts(headers, "webhook.headers"),
      events: new Set(wanted),
      base64: base64 === true,
    };
  } catch (error) {
    if (error instanceof BadInput) throw complaint(error.message);
    throw error;
  }
}
