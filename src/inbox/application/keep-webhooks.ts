import type { ArrivedWebhook, WebhookOrigin, WebhookQueue } from "./ports.ts";

/** What one statement keeps at most; one webhook may be larger. */
const mostAtOnce = 100;
/** Characters. */
const longestAtOnce = 1024 * 1024;
/** Statements under way; what arrives meanwhile is gathered for the next one. */
const mostUnderWay = 2;

interface Waiting extends ArrivedWebhook {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Keeps what platforms deliver: what arrives at the same time in one statement. */
export class KeepWebhooks {
  private waiting: Waiting[] = [];
  private underWay = 0;
  private isSoon = false;

  /** @param isOwnTrouble - whether a failure is the database's own, and no webhook's */
  constructor(
    private readonly queue: Pick<WebhookQueue, "keepAll">,
    private readonly isOwnTrouble: (error: unknown) => boolean,
  ) {}

  /** Resolves once it is kept for good; rejects where it could not be. */
  keep(payload: string, origin: WebhookOrigin): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ payload, origin, resolve, reject });
      if (this.isSoon) return;
      this.isSoon = true;
      // What has arrived by then comes along.
      setImmediate(() => {
        this.isSoon = false;
        this.start();
      });
    });
  }

  private start(): void {
    while (this.waiting.length > 0 && this.underWay < mostUnderWay) {
      this.underWay += 1;
      void this.keepSome(this.some()).finally(() => {
        this.underWay -= 1;
        this.start();
      });
    }
  }

  private some(): Waiting[] {
    let characters = 0;
    const beyond = this.waiting.findIndex(({ payload }, index) => {
      characters += payload.length;
      return index > 0 && (index === mostAtOnce || characters > longestAtOnce);
    });
    return this.waiting.splice(0, beyond < 0 ? this.waiting.length : beyond);
  }

  /** Where one of several spoils the statement, each gets its own. */
  private async keepSome(some: readonly Waiting[]): Promise<void> {
    try {
      await this.queue.keepAll(some);
      for (const { resolve } of some) resolve();
    } catch (error) {
      if (some.length === 1 || this.isOwnTrouble(error)) for (const { reject } of some) reject(error);
      else for (const one of some) await this.keepSome([one]);
    }
  }
}
