import { expect } from "chai";
import pg from "pg";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { Passwords } from "../../src/infra/crypto/passwords.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { startWorld, type World } from "../support/world.ts";

const password = "contraseña larga";

describe("sessions", () => {
  let world: World;
  let passwordHash: string;
  const setPasswords = (of: World) => of.rows("update credentials set password_hash = $1", [passwordHash]);
  before(async () => {
    passwordHash = await new Passwords().hash(password);
    world = await startWorld({ environment: { ROLE: "api", SESSION_HOURS: "2" } });
    await setPasswords(world);
  });
  after(() => world.stop());

  const open = (body: unknown, of = world) => request(`${of.api}/auth/session`, { method: "POST", body });
  const close = (headers: Record<string, string>, query = "") =>
    request(`${world.api}/auth/session${query}`, { method: "DELETE", headers });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const userOf = (token: string) => resolve(world.container, tokens.sessions).userOf(token);
  const seen = ({ status, type, text }: Answer) => ({ status, type, text });
  const expectAnswer = ({ status, type, json }: Answer, expected: [status: number, body: object]): void => {
    expect([status, type, json]).to.deep.equal([expected[0], "application/json", expected[1]]);
  };
  const invalid: [number, object] = [401, { error: "Invalid token" }];

  it("open with e-mail and password, whatever the case of the e-mail, for the configured time (Auth.6)", async () => {
    for (const email of ["agent@b1.test", "AGENT@B1.Test"]) {
      const { status, json } = await open({ email, password });
      expect(status).to.equal(200);
      expect(Object.keys(json)).to.deep.equal(["token", "expires_at", "empresa_id", "usuario_id"]);
      expect(json).to.include({ empresa_id: 1, usuario_id: 102 });
      expect(json.token).to.match(/^rs_[\w-]{43}$/);
      const [row] = await world.rows<{ hours: number }>(
        "select extract(epoch from $1::timestamptz - now())::float8 / 3600 as hours",
        [json.expires_at],
      );
      expect(row?.hours).to.be.within(1.9, 2);
      expect(await userOf(json.token)).to.include({ businessId: 1, userId: 102, roleId: 5 });
    }
  });

  it("are opened for a user whose id two businesses use only once it is said which", async () => {
    const openSession = resolve(world.container, tokens.openSession);
    const refusalOf = (userId: number, businessId?: number): Promise<string> =>
      openSession.forUser(userId, businessId).then(
        () => "none",
        (error: Error) => error.message,
      );
    await world.rows("insert into users (business_id, id, name, role_id) values (1, 777, 'A', 5), (2, 777, 'B', 5)");
    expect(await refusalOf(777)).to.equal("user 777 is in the businesses 1, 2: say which");
    for (const businessId of [1, 2]) {
      const { token } = await openSession.forUser(777, businessId);
      expect(await userOf(token)).to.include({ businessId, userId: 777 });
    }
    expect(await refusalOf(102, 2)).to.equal("there is no active user 102 in business 2");
    expect(await refusalOf(778)).to.equal("there is no active user 778");
    await world.rows("delete from users where id = 777");
  });

  it("do not open with a wrong e-mail, as with a wrong password, byte for byte (Auth.7)", async () => {
    await world.rows("update users set active = false where business_id = 2 and id = 202");
    const refused = await open({ email: "agent@b1.test", password: "contraseña" });
    expectAnswer(refused, [401, { message: "Invalid credentials" }]);
    const others = [
      { email: "nobody@b1.test", password },
      { email: "agent@b2.test", password },
      { email: " agent@b1.test", password },
    ];
    for (const body of others) expect(seen(await open(body)), body.email).to.deep.equal(seen(refused));
  });

  const wrong: [body: unknown, message: string][] = [
    [{}, "email es requerido"],
    [{ email: "agent@b1.test" }, "password es requerido"],
    [{ email: "", password }, "email es requerido"],
    [{ email: 1, password }, "email debe ser un texto"],
    [{ email: "agent@b1.test", password: ["x"] }, "password debe ser un texto"],
    [{ email: "x".repeat(321), password }, "email no puede tener más de 320"],
    [{ email: "agent@b1.test", password: "x".repeat(1_025) }, "password no puede tener más de 1024"],
  ];
  for (const [body, message] of wrong) {
    it(`do not open with ${JSON.stringify(body).slice(0, 50)}: ${message}`, async () => {
      expectAnswer(await open(body), [400, { message }]);
    });
  }

  it("end when they are closed: the token is void, and other sessions of the user are not", async () => {
    const [token, other] = [await world.sessionToken(101), await world.sessionToken(101)];
    expectAnswer(await close(bearer(token)), [200, { success: true }]);
    expectAnswer(await close(bearer(token)), invalid);
    expect(await userOf(token)).to.equal(null);
    expect(await userOf(other)).to.include({ userId: 101 });
  });

  it("are named by a bearer in any case, or by the parameter token", async () => {
    const [lower, parameter] = [await world.sessionToken(101), await world.sessionToken(101)];
    expectAnswer(await close({ authorization: `bearer ${lower}` }), [200, { success: true }]);
    expectAnswer(await close({}, `?token=${parameter}`), [200, { success: true }]);
  });

  it("are demanded with 400 when no token is given (authentication rule 4)", async () => {
    const missing: [number, object] = [400, { error: "Token is required" }];
    expectAnswer(await close({}), missing);
    expectAnswer(await close({}, "?token="), missing);
    expectAnswer(await close({ authorization: "Basic YTpi" }), missing);
  });

  it("are not had by a token that is unknown, an App Key, or given twice", async () => {
    const token = await world.sessionToken(101);
    for (const wrong of ["x", `${token}x`, world.appKey(1), "x".repeat(5_000)]) {
      expectAnswer(await close(bearer(wrong)), invalid);
    }
    expect((await close({}, `?token=${token}&token=${token}`)).status).to.equal(400);
    expect(await userOf(token)).not.to.equal(null);
  });

  it("end by themselves when their time is over, or when their user is no longer active", async () => {
    const [expired, inactive] = [await world.sessionToken(101), await world.sessionToken(201)];
    await world.rows("update sessions set expires_at = now() where business_id = 1");
    expectAnswer(await close(bearer(expired)), invalid);
    await world.rows("update users set active = false where id = 201");
    expectAnswer(await close(bearer(inactive)), invalid);
  });

  it("are stored as a digest only", async () => {
    const token = await world.sessionToken(101);
    const stored = JSON.stringify(await world.rows("select sessions::text as row from sessions"));
    expect(stored).not.to.include(token).and.not.include(Buffer.from(token).toString("hex"));
  });

  it("are forgotten a day after they ended", async () => {
    const [old, recent] = [await world.sessionToken(101), await world.sessionToken(102)];
    const endedBefore = (interval: string, userId: number) =>
      world.rows(`update sessions set expires_at = now() - interval '${interval}' where user_id = $1`, [userId]);
    await endedBefore("25 hours", 101);
    await endedBefore("23 hours", 102);
    expect(await resolve(world.container, tokens.sessions).purge()).to.be.above(0);
    const left = await world.rows<{ user_id: number }>("select distinct user_id from sessions where business_id = 1");
    expect(left).to.deep.equal([{ user_id: 102 }]);
    expect([await userOf(old), await userOf(recent)]).to.deep.equal([null, null]);
  });

  it("are announced when they are withdrawn, and not when one is forgotten that had ended", async () => {
    const listener = new pg.Client({ connectionString: world.config.database.url });
    await listener.connect();
    try {
      const heard: unknown[] = [];
      listener.on("notification", ({ payload }) => heard.push(payload));
      await listener.query("listen access_changed");
      const { sessions, appKeyStore } = tokens;
      await world.rows("update users set active = true where id = 201");
      await eventually(() => heard.includes("2"));
      const [ended, open] = [await world.sessionToken(101), await world.sessionToken(201)];
      await resolve(world.container, tokens.issueAppKey).execute(1, "old");
      expect(await resolve(world.container, appKeyStore).revoke(1, "old")).to.equal(1);
      await world.rows("update sessions set expires_at = now() - interval '2 days' where user_id = 101");
      await eventually(() => heard.filter((businessId) => businessId === "1").length === 2);
      heard.length = 0;
      expect(await resolve(world.container, sessions).purge()).to.be.at.least(1);
      await world.rows("delete from app_keys where revoked_at is not null");
      expect(await resolve(world.container, sessions).revoke(open)).to.equal(true);
      await eventually(() => heard.includes("2"));
      expect(heard).to.deep.equal(["2"]);
      await resolve(world.container, appKeyStore).revoke(2, "test");
      await eventually(() => heard.length === 2);
      expect(await userOf(ended)).to.equal(null);
    } finally {
      await listener.end();
    }
  });

  describe("tried too often", () => {
    let strict: World;
    before(async () => {
      strict = await startWorld({
        environment: { ROLE: "api" },
        configure: (config) => ({ ...config, http: { ...config.http, failedAttemptsPerMinute: 2 } }),
      });
      await setPasswords(strict);
    });
    after(() => strict.stop());

    it("do not open even with the right password: 429 with Retry-After", async () => {
      const right = { email: "admin@b1.test", password };
      expect((await open(right, strict)).status).to.equal(200);
      for (const email of ["a@b1.test", "b@b1.test"]) {
        expect((await open({ email, password: "x" }, strict)).status).to.equal(401);
      }
      for (const body of [right, { email: "c@b1.test", password: "x" }]) {
        const limited = await open(body, strict);
        expectAnswer(limited, [429, { message: "Too many requests" }]);
        expect(Number(limited.headers["retry-after"])).to.be.within(1, 60);
      }
    });
  });
});
