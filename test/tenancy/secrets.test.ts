import { expect } from "chai";
import { Passwords } from "../../src/infra/crypto/passwords.ts";
import { newToken, Secrets } from "../../src/infra/crypto/secrets.ts";

const secrets = new Secrets("a master secret that is good for tests only");

describe("secrets", () => {
  it("come back as they were sealed", () => {
    expect(secrets.open(secrets.seal("EAAG-token ñ", 7), 7)).to.equal("EAAG-token ñ");
  });

  it("look different each time, and do not show through", () => {
    const [one, two] = [secrets.seal("same", 7), secrets.seal("same", 7)];
    expect(one.equals(two)).to.equal(false);
    expect(one.includes("same")).to.equal(false);
  });

  it("do not open for another business, another master secret, or once changed", () => {
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

  it("match themselves only, however their accents were typed", async () => {
    const stored = await passwords.hash("contraseña");
    expect(await passwords.matches("contrasen\u0303a", stored, "10.0.0.1")).to.equal(true);
    expect(await passwords.matches("contrasena", stored, "10.0.0.1")).to.equal(false);
  });

  it("match nothing where none is stored", async () => {
    expect(await passwords.matches("", null, "10.0.0.1")).to.equal(false);
    expect(await passwords.matches("x", "none", "10.0.0.1")).to.equal(false);
  });
});
