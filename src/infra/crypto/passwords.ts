import { type BinaryLike, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { FairQueue } from "../../kernel/fair-queue.ts";

/**
 * OWASP's scrypt setting for 32 MiB: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
 */
const cost = { N: 2 ** 15, r: 8, p: 3 };
const keyBytes = 32;
/** One hash at a time, since each takes 32 MiB, a core and a thread of the pool for about a quarter of a second. */
const line = { name: "passwords", width: 1, widthPerKey: 1, queuePerKey: 4, queue: 40, waitMs: 15_000 };
/** The pause after each hash, as a share of its duration: hashing takes at most two thirds of a core. */
const rest = 0.5;

const deriveKey = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

interface PasswordOwner {
  /** The key of the owner's line, such as an e-mail or a network. Owners with the same key wait in the same line. */
  readonly share: string;
  /** Known owners and strangers wait in separate queues, which take turns. So strangers cannot block known owners. */
  readonly isKnown: boolean;
}

/** Hashes are stored as `scrypt$N$r$p$salt$hash`, so that the cost can be raised later. */
export class Passwords {
  private readonly hashing = new FairQueue(line);
  private readonly lines = { known: new FairQueue(line), strangers: new FairQueue(line), new: new FairQueue(line) };

  /** @param share - like `share` of `PasswordOwner` */
  readonly hash = async (password: string, share = "new"): Promise<string> => {
    const salt = randomBytes(16);
    const key = await this.inLine("new", share, undefined, () => derive(password, salt, cost));
    return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64"), key.toString("base64")].join("$");
  };

  /**
   * If `stored` is null, returns false after the time of a real check, so that the duration does not reveal which
   * e-mails exist. Rejects with `Busy` if the queue is full or the wait is too long.
   */
  matches(password: string, stored: string | null, owner: PasswordOwner, signal?: AbortSignal): Promise<boolean> {
    return this.inLine(owner.isKnown ? "known" : "strangers", owner.share, signal, () => compare(password, stored));
  }

  private inLine<Result>(
    name: keyof Passwords["lines"],
    share: string,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const inTurn = async () => {
      const leave = await this.hashing.acquire(name, signal);
      const begun = performance.now();
      try {
        return await work();
      } finally {
        setTimeout(leave, (performance.now() - begun) * rest).unref();
      }
    };
    return this.lines[name].run(share, inTurn, signal);
  }
}

async function compare(password: string, stored: string | null): Promise<boolean> {
  const [, n, r, p, salt = "", expected = ""] = (stored ?? "").split("$");
  const isHash = /^scrypt\$\d+\$\d+\$\d+\$/.test(stored ?? "");
  if (!isHash) {
    await derive(password, Buffer.alloc(16), cost);
    return false;
  }
  const key = await derive(password, Buffer.from(salt, "base64"), { N: Number(n), r: Number(r), p: Number(p) });
  const wanted = Buffer.from(expected, "base64");
  return wanted.length === key.length && timingSafeEqual(wanted, key);
}

const derive = (password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> =>
  deriveKey(password.normalize("NFKC"), salt, keyBytes, { ...options, maxmem: 2 ** 26 });
