import type { EventFeed } from "../../../kernel/events.ts";
import type { CampaignQueue, Timing } from "./ports.ts";

const everyMs = 500;
/**
 * The pause after a round is `restFor` times as long as the round, because counting large campaigns takes long. The
 * pause lasts at least `everyMs` and at most this many milliseconds.
 */
const rarestMs = 2_000;
const restFor = 10;

/** Announces the counts of each campaign at most twice a second, and also after the last change. */
export class CampaignAnnouncer {
  private readonly touched = new Map<number, Set<number>>();
  private telling: Promise<void> | undefined;
  /** True while `settled` waits: failed announcements are then not repeated. The sweep announces ended campaigns. */
  private isLast = false;

  constructor(
    private readonly queue: Pick<CampaignQueue, "announce">,
    private readonly feed: EventFeed,
    private readonly timing: Timing,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Reports a change of these campaigns. Returns at once. */
  touch(businessId: number, campaignIds: readonly number[]): void {
    if (campaignIds.length === 0) return;
    for (const id of campaignIds) this.add(businessId, id);
    this.telling ??= this.tell().finally(() => {
      this.telling = undefined;
    });
  }

  /** Resolves when every change was announced or its announcement has failed. */
  async settled(): Promise<void> {
    this.isLast = true;
    while (this.telling) await this.telling;
    this.isLast = false;
  }

  private async tell(): Promise<void> {
    while (this.touched.size > 0) {
      const began = this.timing.now();
      const changed = [...this.touched];
      this.touched.clear();
      for (const [businessId, ids] of changed) {
        const later = await this.announce(businessId, ids);
        for (const id of later) this.add(businessId, id);
      }
      const tookMs = this.timing.now() - began;
      await this.timing.sleep(Math.min(rarestMs, Math.max(everyMs, restFor * tookMs)));
    }
  }

  /** Returns the campaigns that have to be announced again later. */
  private async announce(businessId: number, ids: ReadonlySet<number>): Promise<readonly number[]> {
    try {
      const { events, later } = await this.queue.announce(businessId, [...ids]);
      this.feed.publish(events);
      return later;
    } catch (error) {
      this.onError(error);
      return this.isLast ? [] : [...ids];
    }
  }

  private add(businessId: number, campaignId: number): void {
    const ids = this.touched.get(businessId) ?? new Set();
    this.touched.set(businessId, ids.add(campaignId));
  }
}
