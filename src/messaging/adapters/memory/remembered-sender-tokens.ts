import { LRUCache } from "lru-cache";
import type { ChannelName } from "../../../kernel/channels.ts";
import type { FairGate } from "../../../kernel/fair-gate.ts";

interface TokenStore<Found extends object> {
  find(channel: ChannelName, platformId: string): Promise<Found | null>;
}

interface Settings {
  /** A changed token, or a new sender, is known this long after the change at the latest. */
  readonly lifeMs: number;
  readonly size: number;
}

/**
 * Asks for the token of a sender once in a few seconds, also where there is none. Deliveries that ask at the same time
 * share one question, and networks take turns to ask: right deliveries are never refused for wrong ones of their address,
 * so guesses are bounded by this alone.
 */
export class RememberedSenderTokens<Found extends object> {
  private readonly remembered: LRUCache<string, Promise<Found | null>>;

  /** @param lookUps - the gate in which networks take turns to ask the store */
  constructor(
    private readonly store: TokenStore<Found>,
    private readonly lookUps: Pick<FairGate, "pass">,
    { lifeMs, size }: Settings = { lifeMs: 3_000, size: 10_000 },
  ) {
    this.remembered = new LRUCache({ max: size, ttl: lifeMs });
  }

  find(channel: ChannelName, platformId: string, network: string): Promise<Found | null> {
    const key = `${channel} ${platformId}`;
    const known = this.remembered.get(key);
    if (known) return known;
    const asked = this.lookUps.pass(network, () => this.store.find(channel, platformId));
    this.remembered.set(key, asked);
    asked.catch(() => this.remembered.delete(key));
    return asked;
  }
}
