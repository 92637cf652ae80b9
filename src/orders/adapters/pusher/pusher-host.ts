import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import Pusher from "pusher";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { PushHost } from "../../application/push/ports.ts";

interface PusherSettings {
  /** For instance `http://host:port`. Without a scheme, https is used. */
  readonly host: string;
  readonly appId: string;
  readonly key: string;
  readonly secret: string;
  /** Milliseconds for one request. */
  readonly timeoutMs: number;
  readonly channelOf: (businessId: number) => string;
  /** The event's JSON on the wire, in at most `limit` bytes. Throws if the event has no wire format. */
  readonly serialize: (event: LoggedEvent, limit: number) => string;
  /** Called after a failure. The reason is safe for logs. `givenUp` means that the event is not sent again. */
  readonly onFailure: (reason: string, givenUp: boolean) => void;
}

/** The protocol's limits: events in one request, and bytes of one event. */
const eventsInBatch = 10;
const largestEvent = 10 * 1024;
/** Below the five seconds for which servers usually keep an unused connection. */
const idleSocketMs = 4_000;

export class PusherHost implements PushHost {
  readonly batch = eventsInBatch;
  private readonly client: Pusher;
  private readonly agent: HttpAgent;

  constructor(private readonly settings: PusherSettings) {
    const { protocol, hostname, port } = new URL(withScheme(settings.host));
    const useTLS = protocol === "https:";
    const { appId, key, secret, timeoutMs } = settings;
    this.agent = new (useTLS ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 16, timeout: idleSocketMs });
    this.client = new Pusher({
      host: hostname,
      ...(port === "" ? {} : { port }),
      appId,
      key,
      secret,
      useTLS,
      timeout: timeoutMs,
      agent: this.agent,
    });
  }

  async push(events: readonly LoggedEvent[]): Promise<readonly LoggedEvent[]> {
    const outcome = await this.attempt(events);
    if (outcome === "accepted") return events;
    if (outcome === "later") return [];
    // Sends each event in its own request, because an event that the host never accepts must not block the others.
    if (events.length > 1) return (await Promise.all(events.map((event) => this.push([event])))).flat();
    this.settings.onFailure("the host refuses this event", true);
    return events;
  }

  /** Signs a client's subscription to the channel. Null if the socket id is malformed. */
  authorize(socketId: string, channel: string): { auth: string } | null {
    if (!/^\d{1,20}\.\d{1,20}$/.test(socketId)) return null;
    return { auth: this.client.authorizeChannel(socketId, channel).auth };
  }

  close(): void {
    this.agent.destroy();
  }

  private async attempt(events: readonly LoggedEvent[]): Promise<"accepted" | "later" | "never"> {
    const { channelOf, serialize, onFailure } = this.settings;
    try {
      const batch = events.map((event) => ({
        channel: channelOf(event.businessId),
        name: event.name,
        data: serialize(event, largestEvent),
      }));
      await this.client.triggerBatch(batch);
      return "accepted";
    } catch (error) {
      // The error itself must not be logged, because it contains the request's signed URL.
      const { status } = error as { status?: unknown };
      if (status === 400 || status === 413) return "never";
      if (!(error instanceof Pusher.RequestError)) return "never";
      onFailure(status === undefined ? "no answer" : `HTTP ${status}`, false);
      return "later";
    }
  }
}

const withScheme = (host: string): string => (/^https?:\/\//.test(host) ? host : `https://${host}`);
