import type { OccasionalLog } from "../../kernel/occasional-log.ts";
import type { Client } from "./client.ts";

/** Drops clients that read too slowly. While clients are slow, the events of their businesses are delayed. */
export class SlowClients {
  /** Businesses with a slow client in this turn of the event loop. */
  private readonly congested = new Set<number>();

  constructor(
    private readonly maxWaitingBytes: number,
    private readonly warnings: OccasionalLog,
  ) {}

  /** Queued bytes up to which a client counts as fast. */
  get roomyBytes(): number {
    return this.maxWaitingBytes / 4;
  }

  isCongested(businessId: number): boolean {
    return this.congested.has(businessId);
  }

  /** Called before a packet is queued, if `waitingBytes` exceed `roomyBytes`. `waitingBytes` include `bytes`. */
  onQueued(client: Client, bytes: number, waitingBytes: number): void {
    if (this.congested.size === 0) setImmediate(() => this.congested.clear());
    this.congested.add(client.businessId);
    // A single large packet does not mean that the client is slow.
    if (waitingBytes > this.maxWaitingBytes && waitingBytes - bytes > this.roomyBytes) this.drop(client);
  }

  private drop(client: Client): void {
    if (!client.connected) return;
    const { businessId, userId } = client;
    this.warnings.warn({ businessId, userId }, "A client that does not keep up was dropped");
    client.drop();
  }
}
