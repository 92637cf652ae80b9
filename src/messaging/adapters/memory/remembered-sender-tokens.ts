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
 * Caches sender tokens for a few seconds, and also that a sender has none. Simultaneous look-ups share one query, and
 * the callers' networks take turns. There is no other limit on webhooks for guessed senders: an address is never
 * refused because its earlier webhooks were wrong.
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
