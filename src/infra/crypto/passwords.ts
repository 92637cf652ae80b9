import { type BinaryLike, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { FairGate } from "../../kernel/fair-gate.ts";

/** OWASP's scrypt setting for 32 MiB: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const cost = { N: 2 ** 15, r: 8, p: 3 };
const keyBytes = 32;
/**
 * One hash at a time: it holds 32 MiB, a core and a thread of the pool that also resolves names and reads files. At a
 * quarter to half a second for each, what waits in this queue has its turn within the time.
 */
const queue = { name: "passwords", width: 1, widthOfOne: 1, queueOfOne: 4, queue: 40, waitMs: 15_000 };
/** After each hash a rest, as a part of the time that it took: hashing takes at most two thirds of a core. */
const rest = 0.5;

const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

/** Stored as `scrypt$N$r$p$salt$hash`, so that the cost can rise without voiding what is stored. */
export class Passwords {
  private readonly turns = new FairGate(queue);

  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    const key = await this.derive(password, salt, cost, "new passwords");
    return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64"), key.toString("base64")].join("$");
  }

  /**
   * With `stored` null it takes as long and answers false: the time tells nobody which e-mails exist. Rejects with `Busy`
   * where the queue is full, and once `signal` is aborted unless the work had begun.
   *
   * @param share - who takes turns with others as if they were one
   */
  async matches(password: string, stored: string | null, share: string, signal?: AbortSignal): Promise<boolean> {
    const [, n, r, p, salt = "", expected = ""] = (stored ?? "").split("$");
    const isHash = /^scrypt\$\d+\$\d+\$\d+\$/.test(stored ?? "");
    if (!isHash) {
      await this.derive(password, Buffer.alloc(16), cost, share, signal);
      return false;
    }
    const storedCost = { N: Number(n), r: Number(r), p: Number(p) };
    const key = await this.derive(password, Buffer.from(salt, "base64"), storedCost, share, signal);
    const wanted = Buffer.from(expected, "base64");
    return wanted.length === key.length && timingSafeEqual(wanted, key);
  }

  /** Passwords that wait and run. */
  stats(): { readonly running: number; readonly waiting: number } {
    return this.turns.stats();
  }

  private async derive(
    password: string,
    salt: Buffer,
    options: ScryptOptions,
    share: string,
    signal?: AbortSignal,
  ): Promise<Buffer> {
    const leave = await this.turns.enter(share, signal);
    const begun = performance.now();
    try {
      return await derive(password.normalize("NFKC"), salt, keyBytes, { ...options, maxmem: 2 ** 26 });
    } finally {
      setTimeout(leave, (performance.now() - begun) * rest).unref();
    }
  }
}
