import type { EventLog, LoggedEvent } from "../../kernel/events.ts";
import type { BusinessFeed } from "./business-feed.ts";
import { type Client, roomOfView } from "./client.ts";
import type { View } from "./visibility.ts";

interface RoomOfView {
  readonly view: View;
  readonly room: string;
}

interface ClientsOfBusiness {
  readonly feed: BusinessFeed;
  readonly clients: Set<Client>;
  /** The clients' views by key, each with its number of clients. */
  readonly views: Map<string, RoomOfView & { clients: number }>;
}

/** The clients of this process by business. A business has a feed while it has clients. */
export class ConnectedClients {
  private readonly byBusiness = new Map<number, ClientsOfBusiness>();
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

  clients(businessId?: number): Client[] {
    if (businessId !== undefined) return [...(this.byBusiness.get(businessId)?.clients ?? [])];
    return [...this.byBusiness.values()].flatMap(({ clients }) => [...clients]);
  }

  views(businessId: number): Iterable<RoomOfView> {
    return this.byBusiness.get(businessId)?.views.values() ?? [];
  }

  /** Live clients have their events up to this number. Undefined without clients, or before the log was read. */
  reached(businessId: number): number | undefined {
    return this.byBusiness.get(businessId)?.feed.cursor;
  }

  /** Returns the feed for the client to join. */
  add(client: Client): BusinessFeed {
    const { businessId } = client;
    let known = this.byBusiness.get(businessId);
    if (!known) {
      known = { feed: this.newFeed(businessId), clients: new Set(), views: new Map() };
      this.byBusiness.set(businessId, known);
    }
    known.clients.add(client);
    count(known, client, client.view, 1);
    return known.feed;
  }

  remove(client: Client): void {
    const known = this.byBusiness.get(client.businessId);
    if (!known?.clients.delete(client)) return;
    count(known, client, client.view, -1);
    if (known.clients.size > 0) return;
    known.feed.close();
    this.byBusiness.delete(client.businessId);
  }

  changeView(client: Client, before: View): void {
    const known = this.byBusiness.get(client.businessId);
    if (!known?.clients.has(client)) return;
    count(known, client, before, -1);
    count(known, client, client.view, 1);
  }

  offer(businessId: number, events: readonly LoggedEvent[]): void {
    this.byBusiness.get(businessId)?.feed.offer(events);
  }

  async catchUp(businessId: number): Promise<void> {
    await this.byBusiness.get(businessId)?.feed.catchUpWithLog();
  }

  /** Compares the feeds of all businesses with the log. */
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
      for (const [businessId, { feed, cursor }] of cursors) {
        const number = last.get(businessId);
        // A missing number means that the cell of the business is down.
        if (number !== undefined) feed.compare(number, cursor);
      }
    } finally {
      this.looking = false;
    }
  }

  stopSending(): void {
    for (const { feed } of this.byBusiness.values()) feed.close();
  }
}

function count({ views }: ClientsOfBusiness, { businessId }: Client, view: View, sign: 1 | -1): void {
  const known = views.get(view.key) ?? { view, room: roomOfView(businessId, view), clients: 0 };
  known.clients += sign;
  if (known.clients > 0) views.set(view.key, known);
  else views.delete(view.key);
}
