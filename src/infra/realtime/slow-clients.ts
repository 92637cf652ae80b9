import type { OccasionalLog } from "../../kernel/occasional-log.ts";
import type { Client } from "./client.ts";

/** Looks at what waits for clients: one that does not keep up is dropped, and its business's events go slower. */
export class SlowClients {
  /** Businesses of which some client got much in this turn of the event loop. */
  private readonly pressed = new Set<number>();

  constructor(
    private readonly maxWaitingBytes: number,
    private readonly warnings: OccasionalLog,
  ) {}

  /** What may wait for a client before it is looked at. */
  get roomyBytes(): number {
    return this.maxWaitingBytes / 4;
  }

  isPressed(businessId: number): boolean {
    return this.pressed.has(businessId);
  }

  /** A packet of so many bytes is being added, and much waits for the client with it. */
  weigh(client: Client, bytes: number, waitingBytes: number): void {
    if (this.pressed.size === 0) setImmediate(() => this.pressed.clear());
    this.pressed.add(client.businessId);
    // One packet that is too large by itself is no sign that the client does not read.
    if (waitingBytes > this.maxWaitingBytes && waitingBytes - bytes > this.roomyBytes) this.drop(client);
  }

  private drop(client: Client): void {
    if (!client.connected) return;
    const { businessId, userId } = client;
    this.warnings.warn({ businessId, userId }, "A client that does not keep up was dropped");
    client.drop();
  }
}
