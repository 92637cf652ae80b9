import { createHmac } from "node:crypto";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type Settings, shape, text, webAddress } from "./input.ts";

export const readWebhookTarget = shape({ url: webAddress, appSecret: text(512) });
export type WebhookTarget = Settings<typeof readWebhookTarget>;

/** A webhook on its way: `copies` still have to arrive. */
export interface Delivery {
  readonly payload: Buffer;
  copies: number;
  attempts: number;
}

const answerTimeoutMs = 10_000;
const maxAttempts = 20;
const maxWaitingRetries = 1_000;

/** Posts signed webhooks over kept-alive connections. Who calls it decides when and how many at once. */
export class Webhooks {
  target: WebhookTarget | undefined;
  /** How often each webhook is delivered. */
  repeat = 1;
  counts = { delivered: 0, refused: 0 };

  private readonly agents = {
    http: new HttpAgent({ keepAlive: true, maxSockets: 32 }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: 32 }),
  };
  private readonly retries = new Set<NodeJS.Timeout>();
  /** Counts the resets, so that a webhook in flight over one is not tried again. */
  private era = 0;

  constructor(target: WebhookTarget | undefined) {
    this.target = target;
  }

  delivery(payload: object, copies = this.repeat): Delivery {
    return { payload: Buffer.from(JSON.stringify(payload)), copies, attempts: 0 };
  }

  /** Tries to deliver the copies that are left, one after the other, until one is not answered 200. */
  async attempt(delivery: Delivery): Promise<"delivered" | "again" | "given up"> {
    delivery.attempts += 1;
    while (delivery.copies > 0) {
      if (!(await this.post(delivery.payload))) {
        this.counts.refused += 1;
        return delivery.attempts < maxAttempts ? "again" : "given up";
      }
      this.counts.delivered += 1;
      delivery.copies -= 1;
    }
    return "delivered";
  }

  /** Resolves after the first attempt, `true` when the receiver took it; more attempts follow in the background. */
  async deliver(delivery: Delivery): Promise<boolean> {
    if (this.target === undefined) return false;
    const { era } = this;
    const outcome = await this.attempt(delivery);
    if (outcome === "again" && era === this.era && this.retries.size < maxWaitingRetries) {
      const retry = setTimeout(() => {
        this.retries.delete(retry);
        void this.deliver(delivery);
      }, backoffMs(delivery.attempts));
      this.retries.add(retry);
    }
    return outcome === "delivered";
  }

  reset(): void {
    this.era += 1;
    for (const retry of this.retries) clearTimeout(retry);
    this.retries.clear();
    this.repeat = 1;
    this.counts = { delivered: 0, refused: 0 };
  }

  close(): void {
    this.reset();
    this.target = undefined;
    this.agents.http.destroy();
    this.agents.https.destroy();
  }

  private post(payload: Buffer): Promise<boolean> {
    const { target } = this;
    if (target === undefined) return Promise.resolve(false);
    const secure = target.url.startsWith("https:");
    const signature = createHmac("sha256", target.appSecret).update(payload).digest("hex");
    return new Promise((resolve) => {
      const request = (secure ? httpsRequest : httpRequest)(
        target.url,
        {
          method: "POST",
          agent: secure ? this.agents.https : this.agents.http,
          timeout: answerTimeoutMs,
          headers: {
            "content-type": "application/json",
            "content-length": payload.length,
            "x-hub-signature-256": `sha256=${signature}`,
          },
        },
        (response) => {
          response.resume();
          response.on("end", () => resolve(response.statusCode === 200));
          response.on("error", () => resolve(false));
        },
      );
      request.on("timeout", () => request.destroy(new Error("no answer")));
      request.on("error", () => resolve(false));
      request.on("close", () => resolve(false));
      request.end(payload);
    });
  }
}

/** Milliseconds to wait after the n-th attempt: 50, 100, 200 and so on up to 2 s. */
export const backoffMs = (attempts: number): number => Math.min(50 * 2 ** (attempts - 1), 2_000);
