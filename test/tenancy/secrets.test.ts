import { expect } from "chai";
import { Passwords } from "../../src/infra/crypto/passwords.ts";
import { newToken, Secrets } from "../../src/infra/crypto/secrets.ts";
import { Busy } from "../../src/kernel/errors.ts";

const secrets = new Secrets("a master secret that is good for tests only");

describe("secrets", () => {
  it("are decrypted to the original", () => {
    expect(secrets.open(secrets.seal("EAAG-token ñ", 7), 7)).to.equal("EAAG-token ñ");
  });

  it("are encrypted differently each time, and without readable parts", () => {
    const [one, two] = [secrets.seal("same", 7), secrets.seal("same", 7)];
    expect(one.equals(two)).to.equal(false);
    expect(one.includes("same")).to.equal(false);
  });

  it("cannot be decrypted for another business, with another master secret, or after a change", () => {
    const sealed = secrets.seal("token", 7);
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(20) ^ 1, 20);
    expect(() => secrets.open(sealed, 8)).to.throw();
    expect(() => new Secrets("another master secret of enough length").open(sealed, 7)).to.throw();
    expect(() => secrets.open(changed, 7)).to.throw();
  });

  it("have digests that depend on the master secret", () => {
    const token = newToken("rk");
    expect(token).to.match(/^rk_[\w-]{43}$/);
    expect(secrets.digest(token)).to.deep.equal(secrets.digest(token));
    expect(secrets.digest(token)).to.have.length(32);
    expect(new Secrets("another master secret of enough length").digest(token)).not.to.deep.equal(
      secrets.digest(token),
    );
  });
});

describe("passwords", () => {
  const passwords = new Passwords();
  const somebody = { share: "10.0.0.1", isKnown: false };

  it("match only themselves, in any encoding of accents", async () => {
    const stored = await passwords.hash("contraseña");
    expect(await passwords.matches("contrasen\u0303a", stored, somebody)).to.equal(true);
    expect(await passwords.matches("contrasena", stored, somebody)).to.equal(false);
  });

  it("match nothing if none is stored", async () => {
    expect(await passwords.matches("", null, somebody)).to.equal(false);
    expect(await passwords.matches("x", "none", somebody)).to.equal(false);
  });

  describe("that are checked at the same time", () => {
    let queue: Passwords;
    let stored: string;
    let order: string[];
    before(async () => {
      stored = await passwords.hash("right");
    });
    beforeEach(() => {
      queue = new Passwords();
      order = [];
    });
    const check = (who: string, signal?: AbortSignal, isKnown = false) =>
      queue.matches("right", stored, { share: who, isKnown }, signal).then(
        () => order.push(who),
        (error: unknown) => error,
      );

    it("take turns, with few waiting in each share, and are dropped when the caller is gone", async () => {
      const gone = new AbortController();
      const many = Array.from({ length: 5 }, (_, i) => check("many", i === 2 ? gone.signal : undefined));
      expect(await check("many"))
        .to.be.instanceOf(Busy)
        .and.include({ isOwnDoing: true });
      const other = check("other");
      gone.abort();
      await Promise.all([...many, other]);
      expect(order).to.deep.equal(["many", "other", "many", "many", "many"]);
    });

    it("are refused if too many others wait, unless they come from a known browser", async () => {
      const clients = Array.from({ length: 41 }, () => new AbortController());
      const others = clients.map(({ signal }, i) => check(`other ${i}`, signal));
      expect(await check("late"))
        .to.be.instanceOf(Busy)
        .and.include({ isOwnDoing: false });
      const known = check("known", undefined, true);
      for (const [i, client] of clients.entries()) if (i > 3) client.abort();
      await Promise.all([...others, known]);
      expect(order).to.deep.equal(["other 0", "known", "other 1", "other 2", "other 3"]);
    });
  });
});
