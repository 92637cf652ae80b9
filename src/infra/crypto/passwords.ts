import { type BinaryLike, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { FairGate } from "../../kernel/fair-gate.ts";

/** OWASP's scrypt setting for 32 MiB: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const cost = { N: 2 ** 15, r: 8, p: 3 };
const keyBytes = 32;
/**
 * One hash at a time: it holds 32 MiB, a core and a thread of the pool that also resolves names and reads files. At a
 * quarter of a second for each, and its rest, what waits in a line has its turn within the time.
 */
const line = { name: "passwords", width: 1, widthOfOne: 1, queueOfOne: 4, queue: 40, waitMs: 15_000 };
/** After each hash a rest, as a part of the time that it took: hashing takes at most two thirds of a core. */
const rest = 0.5;

const deriveKey = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

export interface PasswordOwner {
  /** Those who give the same take turns with others as if they were one. */
  readonly share: string;
  /** Known ones wait in a line of their own: however many strangers come, they have every other turn. */
  readonly isKnown: boolean;
}

/** Stored as `scrypt$N$r$p$salt$hash`, so that the cost can rise without voiding what is stored. */
export class Passwords {
  private readonly hashing = new FairGate(line);
  private readonly lines = { known: new FairGate(line), strangers: new FairGate(line), new: new FairGate(line) };

  /** @param share - those who give the same take turns with others as if they were one */
  async hash(password: string, share = "new"): Promise<string> {
    const salt = randomBytes(16);
    const key = await this.inLine("new", share, undefined, () => derive(password, salt, cost));
    return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64"), key.toString("base64")].join("$");
  }

  /**
   * With `stored` null it takes as long and answers false: the duration does not reveal which e-mails exist. Rejects with `Busy`
   * where the line is full, and once `signal` is aborted unless the work had begun.
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
      const leave = await this.hashing.enter(name, signal);
      const begun = performance.now();
      try {
        return await work();
      } finally {
        setTimeout(leave, (performance.now() - begun) * rest).unref();
      }
    };
    return this.lines[name].pass(share, inTurn, signal);
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
