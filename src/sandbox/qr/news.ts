import { type Settings, shape, webAddress } from "../core/input.ts";

const answerTimeoutMs = 10_000;
const maxAttempts = 6;
const maxUnderWay = 1_000;

export const readQrTarget = shape({ url: webAddress });

/** Where an instance's news go, and the headers that it was told to send along. */
export type QrTarget = Settings<typeof readQrTarget> & { readonly headers: Readonly<Record<string, string>> };

/** Tells what happens to instances, each at the address that it was given. */
export class QrNews {
  private readonly targets = new Map<string, QrTarget>();
  private readonly retries = new Set<NodeJS.Timeout>();
  private underWay = 0;
  private lastAt = 0;

  /** @param apiKeyOf - the provider puts an instance's key into each webhook */
  constructor(private readonly apiKeyOf: (instance: string) => string) {}

  direct(instance: string, target: QrTarget | null): void {
    if (target) this.targets.set(instance, target);
    else this.targets.delete(instance);
  }

  /** Returns at once; a webhook that is not answered with success is delivered again, a little later each time. */
  tell(instance: string, event: string, data: object): void {
    const target = this.targets.get(instance);
    if (!target || this.underWay >= maxUnderWay) return;
    // No two at one time: receivers put what arrives in any order by it.
    this.lastAt = Math.max(this.lastAt + 1, Date.now());
    const payload = {
      event,
      instance,
      data: { instance, ...data },
      destination: target.url,
      date_time: new Date(this.lastAt).toISOString(),
      apikey: this.apiKeyOf(instance),
    };
    this.underWay += 1;
    void this.attempt(target, JSON.stringify(payload), 1);
  }

  reset(): void {
    for (const retry of this.retries) clearTimeout(retry);
    this.underWay -= this.retries.size;
    this.retries.clear();
  }

  close(): void {
    this.reset();
    this.targets.clear();
  }

  private async attempt(target: QrTarget, payload: string, attempt: number): Promise<void> {
    const headers = { ...target.headers, "content-type": "application/json" };
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const answer = await fetch(target.url, { method: "POST", headers, body: payload, signal }).catch(() => null);
    await answer?.arrayBuffer().catch(() => {});
    if (answer?.ok || attempt >= maxAttempts) {
      this.underWay -= 1;
      return;
    }
    const retry = setTimeout(
      () => {
        this.retries.delete(retry);
        void this.attempt(target, payload, attempt + 1);
      },
      50 * 2 ** attempt,
    );
    this.retries.add(retry);
  }
}
