import https from "node:https";
import { HttpClient } from "../../../infra/http-client/http-client.ts";
import { PublicOnlyAgent } from "../../../infra/http-client/public-only-agent.ts";
import { FairQueue } from "../../../kernel/fair-queue.ts";
import type { MediaProbe, ProbedMedia } from "../../application/sends/ports.ts";

export interface HttpMediaProbeSettings {
  /** Milliseconds that a probe may wait for its turn. It may then wait as long again for its answer. */
  readonly timeoutMs: number;
  /** Concurrent probes; 64 by default. One business may use an eighth of this number. */
  readonly maxAtOnce?: number;
  /** For tests only: allows private addresses, and turns off the check of certificates. */
  readonly allowPrivate?: boolean;
}

const longestUrl = 2_048;

/** Makes HEAD requests to URLs from businesses: https and public addresses only. */
export class HttpMediaProbe implements MediaProbe {
  private readonly client: HttpClient;
  private readonly gate: FairQueue;

  constructor(settings: HttpMediaProbeSettings) {
    const { timeoutMs, maxAtOnce = 64, allowPrivate = false } = settings;
    this.gate = new FairQueue({
      name: "media probes",
      width: maxAtOnce,
      widthPerKey: Math.ceil(maxAtOnce / 8),
      queuePerKey: maxAtOnce,
      queue: maxAtOnce * 8,
      waitMs: timeoutMs,
    });
    this.client = new HttpClient({
      agents: { https: allowPrivate ? new https.Agent({ rejectUnauthorized: false }) : new PublicOnlyAgent() },
      timeouts: { connectMs: timeoutMs, totalMs: timeoutMs },
      maxAnswerBytes: 0,
    });
  }

  async probe(businessId: number, url: string): Promise<ProbedMedia> {
    if (!isProbeable(url)) return { status: null };
    const outcome = await this.gate.run(businessId, () => this.client.request({ method: "HEAD", url }));
    if (outcome.kind !== "answer") return { status: null };
    const type = outcome.headers["content-type"];
    return { status: outcome.status, ...(type !== undefined && { type }) };
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

function isProbeable(text: string): boolean {
  if (text.length > longestUrl || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === "https:" && url.username === "" && url.password === "";
}
