import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { startWorld, type World } from "../support/world.ts";

const admin = 101;
const agent = 102;
const foreignAdmin = 201;
const missing = 999_999_999;
const password = "una clave larga";

describe("Users come in", () => {
  let world: World;
  const sessions = new Map<number, string>();
  let count = 0;

  before(async () => {
    world = await startWorld();
    for (const user of [admin, foreignAdmin]) sessions.set(user, await world.sessionToken(user));
  });
  after(() => world.stop());

  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    request(world.api + path, { method, headers, ...(body !== undefined && { body }) });
  const by = (token: string, method: string, path: string, body?: unknown) =>
    send(method, path, body, { authorization: `Bearer ${token}` });
  const ask = (who: number, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(method, path, body, { ...headers, authorization: `Bearer ${sessions.get(who)}` });
  const aUser = (changes: object = {}) => {
    count += 1;
    return { nombre: `Eva ${count}`, email: `eva-${count}@b1.test`, role_id: 5, ...changes };
  };
  const made = async (changes: object = {}, who = admin): Promise<Answer["json"]> => {
    const answer = await ask(who, "POST", "/admin/users", aUser(changes));
    expect(answer.status, answer.text).to.equal(201);
    return answer.json;
  };
  const accept = (token: string, chosen: unknown = password) =>
    send("POST", "/auth/invitation", { token, password: chosen });
  const signIn = (email: string, with_ = password) => send("POST", "/auth/session", { email, password: with_ });
  const joined = async (changes: object = {}): Promise<Answer["json"]> => {
    const user = await made(changes);
    const answer = await accept(user.invitation.token);
    expect(answer.status, answer.text).to.equal(200);
    return { ...user, token: answer.json.token };
  };
  const isOver = (token: string) => eventually(async () => (await by(token, "GET", "/me")).status === 401);
  const refused = ({ status, text }: Answer) => expect([status, text]).to.deep.equal([401, refusal]);
  const refusal = JSON.stringify({ message: "Invalid invitation" });

  describe("by invitation", () => {
    it("once, with a password of their own, and are signed in with that", async () => {
      const user = await made();
      const days = (Date.parse(user.invitation.expires_at) - Date.now()) / 86_400_000;
      expect(days).to.be.within(6.9, 7.1);
      expect((await signIn(user.email)).status).to.equal(401);
      const { status, json } = await accept(user.invitation.token);
      expect(status).to.equal(200);
      expect(json).to.deep.include({ empresa_id: 1, usuario_id: user.id });
      expect((await by(json.token, "GET", "/me")).json.nombre).to.equal(user.nombre);
      refused(await accept(user.invitation.token));
      expect((await signIn(user.email.toUpperCase())).json.usuario_id).to.equal(user.id);
    });

    it("of which only a digest is stored", async () => {
      const { invitation } = await made();
      const stored = JSON.stringify([
        await world.rows("select credentials::text from credentials"),
        await world.rows("select audit::text from audit"),
      ]);
      expect(stored).to.include("created");
      expect(stored).not.to.include(invitation.token).and.not.include(Buffer.from(invitation.token).toString("hex"));
    });

    it("with a password of 10 to 200 characters", async () => {
      const { invitation } = await made();
      for (const wrong of ["123456789", "x".repeat(201), undefined, 5]) {
        const { status, json } = await accept(invitation.token, wrong ?? null);
        expect([status, Object.keys(json)], String(wrong)).to.deep.equal([400, ["message"]]);
        expect(json.message).to.include("password");
      }
      expect((await accept(invitation.token, "ñ".repeat(10))).status).to.equal(200);
    });

    it("that nobody made, that is over, or in whose place there is another, as if there were none", async () => {
      const user = await made();
      refused(await accept("ri_nothing"));
      refused(await accept(sessions.get(admin) ?? ""));
      const again = await ask(admin, "POST", `/admin/users/${user.id}/invite`);
      expect(again.status).to.equal(201);
      refused(await accept(user.invitation.token));
      await world.rows("update credentials set invitation_expires_at = now() where user_id = $1", [user.id]);
      refused(await accept(again.json.invitation.token));
      const last = await ask(admin, "POST", `/admin/users/${user.id}/invite`);
      expect((await accept(last.json.invitation.token)).status).to.equal(200);
    });

    it("while they are active, and under the e-mail that it was made for", async () => {
      const away = await made({ activo: false });
      refused(await accept(away.invitation.token));
      await ask(admin, "PUT", `/admin/users/${away.id}`, { ...away, activo: true });
      expect((await accept(away.invitation.token)).status).to.equal(200);
      const moved = await made();
      await ask(admin, "PUT", `/admin/users/${moved.id}`, { ...moved, email: `otra-${moved.id}@b1.test` });
      refused(await accept(moved.invitation.token));
      const gone = await made();
      await ask(admin, "DELETE", `/admin/users/${gone.id}`);
      refused(await accept(gone.invitation.token));
    });

    it("of which one is accepted where several are tried at once", async () => {
      const { invitation } = await made();
      const answers = await Promise.all([1, 2, 3].map(() => accept(invitation.token)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 401, 401]);
    });

    it("whose token is in no answer that is kept for a key", async () => {
      const body = aUser();
      const key = { "idempotency-key": "one-user" };
      const { status, json } = await ask(admin, "POST", "/admin/users", body, key);
      expect(status).to.equal(201);
      const again = await ask(admin, "POST", "/admin/users", body, key);
      expect([again.status, again.text.includes("ri_")]).to.deep.equal([409, false]);
      const kept = JSON.stringify(await world.rows("select idempotency_keys::text from idempotency_keys"));
      expect(kept).not.to.include(json.invitation.token);
    });
  });

  describe("by a reset password", () => {
    it("that makes the old one and all sessions void at once, sockets too", async () => {
      const user = await joined();
      const socket = await world.listen(user.id);
      const { status, json } = await ask(admin, "POST", `/admin/users/${user.id}/reset-password`);
      expect(status).to.equal(201);
      expect((await signIn(user.email)).status).to.equal(401);
      await isOver(user.token);
      await socket.hears(({ name, payload }) => name === "access:ended" && payload.reason === "revoked");
      expect((await accept(json.invitation.token, "otra clave larga")).status).to.equal(200);
      expect((await signIn(user.email)).status).to.equal(401);
      expect((await signIn(user.email, "otra clave larga")).status).to.equal(200);
    });

    it("and stay in with the old one where they are only invited again", async () => {
      const user = await joined();
      const { json } = await ask(admin, "POST", `/admin/users/${user.id}/invite`);
      expect((await signIn(user.email)).status).to.equal(200);
      expect((await accept(json.invitation.token, "otra clave larga")).status).to.equal(200);
      await isOver(user.token);
    });
  });

  describe("with a password that they change", () => {
    const change = (token: string, actual: unknown, nueva: unknown) =>
      by(token, "PUT", "/me/password", { actual, nueva });

    it("and stay in with the session of the request alone", async () => {
      const user = await joined();
      const other = (await signIn(user.email)).json.token;
      const invited = await ask(admin, "POST", `/admin/users/${user.id}/invite`);
      expect((await change(user.token, password, "otra clave larga")).status).to.equal(204);
      await isOver(other);
      expect((await by(user.token, "GET", "/me")).status).to.equal(200);
      expect((await signIn(user.email)).status).to.equal(401);
      expect((await signIn(user.email, "otra clave larga")).status).to.equal(200);
      refused(await accept(invited.json.invitation.token));
    });

    it("only by the one that they have, with pauses after five wrong ones", async function () {
      // Each is hashed, and passwords are hashed slowly.
      this.timeout(30_000);
      const user = await joined();
      const answers: (string | number)[] = [];
      for (let n = 0; n < 7; n += 1) {
        const { status, json } = await change(user.token, `wrong password ${n}`, "otra clave larga");
        answers.push(json.code ?? status);
      }
      expect(answers.slice(0, 5)).to.deep.equal(Array(5).fill("wrong_password"));
      expect(answers).to.include(429);
      // It keeps nobody out who signs in.
      expect((await signIn(user.email)).status).to.equal(200);
    });

    it("to one of 10 to 200 characters", async () => {
      const user = await joined();
      for (const wrong of ["123456789", "x".repeat(201), 5]) {
        const { status, json } = await change(user.token, password, wrong);
        expect([status, json.code]).to.deep.equal([400, "invalid_input"]);
        expect(json.error).to.include("nueva");
      }
    });

    it("themselves: no key does", async () => {
      const { status } = await send(
        "PUT",
        "/me/password",
        { actual: "x", nueva: password },
        { "x-api-key": world.appKey(1) },
      );
      expect(status).to.equal(400);
    });
  });

  describe("by sessions", () => {
    it("that administrators see, and end, one or all", async () => {
      const user = await joined();
      const second = (await signIn(user.email)).json.token;
      await by(user.token, "GET", "/me");
      const path = `/admin/users/${user.id}/sessions`;
      const { data } = (await ask(admin, "GET", path)).json;
      expect(data).to.have.length(2);
      expect(Object.keys(data[0])).to.deep.equal(["id", "created_at", "expires_at", "last_used", "address"]);
      expect(data[0].last_used).to.equal(null);
      expect(data[1].last_used).to.match(/:00:00\.000Z$/);
      expect(data[0].address).to.match(/127\.0\.0\.1|::/);
      expect((await ask(admin, "DELETE", `${path}/${data[0].id}`)).status).to.equal(204);
      await isOver(second);
      expect((await ask(admin, "DELETE", `${path}/${data[0].id}`)).status).to.equal(404);
      expect((await by(user.token, "GET", "/me")).status).to.equal(200);
      const third = (await signIn(user.email)).json.token;
      expect((await ask(admin, "DELETE", path)).status).to.equal(204);
      await Promise.all([user.token, third].map(isOver));
      expect((await ask(admin, "GET", path)).json.data).to.deep.equal([]);
    });

    it("of their own business: those of others are nobody's", async () => {
      const user = await made();
      const own = await world.sessionToken(foreignAdmin);
      const [{ id: session }] = (await ask(foreignAdmin, "GET", `/admin/users/${foreignAdmin}/sessions`)).json.data;
      for (const [method, end] of [
        ["POST", "/invite"],
        ["POST", "/reset-password"],
        ["GET", "/sessions"],
        ["DELETE", "/sessions"],
        ["DELETE", "/sessions/1"],
      ] as const) {
        const answers = await Promise.all(
          [user.id, missing].map((id) => ask(foreignAdmin, method, `/admin/users/${id}${end}`)),
        );
        expect(
          answers.map(({ status }) => status),
          end,
        ).to.deep.equal([404, 404]);
        expect(answers[0]?.text).to.equal(answers[1]?.text);
      }
      expect((await ask(admin, "DELETE", `/admin/users/${user.id}/sessions/${session}`)).status).to.equal(404);
      expect((await by(own, "GET", "/me")).status).to.equal(200);
      expect((await accept(user.invitation.token)).status).to.equal(200);
      const notTheirs = await world.sessionToken(agent);
      expect((await by(notTheirs, "POST", `/admin/users/${user.id}/invite`)).status).to.equal(403);
    });

    it("and leave in the audit who let them in, without secrets", async () => {
      const { id } = await made();
      await ask(admin, "POST", `/admin/users/${id}/invite`);
      await world.sessionToken(id);
      await ask(admin, "POST", `/admin/users/${id}/reset-password`);
      const rows = await world.rows<{ resource: string; change: string }>(
        "select resource, change from audit where business_id = 1 and record_id = $1 and resource like 'user-%' order by id",
        [id],
      );
      expect(rows.map(({ resource, change }) => `${resource} ${change}`)).to.deep.equal([
        "user-invitations created",
        "user-passwords removed",
        "user-sessions removed",
        "user-invitations created",
      ]);
    });
  });

  describe("under an e-mail", () => {
    it("that is nobody else's, in no business, whatever its case", async () => {
      const own = await ask(admin, "POST", "/admin/users", aUser({ email: "Agent@B1.test" }));
      const foreign = await ask(admin, "POST", "/admin/users", aUser({ email: "AGENT@b2.TEST" }));
      expect([foreign.status, foreign.json.code]).to.deep.equal([409, "taken"]);
      expect(foreign.text).to.equal(own.text);
      const user = await made();
      const moved = await ask(admin, "PUT", `/admin/users/${user.id}`, { ...user, email: "agent@b2.test" });
      expect(moved.text).to.equal(own.text);
      expect((await ask(admin, "GET", `/admin/users/${user.id}`)).json.email).to.equal(user.email);
    });

    it("that is found, changed, and free again once its user is archived", async () => {
      const user = await joined({ email: "Zoe.Unica@B1.test" });
      expect(user.email).to.equal("zoe.unica@b1.test");
      const found = await ask(admin, "GET", "/admin/users?q=ZOE.UNICA");
      expect(found.json.data.map(({ id }: { id: number }) => id)).to.deep.equal([user.id]);
      await ask(admin, "PUT", `/admin/users/${user.id}`, { ...user, email: "zoe@b1.test" });
      expect((await signIn("zoe.unica@b1.test")).status).to.equal(401);
      expect((await signIn("zoe@b1.test")).status).to.equal(200);
      expect((await ask(admin, "DELETE", `/admin/users/${user.id}`)).status).to.equal(204);
      expect((await signIn("zoe@b1.test")).status).to.equal(401);
      await isOver(user.token);
      expect((await made({ email: "zoe@b1.test" }, foreignAdmin)).email).to.equal("zoe@b1.test");
    });
  });

  describe("as administrators", () => {
    const last = [409, "last_administrator"];

    it("of whom a business keeps one who is active", async () => {
      const [first] = (await ask(foreignAdmin, "GET", "/admin/users?q=admin@b2")).json.data;
      const path = `/admin/users/${first.id}`;
      const attempts = [
        await ask(foreignAdmin, "PUT", path, { ...first, activo: false }),
        await ask(foreignAdmin, "PUT", path, { ...first, role_id: 5 }),
        await ask(foreignAdmin, "DELETE", path),
      ];
      for (const { status, json } of attempts) expect([status, json.code]).to.deep.equal(last);
      expect((await ask(foreignAdmin, "GET", path)).json).to.deep.equal(first);
      await made({ role_id: 1, activo: false }, foreignAdmin);
      expect((await ask(foreignAdmin, "DELETE", path)).status).to.equal(409);
      const other = await made({ role_id: 1 }, foreignAdmin);
      expect((await ask(foreignAdmin, "DELETE", `/admin/users/${other.id}`)).status).to.equal(204);
    });

    it("also where two of them remove each other at once", async () => {
      const founded = await resolve(world.container, tokens.foundBusiness).execute("Nuevo", "dueña@nuevo.test");
      const first = (await signIn("dueña@nuevo.test", founded.password)).json.token;
      const [owner] = (await by(first, "GET", "/admin/users")).json.data;
      expect(owner).to.include({ id: founded.userId, email: "dueña@nuevo.test", role_id: 1, activo: true });
      const other = (await by(first, "POST", "/admin/users", aUser({ role_id: 1 }))).json;
      const second = (await accept(other.invitation.token)).json.token;
      let removals: Promise<Answer>[] = [];
      await world.database.transaction(async (transaction) => {
        const ask = (text: string) => transaction.rows({ name: "", text }, []);
        await ask(`select from users where business_id = ${founded.businessId} order by id for update`);
        removals = [by(first, "DELETE", `/admin/users/${other.id}`), by(second, "DELETE", `/admin/users/${owner.id}`)];
        const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        await eventually(async () => (await ask(waiting)).length >= 2);
      });
      const answers = await Promise.all(removals);
      const statuses = answers.map(({ status }) => status);
      expect(
        statuses.filter((status) => status === 204),
        String(statuses),
      ).to.have.length(1);
      const left = await world.rows("select from users where business_id = $1 and role_id = 1 and active", [
        founded.businessId,
      ]);
      expect(left).to.have.length(1);
    });
  });
});

describe("Invitations that are guessed", () => {
  let world: World;
  before(async () => {
    const configure = (config: World["config"]) => ({
      ...config,
      http: { ...config.http, failedAttemptsPerMinute: 3 },
    });
    world = await startWorld({ configure });
  });
  after(() => world.stop());

  it("are refused with 429 after some, and one that is right passes", async () => {
    const accept = (token: string) =>
      request(`${world.api}/auth/invitation`, { method: "POST", body: { token, password } });
    const answers: number[] = [];
    for (let n = 0; n < 5; n += 1) answers.push((await accept(`ri_${n}`)).status);
    expect(answers).to.deep.equal([401, 401, 401, 429, 429]);
    const made = await request(`${world.api}/admin/users`, {
      method: "POST",
      headers: { authorization: `Bearer ${await world.sessionToken(admin)}` },
      body: { nombre: "Eva", email: "eva@b1.test", role_id: 5 },
    });
    expect((await accept(made.json.invitation.token)).status).to.equal(200);
  });
});
