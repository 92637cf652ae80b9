import type { ArrivedWebhook, IncomingQueue, WebhookOrigin } from "./ports.ts";

/** The most webhooks in one insert statement. */
const mostAtOnce = 100;
/** The most characters in one insert statement; a single webhook may have more. */
const longestAtOnce = 1024 * 1024;
/** The most insert statements at a time. Further webhooks wait until one of the statements ends. */
const mostUnderWay = 2;

interface Waiting extends ArrivedWebhook {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Stores webhooks. Those that arrive at the same time share one statement. */
export class KeepIncoming {
  private waiting: Waiting[] = [];
  private underWay = 0;
  private isSoon = false;

  /** @param isDatabaseFailure - true if the database itself failed, so that a retry with single webhooks is useless */
  constructor(
    private readonly queue: Pick<IncomingQueue, "keepAll">,
    private readonly isDatabaseFailure: (error: unknown) => boolean,
  ) {}

  /** Resolves after the commit; rejects if the webhook was not stored. */
  keep(payload: string, origin: WebhookOrigin): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ payload, origin, resolve, reject });
      if (this.isSoon) return;
      this.isSoon = true;
      // Waits one turn of the event loop, so that webhooks that arrive together share a statement.
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

  /**
   * If a bad webhook makes a statement fail, each webhook is stored on its own, so that only the bad one is rejected.
   */
  private async keepSome(some: readonly Waiting[]): Promise<void> {
    try {
      await this.queue.keepAll(some);
      for (const { resolve } of some) resolve();
    } catch (error) {
      if (some.length === 1 || this.isDatabaseFailure(error)) for (const { reject } of some) reject(error);
      else for (const one of some) await this.keepSome([one]);
    }
  }
}
