import type { Announcements } from "./notifications.ts";

/**
 * What processes tell each other over several databases, one listener for each. What one database announces by itself is
 * heard on it; what a process tells goes over the first that is live.
 */
export class SpreadNotifications implements Announcements {
  /** @param of - the listener of the database in which the business lives */
  constructor(
    private readonly all: readonly (Announcements & { readonly live: boolean })[],
    private readonly of: (businessId: number) => Announcements,
  ) {}

  isLiveFor(businessId: number): boolean {
    return this.of(businessId).isLiveFor(businessId);
  }

  on(channel: string, hearer: (payload: string) => void): void {
    for (const each of this.all) each.on(channel, hearer);
  }

  onWork(channel: string, wake: () => void): void {
    for (const each of this.all) each.onWork(channel, wake);
  }

  /** The gap of one listener concerns the businesses of its own database. */
  onGap(hearer: (concerns: (businessId: number) => boolean) => void): void {
    for (const each of this.all) each.onGap(() => hearer((businessId) => this.of(businessId) === each));
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
