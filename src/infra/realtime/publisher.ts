import type { EventFeed, LoggedEvent } from "../../kernel/events.ts";
import { groupBy } from "../../kernel/group-by.ts";
import { openPeers, type PeerSettings, type Peers } from "./peers.ts";

/** For a process without sockets: tells those that have some. Without Redis their sweep finds the events. */
export class RealtimePublisher implements EventFeed {
  readonly reachesNobody: boolean;
  private readonly peers: Peers;

  constructor(settings: PeerSettings) {
    this.reachesNobody = settings.redisUrl === undefined;
    this.peers = openPeers(settings);
  }

  /** Connects in the background. */
  start(): void {
    this.peers.start();
  }

  publish(events: readonly LoggedEvent[]): void {
    for (const [businessId, group] of groupBy(events, (event) => event.businessId)) this.peers.tell(businessId, group);
  }

  close(): void {
    this.peers.close();
  }
}
