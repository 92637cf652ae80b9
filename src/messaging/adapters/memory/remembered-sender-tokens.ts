import { LRUCache } from "lru-cache";
import type { ChannelName } from "../../../kernel/channels.ts";
import type { FairQueue } from "../../../kernel/fair-queue.ts";

interface TokenStore<Found extends object> {
  find(channel: ChannelName, platformId: string): Promise<Found | null>;
}

interface Settings {
  /** A changed token or a new sender is noticed after at most this time. */
  readonly lifeMs: number;
  readonly size: number;
}

/**
 * Remembers for a few seconds the tokens of senders, and which senders do not exist. Simultaneous look-ups of one
 * sender share a query. The networks that webhooks come from take turns with their queries, so that a network that
 * guesses senders does not hold up the others.
 */
export class RememberedSenderTokens<Found extends object> {
  private readonly remembered: LRUCache<string, Promise<Found | null>>;

  /** @param lookUps - the gate in which networks take turns to ask the store */
  constructor(
    private readonly store: TokenStore<Found>,
    private readonly lookUps: Pick<FairQueue, "run">,
    { lifeMs, size }: Settings = { lifeMs: 3_000, size: 10_000 },
  ) {
    this.remembered = new LRUCache({ max: size, ttl: lifeMs });
  }

  find(channel: ChannelName, platformId: string, network: string): Promise<Found | null> {
    const key = `${channel} ${platformId}`;
    const known = this.remembered.get(key);
    if (known) return known;
    const asked = this.lookUps.run(network, () => this.store.find(channel, platformId));
    this.remembered.set(key, asked);
    asked.catch(() => this.remembered.delete(key));
    return asked;
  }
}
