import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { Gate } from "../../kernel/gate.ts";

/** OWASP's scrypt setting for 32 MiB: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const cost = { N: 2 ** 15, r: 8, p: 3 };
const keyBytes = 32;
/** Hashes at a time: each holds 32 MiB and a thread of the pool that also resolves names and reads files. */
const atOnce = 2;

/** Stored as `scrypt$N$r$p$salt$hash`, so that the cost can rise without voiding what is stored. */
export class Passwords {
  private readonly gate = new Gate(atOnce);

  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    const key = await this.derive(password, salt, cost);
    return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64"), key.toString("base64")].join("$");
  }

  /** With `stored` null it takes as long and answers false: the time tells nobody which e-mails exist. */
  async matches(password: string, stored: string | null): Promise<boolean> {
    const [, n, r, p, salt = "", expected = ""] = (stored ?? "").split("$");
    const isHash = /^scrypt\$\d+\$\d+\$\d+\$/.test(stored ?? "");
    if (!isHash) {
      await this.derive(password, Buffer.alloc(16), cost);
      return false;
    }
    const key = await this.derive(password, Buffer.from(salt, "base64"), { N: Number(n), r: Number(r), p: Number(p) });
    const wanted = Buffer.from(expected, "base64");
    return wanted.length === key.length && timingSafeEqual(wanted, key);
  }

  private derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
    const settings = { ...options, maxmem: 2 ** 26 };
    return this.gate.pass(
      () =>
        new Promise((resolve, reject) =>
          scrypt(password.normalize("NFKC"), salt, keyBytes, settings, (error, key) =>
            error ? reject(error) : resolve(key),
          ),
        ),
    );
  }
}
