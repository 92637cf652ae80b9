import type { EventLog, LoggedEvent } from "../../kernel/events.ts";
import type { BusinessFeed } from "./business-feed.ts";
import type { Client } from "./client.ts";

/** Those of one business that are connected to this process. */
interface Audience {
  readonly feed: BusinessFeed;
  readonly clients: Set<Client>;
}

/** Who is connected to this process, by business. A business has a feed as long as somebody hears it. */
export class Audiences {
  private readonly byBusiness = new Map<number, Audience>();
  private looking = false;

  constructor(
    private readonly log: Pick<EventLog, "lastNumbers">,
    private readonly newFeed: (businessId: number) => BusinessFeed,
  ) {}

  get size(): number {
    return this.byBusiness.size;
  }

  has(businessId: number): boolean {
    return this.byBusiness.has(businessId);
  }

  /** All of them without a business. */
  clients(businessId?: number): Client[] {
    if (businessId !== undefined) return [...(this.byBusiness.get(businessId)?.clients ?? [])];
    return [...this.byBusiness.values()].flatMap(({ clients }) => [...clients]);
  }

  /** The feed that the client is to join. */
  add(client: Client): BusinessFeed {
    const { businessId } = client;
    let audience = this.byBusiness.get(businessId);
    if (!audience) {
      audience = { feed: this.newFeed(businessId), clients: new Set() };
      this.byBusiness.set(businessId, audience);
    }
    audience.clients.add(client);
    return audience.feed;
  }

  remove(client: Client): void {
    const audience = this.byBusiness.get(client.businessId);
    if (!audience?.clients.delete(client) || audience.clients.size > 0) return;
    audience.feed.close();
    this.byBusiness.delete(client.businessId);
  }

  /** Events whose change is committed. */
  offer(businessId: number, events: readonly LoggedEvent[]): void {
    this.byBusiness.get(businessId)?.feed.offer(events);
  }

  /** Asks for all businesses at once whether the log is ahead of what was heard. */
  async findUnheard(): Promise<void> {
    if (this.looking) return;
    const cursors = new Map<number, { feed: BusinessFeed; cursor: number }>();
    for (const [businessId, { feed }] of this.byBusiness) {
      if (feed.cursor !== undefined) cursors.set(businessId, { feed, cursor: feed.cursor });
    }
    if (cursors.size === 0) return;
    this.looking = true;
    try {
      const last = await this.log.lastNumbers([...cursors.keys()]);
      for (const [businessId, { feed, cursor }] of cursors) feed.compare(last.get(businessId) ?? 0, cursor);
    } finally {
      this.looking = false;
    }
  }

  /** Nothing is sent from now on. */
  silence(): void {
    for (const { feed } of this.byBusiness.values()) feed.close();
  }
}
