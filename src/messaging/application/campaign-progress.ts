import type { EventFeed } from "../../kernel/events.ts";
import type { CampaignQueue } from "./campaign-ports.ts";
import type { Timing } from "./ports.ts";

const everyMs = 500;

/** Tells who watches where campaigns stand, at most twice a second for each, and always of the last change. */
export class CampaignProgress {
  private readonly touched = new Map<number, Set<number>>();
  private telling: Promise<void> | undefined;

  constructor(
    private readonly queue: Pick<CampaignQueue, "announce">,
    private readonly feed: EventFeed,
    private readonly timing: Timing,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Something of these campaigns changed. Returns at once. */
  touch(businessId: number, campaignIds: readonly number[]): void {
    if (campaignIds.length === 0) return;
    const ids = this.touched.get(businessId) ?? new Set();
    this.touched.set(businessId, ids);
    for (const id of campaignIds) ids.add(id);
    this.telling ??= this.tell().finally(() => {
      this.telling = undefined;
    });
  }

  /** Resolves when everything is told. */
  async settled(): Promise<void> {
    while (this.telling) await this.telling;
  }

  private async tell(): Promise<void> {
    while (this.touched.size > 0) {
      const changed = [...this.touched];
      this.touched.clear();
      for (const [businessId, ids] of changed) await this.tellOf(businessId, ids).catch(this.onError);
      await this.timing.sleep(everyMs);
    }
  }

  private async tellOf(businessId: number, ids: ReadonlySet<number>): Promise<void> {
    const events = await this.queue.announce(businessId, [...ids]);
    this.feed.publish(events);
    const told = new Set(events.map(({ payload }) => (payload as { campaignId: number }).campaignId));
    const untold = [...ids].filter((id) => !told.has(id));
    if (untold.length > 0) this.touched.set(businessId, new Set([...(this.touched.get(businessId) ?? []), ...untold]));
  }
}
