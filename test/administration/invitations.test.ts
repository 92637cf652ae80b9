import { expect } from "chai";
import { request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { admin, password, userAccess } from "./user-access.ts";

describe("Invitations of users", () => {
  let world: World;
  const access = userAccess(() => world);
  const { by, ask, aUser, made, accept, check, signIn, refused, sessionOf } = access;
  before(async () => {
    world = await startWorld();
    await access.prepare();
  });
  after(() => world.stop());

  describe("an invitation", () => {
    it("can be accepted once, with a new password, and signs the user in", async () => {
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

    it("can be checked before it is accepted, which does not use it up and shows nothing about the user", async () => {
      const { id, invitation } = await made();
      for (const _ of [1, 2]) {
        const { status, json } = await check(invitation.token);
        expect([status, json]).to.deep.equal([200, { expires_at: invitation.expires_at }]);
      }
      refused(await check("ri_nothing"));
      refused(await check(sessionOf(admin)));
      await world.rows("update credentials set invitation_expires_at = now() where user_id = $1", [id]);
      refused(await check(invitation.token));
      const again = await ask(admin, "POST", `/admin/users/${id}/invite`);
      expect((await accept(again.json.invitation.token)).status).to.equal(200);
      refused(await check(again.json.invitation.token));
      expect((await check("")).status).to.equal(400);
    });

    it("is stored as a digest only", async () => {
      const { invitation } = await made();
      const stored = JSON.stringify([
        await world.rows("select credentials::text from credentials"),
        await world.rows("select audit::text from audit"),
      ]);
      expect(stored).to.include("created");
      expect(stored).not.to.include(invitation.token).and.not.include(Buffer.from(invitation.token).toString("hex"));
    });

    it("needs a password of 10 to 200 characters", async () => {
      const { invitation } = await made();
      for (const wrong of ["123456789", "x".repeat(201), undefined, 5]) {
        const { status, json } = await accept(invitation.token, wrong ?? null);
        expect([status, Object.keys(json)], String(wrong)).to.deep.equal([400, ["message"]]);
        expect(json.message).to.include("password");
        if (wrong === "123456789") expect(json.message).to.include("al menos 10 caracteres");
      }
      expect((await accept(invitation.token, "ñ".repeat(10))).status).to.equal(200);
    });

    it("gets the same answer if it is unknown, expired or replaced", async () => {
      const user = await made();
      refused(await accept("ri_nothing"));
      refused(await accept(sessionOf(admin)));
      const again = await ask(admin, "POST", `/admin/users/${user.id}/invite`);
      expect(again.status).to.equal(201);
      refused(await accept(user.invitation.token));
      await world.rows("update credentials set invitation_expires_at = now() where user_id = $1", [user.id]);
      refused(await accept(again.json.invitation.token));
      const last = await ask(admin, "POST", `/admin/users/${user.id}/invite`);
      expect((await accept(last.json.invitation.token)).status).to.equal(200);
    });

    it("is valid while the user is active and has the e-mail it was made for", async () => {
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

    it("is accepted once by several simultaneous requests", async () => {
      const { invitation } = await made();
      const answers = await Promise.all([1, 2, 3].map(() => accept(invitation.token)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 401, 401]);
    });

    it("has its token in no answer that is stored for an idempotency key", async () => {
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
});

describe("Guessed invitations", () => {
  let world: World;
  before(async () => {
    const configure = (config: World["config"]) => ({
      ...config,
      http: { ...config.http, failedAttemptsPerMinute: 3 },
    });
    world = await startWorld({ configure });
  });
  after(() => world.stop());

  it("are refused with 429 after some attempts, and a right one is still accepted", async () => {
    const accept = (token: string) =>
      request(`${world.api}/auth/invitation`, { method: "POST", body: { token, password } });
    const check = (token: string) => request(`${world.api}/auth/invitation/check`, { method: "POST", body: { token } });
    const answers: number[] = [];
    for (let n = 0; n < 5; n += 1) answers.push((await (n % 2 ? check : accept)(`ri_${n}`)).status);
    expect(answers).to.deep.equal([401, 401, 401, 429, 429]);
    const made = await request(`${world.api}/admin/users`, {
      method: "POST",
      headers: { authorization: `Bearer ${await world.sessionToken(admin)}` },
      body: { nombre: "Eva", email: "eva@b1.test", role_id: 5 },
    });
    expect((await check(made.json.invitation.token)).status).to.equal(200);
    expect((await accept(made.json.invitation.token)).status).to.equal(200);
  });
});
