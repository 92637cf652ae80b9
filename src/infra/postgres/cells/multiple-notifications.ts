import type { Announcements } from "../notifications.ts";

/**
 * Listens to several databases. Sends notifications through the first live database. Notifications about a business
 * may come from any database while the business is being moved, or while its cell is not known yet.
 */
export class MultipleNotifications implements Announcements {
  constructor(
    private readonly all: readonly (Announcements & { readonly live: boolean })[],
    /** Undefined while the business is being moved, or while its cell is not known. */
    private readonly of: (businessId: number) => Announcements | undefined,
  ) {}

  isLiveFor(businessId: number): boolean {
    const own = this.of(businessId);
    return (own ? [own] : this.all).every((each) => each.isLiveFor(businessId));
  }

  on(channel: string, hearer: (payload: string) => void): void {
    for (const each of this.all) each.on(channel, hearer);
  }

  onWork(channel: string, wake: () => void): void {
    for (const each of this.all) each.onWork(channel, wake);
  }

  /** A gap in one database concerns the businesses of that database, and businesses whose database is not certain. */
  onGap(hearer: (concerns: (businessId: number) => boolean) => void): void {
    for (const each of this.all) each.onGap(() => hearer((businessId) => (this.of(businessId) ?? each) === each));
  }

  notify(channel: string): void {
    (this.all.find(({ live }) => live) ?? this.all[0])?.notify(channel);
  }

  async start(): Promise<void> {
    await Promise.all(this.all.map((each) => each.start()));
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((each) => each.close()));
  }
}
