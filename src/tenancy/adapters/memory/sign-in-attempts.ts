import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { Busy } from "../../../kernel/errors.ts";
import { FairQueue } from "../../../kernel/fair-queue.ts";
import type { SignInAttempts, SignInSource } from "../../application/ports.ts";

/** Pauses begin only after this many failed attempts for an account, since people mistype. */
const freeAttempts = 5;
/** Milliseconds. */
const longestPause = 30_000;
const longestSpacing = 5_000;
const failuresLast = 15 * 60_000;
/** Never reached: hashing is so slow that far fewer passwords can be tried before a count expires. */
const mostCounts = 20_000;

const name = "sign-ins";

interface Settings {
  /** After this many failures from one network, over all accounts, the network's attempts are slowed down. */
  readonly freeOfNetwork: number;
  /** In milliseconds; the real clock by default. */
  readonly now?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Counts attempts by account, by network and by known device, in this process.
 * Failures for an account, from any network, make each network pause between its attempts for this account. This does
 * not lock out the owner: a network's first attempt is checked at once, and a known device pauses only for its own
 * failures. A network with many failures is not refused, because other people may share it. Its attempts are checked
 * one at a time, at intervals.
 */
export class RememberedSignInAttempts implements SignInAttempts {
  private readonly failures = new LRUCache<string, number>({ max: mostCounts, ttl: failuresLast });
  /** The time of the last attempt for an account, by network or device. */
  private readonly latest = new LRUCache<string, number>({ max: mostCounts, ttl: longestPause });
  private readonly spaced = new FairQueue({
    name,
    width: 1_000,
    widthPerKey: 1,
    queuePerKey: 4,
    queue: 1_000,
    waitMs: longestPause,
  });
  private readonly now: () => number;
  private readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;

  constructor(private readonly settings: Settings) {
    this.now = settings.now ?? (() => performance.now());
    this.sleep = settings.sleep ?? ((ms, signal) => sleep(ms, undefined, signal ? { signal } : {}));
  }

  async begin({ email, network, device }: SignInSource, signal?: AbortSignal): Promise<() => void> {
    const account = hash("sha256", email.toLowerCase(), "base64");
    if (device !== null) return this.count(`device ${device} ${account}`, [`device ${device} ${account}`]);
    const takeBack = this.count(`${network} ${account}`, [`account ${account}`, `network ${network}`]);
    try {
      await this.space(network, signal);
    } catch (error) {
      takeBack();
      throw error;
    }
    return takeBack;
  }

  /** @param counts - the counts that the attempt raises. The first one, of the account or device, decides the pause */
  private count(who: string, counts: readonly [string, ...string[]]): () => void {
    const latest = this.latest.get(who);
    if (latest !== undefined) {
      const left = latest + growing(this.failuresOf(counts[0]) - freeAttempts, longestPause) - this.now();
      if (left > 0) throw new Busy(name, true, Math.ceil(left / 1_000));
    }
    this.latest.set(who, this.now());
    for (const count of counts) this.add(count, 1);
    return () => {
      if (latest === undefined) this.latest.delete(who);
      else this.latest.set(who, latest);
      for (const count of counts) this.add(count, -1);
    };
  }

  private async space(network: string, signal: AbortSignal | undefined): Promise<void> {
    const spacing = growing(this.failuresOf(`network ${network}`) - this.settings.freeOfNetwork - 1, longestSpacing);
    if (spacing > 0) await this.spaced.run(network, () => this.sleep(spacing, signal), signal);
  }

  private add(count: string, change: 1 | -1): void {
    const failures = this.failuresOf(count) + change;
    if (failures > 0) this.failures.set(count, failures);
    else this.failures.delete(count);
  }

  private failuresOf(count: string): number {
    return this.failures.get(count) ?? 0;
  }
}

/** In milliseconds: one second at first, then twice as long each time. */
const growing = (times: number, longest: number): number => (times < 0 ? 0 : Math.min(longest, 1_000 * 2 ** times));
