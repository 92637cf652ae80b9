import { scryptSync } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { io } from "socket.io-client";
import { directUrlOf } from "../../src/bootstrap/config.ts";
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

  it("open with e-mail and password, in any case of the e-mail, for the configured time (Auth.6)", async () => {
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

  it("open for a user id of two businesses only with the id of the business", async () => {
    const openSession = resolve(world.container, tokens.openSession);
    const refusalOf = (userId: number, businessId?: number): Promise<string> =>
      openSession.forUser(userId, businessId).then(
        () => "none",
        (error: Error) => error.message,
      );
    for (const businessId of [1, 2]) {
      await world.rows("insert into users (business_id, id, name, role_id) values ($1, 777, 'A', 5)", [businessId]);
    }
    expect(await refusalOf(777)).to.equal("user 777 is in the businesses 1, 2: say which");
    for (const businessId of [1, 2]) {
      const { token } = await openSession.forUser(777, businessId);
      expect(await userOf(token)).to.include({ businessId, userId: 777 });
    }
    expect(await refusalOf(102, 2)).to.equal("there is no active user 102 in business 2");
    expect(await refusalOf(778)).to.equal("there is no active user 778");
    await world.rows("delete from users where id = 777");
  });

  it("give exactly the same refusal for a wrong e-mail as for a wrong password (Auth.7)", async () => {
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
    [{ email: "x".repeat(321), password }, "email no puede tener más de 320 caracteres"],
    [{ email: "agent@b1.test", password: "x".repeat(1_025) }, "password no puede tener más de 1024 caracteres"],
  ];
  for (const [body, message] of wrong) {
    it(`do not open with ${JSON.stringify(body).slice(0, 50)}: ${message}`, async () => {
      expectAnswer(await open(body), [400, { message }]);
    });
  }

  it("end when they are closed, while other sessions of the user stay open", async () => {
    const [token, other] = [await world.sessionToken(101), await world.sessionToken(101)];
    expectAnswer(await close(bearer(token)), [200, { success: true }]);
    expectAnswer(await close(bearer(token)), invalid);
    expect(await userOf(token)).to.equal(null);
    expect(await userOf(other)).to.include({ userId: 101 });
  });

  it("can be named by a bearer in any case, or by the parameter token", async () => {
    const [lower, parameter] = [await world.sessionToken(101), await world.sessionToken(101)];
    expectAnswer(await close({ authorization: `bearer ${lower}` }), [200, { success: true }]);
    expectAnswer(await close({}, `?token=${parameter}`), [200, { success: true }]);
  });

  it("are required with 400 if no token is given (authentication rule 4)", async () => {
    const missing: [number, object] = [400, { error: "Token is required" }];
    expectAnswer(await close({}), missing);
    expectAnswer(await close({}, "?token="), missing);
    expectAnswer(await close({ authorization: "Basic YTpi" }), missing);
  });

  it("are not found by an unknown token, an App Key, or a repeated parameter", async () => {
    const token = await world.sessionToken(101);
    for (const wrong of ["x", `${token}x`, world.appKey(1), "x".repeat(5_000)]) {
      expectAnswer(await close(bearer(wrong)), invalid);
    }
    expect((await close({}, `?token=${token}&token=${token}`)).status).to.equal(400);
    expect(await userOf(token)).not.to.equal(null);
  });

  it("end after their time, or when their user is no longer active", async () => {
    const [expired, inactive] = [await world.sessionToken(101), await world.sessionToken(201)];
    await world.rows("update sessions set expires_at = now() where business_id = 1");
    expectAnswer(await close(bearer(expired)), invalid);
    await world.rows("update users set active = false where id = 201");
    expectAnswer(await close(bearer(inactive)), invalid);
  });

  it("are stored only as a digest", async () => {
    const token = await world.sessionToken(101);
    const stored = JSON.stringify(await world.rows("select sessions::text as row from sessions"));
    expect(stored).not.to.include(token).and.not.include(Buffer.from(token).toString("hex"));
  });

  it("are deleted a day after their end", async () => {
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

  it("are announced when they are revoked, but not when they are deleted after their end", async () => {
    const listener = new pg.Client({ connectionString: directUrlOf(world.config) });
    await listener.connect();
    try {
      const heard: unknown[] = [];
      listener.on("notification", ({ payload }) => heard.push(payload));
      await listener.query("listen access_changed");
      const { sessions, revokeAppKeys } = tokens;
      await world.rows("update users set active = true where id = 201");
      await eventually(() => heard.includes("2"));
      const [ended, open] = [await world.sessionToken(101), await world.sessionToken(201)];
      await resolve(world.container, tokens.issueAppKey).execute(1, "old");
      expect(await resolve(world.container, revokeAppKeys).labelled(1, "old")).to.equal(1);
      await world.rows("update sessions set expires_at = now() - interval '2 days' where user_id = 101");
      await eventually(() => heard.filter((businessId) => businessId === "1").length === 2);
      heard.length = 0;
      expect(await resolve(world.container, sessions).purge()).to.be.at.least(1);
      await world.rows("delete from app_keys where revoked_at is not null");
      expect(await resolve(world.container, sessions).revoke(open)).to.equal(true);
      await eventually(() => heard.includes("2"));
      expect(heard).to.deep.equal(["2"]);
      await resolve(world.container, revokeAppKeys).labelled(2, "test");
      await eventually(() => heard.length === 2);
      expect(await userOf(ended)).to.equal(null);
    } finally {
      await listener.end();
    }
  });

  describe("of one user", () => {
    const live = async () => {
      const rows = await world.rows<{ live: number }>(
        "select count(*)::int as live from sessions where user_id = 102 and revoked_at is null and expires_at > now()",
      );
      return rows[0]?.live;
    };

    it("are limited to 20: another one ends the oldest, and disconnects its sockets (Auth.11)", async () => {
      await world.rows("delete from sessions where user_id = 102");
      const oldest = await world.sessionToken(102);
      const socket = io(`${world.api}/realtime`, {
        forceNew: true,
        transports: ["websocket"],
        auth: { token: oldest },
      });
      try {
        const ended = new Promise<string>((hear) => socket.on("disconnect", hear));
        await new Promise((ready) => socket.on("ready", ready));
        const second = await world.sessionToken(102);
        for (let i = 0; i < 18; i++) await world.sessionToken(102);
        expect(await userOf(oldest)).to.include({ userId: 102 });
        const newest = await world.sessionToken(102);
        expect(await ended).to.equal("io server disconnect");
        expect(await userOf(oldest)).to.equal(null);
        for (const token of [second, newest]) expect(await userOf(token)).to.include({ userId: 102 });
        expect(await live()).to.equal(20);
      } finally {
        socket.disconnect();
      }
    });

    it("are limited to 20 even if another one is not committed yet", async () => {
      await world.rows("delete from sessions where user_id = 102");
      for (let i = 0; i < 20; i++) await world.sessionToken(102);
      const other = new pg.Client({ connectionString: world.config.database.url });
      await other.connect();
      try {
        await other.query("begin");
        await other.query("select open_session($1, 1, 102, '1 hour', 20)", [Buffer.alloc(32)]);
        let isOpen = false;
        const opened = world.sessionToken(102).finally(() => {
          isOpen = true;
        });
        const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
        await eventually(async () => isOpen || (await world.rows(waits)).length > 0);
        await other.query("commit");
        expect(await userOf(await opened)).to.include({ userId: 102 });
        expect(await live()).to.equal(20);
      } finally {
        await other.end();
      }
    });

    it("are limited to 20 if many are opened at once, and ended ones are not counted", async () => {
      await world.rows("delete from sessions where user_id = 102");
      for (let i = 0; i < 19; i++) await world.sessionToken(102);
      const opened = await Promise.all(Array.from({ length: 8 }, () => world.sessionToken(102)));
      expect(await live()).to.equal(20);
      for (const token of opened) expect(await userOf(token)).to.include({ userId: 102 });
      await world.rows("update sessions set expires_at = now() where user_id = 102");
      const token = await world.sessionToken(102);
      expect(await live()).to.equal(1);
      expect(await userOf(token)).to.include({ userId: 102 });
    });
  });

  describe("after too many attempts", () => {
    const cheap = (() => {
      const [salt, options] = [Buffer.alloc(16), { N: 1024, r: 8, p: 1 }];
      const key = scryptSync(password, salt, 32, options).toString("base64");
      return ["scrypt", 1024, 8, 1, salt.toString("base64"), key].join("$");
    })();
    let strict: World;
    beforeEach(async () => {
      strict = await startWorld({ environment: { ROLE: "api", TRUST_PROXY: "1" } });
      await strict.rows("update credentials set password_hash = $1", [cheap]);
    });
    afterEach(() => strict.stop());

    const from = (address: string, given: string, headers: Record<string, string> = {}, email = "admin@b1.test") =>
      request(`${strict.api}/auth/session`, {
        method: "POST",
        body: { email, password: given },
        headers: { "x-forwarded-for": address, ...headers },
      });
    const fail = async (address: string, times: number) => {
      const statuses = [];
      for (let i = 0; i < times; i++) statuses.push((await from(address, "x")).status);
      return statuses;
    };
    /** Fails to sign in to the account from twelve addresses, once from each. */
    const besiege = async () => {
      for (let address = 1; address <= 12; address++) await fail(`10.1.0.${address}`, 1);
    };
    const cookieOf = (answer: Answer): string => String(answer.headers["set-cookie"]).split(";")[0] ?? "";

    it("pause after an attempt of their address if five failed anywhere, with any password (Auth.8)", async () => {
      await besiege();
      expect(await fail("10.0.0.1", 2)).to.deep.equal([401, 429]);
      const limited = await from("10.0.0.1", password);
      expectAnswer(limited, [429, { message: "Too many requests" }]);
      expect(Number(limited.headers["retry-after"])).to.be.within(1, 30);
      expect(await fail("2001:db8:1:1::1", 1)).to.deep.equal([401]);
      expect((await from("2001:db8:1:1::2", password)).status).to.equal(429);
    });

    it("open at once from another address, and for other users from the same address (Auth.8)", async () => {
      await besiege();
      await fail("10.0.0.1", 1);
      expect((await from("10.9.9.9", password)).status).to.equal(200);
      expect((await from("10.0.0.1", password, {}, "agent@b1.test")).status).to.equal(200);
      expect((await from("10.0.0.1", password)).status).to.equal(429);
    });

    it("open at once from an address with failures in a known browser (Auth.9)", async () => {
      const cookie = cookieOf(await from("10.0.0.1", password));
      const ofAnother = { cookie: cookieOf(await from("10.0.0.1", password, {}, "agent@b1.test")) };
      const changed = { cookie: cookie.replace(/.$/, (last) => (last === "A" ? "B" : "A")) };
      await besiege();
      await fail("10.0.0.1", 1);
      for (const headers of [{}, ofAnother, changed]) {
        expect((await from("10.0.0.1", password, headers)).status).to.equal(429);
      }
      const again = await from("10.0.0.1", password, { cookie });
      expect(again.status).to.equal(200);
      expect((await from("10.0.0.1", password, { cookie: cookieOf(again) })).status).to.equal(200);
    });

    it("pause in a known browser only because of its own failures", async () => {
      const cookie = cookieOf(await from("10.0.0.1", password));
      const statuses = [];
      for (let i = 0; i < 6; i++) statuses.push((await from("10.0.0.1", "x", { cookie })).status);
      expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429]);
      expect((await from("10.0.0.1", password)).status).to.equal(200);
    });

    it("set a cookie that is only sent for sign-ins, hidden from scripts, and secure over https", async () => {
      const [cookie] = (await from("10.0.0.1", password)).headers["set-cookie"] ?? [];
      expect(cookie).to.match(
        /^recado_device=[\w.-]+; Max-Age=31536000; Path=\/auth\/session; HttpOnly; SameSite=Strict$/,
      );
      const [secure] = (await from("10.0.0.1", password, { "x-forwarded-proto": "https" })).headers["set-cookie"] ?? [];
      expect(secure).to.match(/; SameSite=Strict; Secure$/);
    });

    it("are not delayed by simultaneous failures, because few of those are checked at once", async () => {
      const attack = Promise.all(Array.from({ length: 60 }, () => from("10.0.0.1", "x")));
      expect((await from("10.0.0.2", password)).status).to.equal(200);
      const statuses = (await attack).map(({ status }) => status);
      expect(statuses.filter((status) => status === 401).length).to.be.at.most(5);
      expect(statuses.filter((status) => status === 429).length).to.be.at.least(55);
    });

    it("wait in a bounded queue, which known browsers skip and disconnected clients leave (Auth.10)", async () => {
      const cookie = cookieOf(await from("10.0.0.1", password));
      const waiting = Array.from({ length: 50 }, (_, i) => {
        const client = new AbortController();
        const turnedAway = fetch(`${strict.api}/auth/session`, {
          method: "POST",
          body: JSON.stringify({ email: "nobody@b1.test", password: "x" }),
          headers: { "content-type": "application/json", "x-forwarded-for": `10.2.0.${i}` },
          signal: client.signal,
        }).then((answer) => {
          if (answer.status !== 503) throw new Error(`${answer.status}`);
          return answer;
        });
        return { client, turnedAway };
      });
      const late = await Promise.any(waiting.map(({ turnedAway }) => turnedAway));
      expect(await late.json()).to.deep.equal({ message: "Service unavailable" });
      expect(Number(late.headers.get("retry-after"))).to.be.within(1, 30);
      expect((await from("10.0.0.1", password, { cookie })).status).to.equal(200);
      for (const { client } of waiting) client.abort();
      await eventually(async () => (await from("10.0.0.2", password)).status === 200);
    });
  });
});
