import { createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { optional, type Settings, shape, text, webAddress } from "./input.ts";

export const readWebhookTarget = shape({
  /**
   * The address for the cloud channel. Without `pageUrl`, pages use this address with `page` as the last segment.
   * Without `photoUrl`, photo accounts use this address with `photo`.
   */
  url: webAddress,
  pageUrl: optional(webAddress),
  photoUrl: optional(webAddress),
  appSecret: text(512),
});
type WebhookTarget = Settings<typeof readWebhookTarget>;

interface Destination {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A webhook in delivery. `copies` is the number of copies that must still arrive. */
export interface Delivery {
  readonly payload: Buffer;
  /** Called before each request, because the address may change. Returns `undefined` if there is no receiver. */
  readonly destination: () => Destination | undefined;
  /** Whether an answer with this status means that the receiver accepted the webhook. */
  readonly isAccepted: (status: number) => boolean;
  readonly maxAttempts: number;
  copies: number;
  attempts: number;
}

const answerTimeoutMs = 10_000;
/** The platforms retry for days. The sandbox retries for more than six minutes with this number of attempts. */
const maxAttempts = 200;
const maxWaiting = 1_000;

const isOk = (status: number) => status === 200;
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Posts webhooks over connections that stay open. `deliver` also retries; callers of `attempt` retry themselves. */
export class Webhooks {
  /** The number of copies of each webhook, unless the caller gives another number. */
  repeat = 1;
  counts = { delivered: 0, refused: 0 };

  // `node:http` is several times faster than `fetch`, and benchmarks send hundreds of webhooks per second.
  private readonly plain = { request: http.request, agent: new http.Agent({ keepAlive: true, maxSockets: 32 }) };
  private readonly secure = { request: https.request, agent: new https.Agent({ keepAlive: true, maxSockets: 32 }) };
  private readonly retries = new Set<NodeJS.Timeout>();
  /** How many webhooks of `deliver` wait for another attempt. */
  private waiting = 0;
  /** Counts the resets, so that a webhook from before a reset is not retried. */
  private resets = 0;

  constructor(public target: WebhookTarget | undefined) {}

  /** A webhook that is signed with the app's secret. All accounts share the app. */
  signed(to: "cloud" | "page" | "photo", payload: object, copies?: number): Delivery {
    const bytes = Buffer.from(JSON.stringify(payload));
    const destination = () => {
      if (this.target === undefined) return undefined;
      const signature = createHmac("sha256", this.target.appSecret).update(bytes).digest("hex");
      const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
      return { url: addressOf(this.target, to), headers };
    };
    return this.delivery(bytes, destination, { copies });
  }

  /** A webhook in any form. By default, only status 200 means acceptance, and at most 200 attempts are made. */
  delivery(
    payload: Buffer,
    destination: Delivery["destination"],
    more: { readonly [Name in "isAccepted" | "maxAttempts" | "copies"]?: Delivery[Name] | undefined } = {},
  ): Delivery {
    const { isAccepted = isOk, maxAttempts: attempts = maxAttempts, copies = this.repeat } = more;
    return { payload, destination, isAccepted, maxAttempts: attempts, copies, attempts: 0 };
  }

  /** Delivers the remaining copies one after the other, until one of them is refused. */
  async attempt(delivery: Delivery): Promise<"delivered" | "again" | "given up"> {
    delivery.attempts += 1;
    while (delivery.copies > 0) {
      if (!(await this.post(delivery))) {
        this.counts.refused += 1;
        return delivery.attempts < delivery.maxAttempts ? "again" : "given up";
      }
      this.counts.delivered += 1;
      delivery.copies -= 1;
    }
    return "delivered";
  }

  /** Resolves after the first attempt, to `true` if the webhook was accepted. Retries follow in the background. */
  async deliver(delivery: Delivery): Promise<boolean> {
    if (delivery.destination() === undefined) return false;
    const { resets } = this;
    const outcome = await this.attempt(delivery);
    if (outcome === "again" && resets === this.resets && this.waiting < maxWaiting) {
      this.waiting += 1;
      this.later(delivery, () => {
        this.waiting -= 1;
        void this.deliver(delivery);
      });
    }
    return outcome === "delivered";
  }

  /** Calls `attempt` 50 ms after a first attempt. The delay doubles each time, up to 2 s. A reset cancels the call. */
  later(delivery: Delivery, attempt: () => void): void {
    const waitMs = Math.min(50 * 2 ** (delivery.attempts - 1), 2_000);
    const retry = setTimeout(() => {
      this.retries.delete(retry);
      attempt();
    }, waitMs);
    this.retries.add(retry);
  }

  reset(): void {
    this.resets += 1;
    for (const retry of this.retries) clearTimeout(retry);
    this.retries.clear();
    this.waiting = 0;
    this.repeat = 1;
    this.counts = { delivered: 0, refused: 0 };
  }

  close(): void {
    this.reset();
    this.target = undefined;
    this.plain.agent.destroy();
    this.secure.agent.destroy();
  }

  private post({ payload, destination, isAccepted }: Delivery): Promise<boolean> {
    const to = destination();
    if (to === undefined) return Promise.resolve(false);
    const { request: start, agent } = to.url.startsWith("https:") ? this.secure : this.plain;
    const headers = { ...to.headers, "content-length": payload.length };
    const answered = new Promise<boolean>((resolve) => {
      const request = start(to.url, { method: "POST", agent, timeout: answerTimeoutMs, headers }, (response) => {
        response.resume();
        response.on("end", () => resolve(isAccepted(response.statusCode ?? 0)));
        response.on("error", () => resolve(false));
      });
      request.on("timeout", () => request.destroy(new Error("no answer")));
      request.on("error", () => resolve(false));
      request.on("close", () => resolve(false));
      request.end(payload);
    });
    // `start` throws if a client set an invalid header.
    return answered.catch(() => false);
  }
}

function addressOf({ url, pageUrl, photoUrl }: WebhookTarget, to: "cloud" | "page" | "photo"): string {
  if (to === "cloud") return url;
  const own = to === "page" ? pageUrl : photoUrl;
  if (own !== undefined) return own;
  const address = new URL(url);
  address.pathname = address.pathname.replace(/[^/]*$/, to);
  return address.href;
}
