import { expect } from "chai";
import { Busy } from "../../src/kernel/errors.ts";
import { RememberedSignInAttempts } from "../../src/tenancy/adapters/memory/sign-in-attempts.ts";
import { OpenSession } from "../../src/tenancy/application/open-session.ts";

describe("attempts to sign in", () => {
  let time: number;
  let slept: number[];
  let wake: () => void;
  let attempts: RememberedSignInAttempts;
  beforeEach(() => {
    time = 1_000_000;
    slept = [];
    attempts = new RememberedSignInAttempts({
      freeOfNetwork: 30,
      now: () => time,
      sleep: (ms) => {
        slept.push(ms);
        return new Promise((resolve) => {
          wake = resolve;
        });
      },
    });
  });

  const begin = (network: string, email = "a@b1.test", device: string | null = null) =>
    attempts.begin({ email, network, device });
  /** The seconds after which a refused attempt may be repeated; 0 if the attempt was not refused. */
  const waitOf = async (...source: Parameters<typeof begin>): Promise<number> => {
    try {
      await begin(...source);
      return 0;
    } catch (error) {
      expect(error).to.be.instanceOf(Busy).and.include({ isOwnDoing: true });
      return (error as Busy).retryAfter;
    }
  };

  it("pause twice as long each time after the fifth failure, up to half a minute", async () => {
    const pauses: number[] = [];
    for (let i = 0; i < 12; i++) {
      const pause = await waitOf("10.0.0.1");
      pauses.push(pause);
      time += pause * 1_000;
      if (pause > 0) expect(await waitOf("10.0.0.1")).to.equal(0);
    }
    expect(pauses).to.deep.equal([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 30, 30]);
  });

  it("pause because of failures from any network, but not before a network's first failure", async () => {
    for (let i = 0; i < 20; i++) expect(await waitOf(`10.0.0.${i}`)).to.equal(0);
    expect(await waitOf("10.0.0.3", "A@B1.test")).to.equal(30);
    expect(await waitOf("10.0.0.3", "b@b1.test")).to.equal(0);
  });

  it("can be undone, as if they had not been made", async () => {
    for (let i = 0; i < 10; i++) (await begin("10.0.0.1"))();
    expect(await waitOf("10.0.0.1")).to.equal(0);
  });

  it("are counted separately for a known device", async () => {
    for (let i = 0; i < 20; i++) await waitOf(`10.0.0.${i}`);
    for (let i = 0; i < 5; i++) expect(await waitOf("10.0.0.1", "a@b1.test", "till")).to.equal(0);
    expect(await waitOf("10.0.0.1", "a@b1.test", "till")).to.equal(1);
    expect(await waitOf("10.0.0.1", "a@b1.test", "phone")).to.equal(0);
  });

  it("of a network that failed at very many accounts are made one by one, and few of them wait", async () => {
    for (let i = 0; i < 30; i++) await begin("10.0.0.1", `${i}@b1.test`);
    expect(slept).to.deep.equal([]);
    const begun = Array.from({ length: 6 }, (_, i) => waitOf("10.0.0.1", `next${i}@b1.test`));
    expect(await begun.pop()).to.equal(30);
    expect(slept).to.have.length(1);
    for (const attempt of begun) {
      wake();
      expect(await attempt).to.equal(0);
    }
    expect(slept).to.have.length(5);
    expect(Math.max(...slept)).to.be.at.most(5_000);
    expect(await waitOf("10.0.0.2")).to.equal(0);
  });
});

describe("an attempt to sign in", () => {
  const gone = new AbortController();
  const stored = { businessId: 1, userId: 101, passwordHash: "" };
  let takenBack: number;
  let opened: number;

  /** Signs in; `check` decides whether the password is right. `signal` aborts when the client disconnects. */
  const attempt = (check: () => Promise<boolean>, signal?: AbortSignal) => {
    takenBack = 0;
    opened = 0;
    const directory = { credentialsOf: async () => stored, businessesWith: async () => [] };
    const sessions = {
      open: async () => {
        opened += 1;
        return new Date();
      },
      revoke: async () => true,
      purge: async () => 0,
    };
    const attempts = {
      begin: async () => () => {
        takenBack += 1;
      },
    };
    const openSession = new OpenSession(directory, sessions, { matches: check }, attempts, () => "rs_x", 1);
    const signIn = { email: "a@b1.test", password: "x", network: "10.0.0.1", device: null };
    return openSession.withPassword(signIn, signal).then(
      () => "opened",
      (error: Error) => error.name,
    );
  };

  before(() => gone.abort());

  it("is undone if the password is right", async () => {
    expect([await attempt(async () => true), takenBack, opened]).to.deep.equal(["opened", 1, 1]);
  });

  it("stays counted if the password is wrong, even if its client is gone", async () => {
    for (const signal of [undefined, gone.signal]) {
      expect([await attempt(async () => false, signal), takenBack]).to.deep.equal(["Error", 0]);
    }
  });

  it("is undone if the password was not checked", async () => {
    const full = () => Promise.reject(new Busy("passwords", false, 1));
    expect([await attempt(full), takenBack, opened]).to.deep.equal(["Error", 1, 0]);
  });

  it("opens no session for a client that is gone", async () => {
    expect([await attempt(async () => true, gone.signal), takenBack, opened]).to.deep.equal(["AbortError", 1, 0]);
  });
});
