import { expect } from "chai";
import type { Answer } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { admin, agent, foreignAdmin, password, userAccess } from "./user-access.ts";

const missing = 999_999_999;

describe("The access of a user", () => {
  let world: World;
  const access = userAccess(() => world);
  const { send, by, ask, made, accept, signIn, joined, isOver, refused } = access;
  before(async () => {
    world = await startWorld();
    await access.prepare();
  });
  after(() => world.stop());

  describe("after a password reset", () => {
    it("makes the old password invalid and ends all sessions and sockets at once", async () => {
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

    it("keeps the old password valid if the user is only invited again", async () => {
      const user = await joined();
      const { json } = await ask(admin, "POST", `/admin/users/${user.id}/invite`);
      expect((await signIn(user.email)).status).to.equal(200);
      expect((await accept(json.invitation.token, "otra clave larga")).status).to.equal(200);
      await isOver(user.token);
    });
  });

  describe("with a change of the password", () => {
    const change = (token: string, actual: unknown, nueva: unknown) =>
      by(token, "PUT", "/me/password", { actual, nueva });

    for (const [who, administrator] of Object.entries({ "one business": admin, another: foreignAdmin })) {
      it(`keeps only the session of the request open, for a user of ${who}`, async () => {
        const user = await joined({}, administrator);
        const other = (await signIn(user.email)).json.token;
        const invited = await ask(administrator, "POST", `/admin/users/${user.id}/invite`);
        expect((await change(user.token, password, "otra clave larga")).status).to.equal(204);
        await isOver(other);
        expect((await by(user.token, "GET", "/me")).status).to.equal(200);
        expect((await signIn(user.email)).status).to.equal(401);
        expect((await signIn(user.email, "otra clave larga")).status).to.equal(200);
        refused(await accept(invited.json.invitation.token));
      });
    }

    it("needs the present password, with pauses after five wrong ones", async () => {
      const user = await joined();
      const attempt = async (n: number): Promise<string | number> => {
        const { status, json } = await change(user.token, `wrong password ${n}`, "otra clave larga");
        return status === 429 ? status : json.code;
      };
      for (let n = 0; n < 5; n += 1) expect(await attempt(n)).to.equal("wrong_password");
      // The first pauses can be shorter than the hashing of a password. So the test tries until a longer pause refuses
      // an attempt.
      let answer = await attempt(5);
      for (let n = 6; n < 12 && answer !== 429; n += 1) answer = await attempt(n);
      expect(answer).to.equal(429);
      // These pauses do not affect sign-ins.
      expect((await signIn(user.email)).status).to.equal(200);
    });

    it("needs a new password of 10 to 200 characters", async () => {
      const user = await joined();
      for (const wrong of ["123456789", "x".repeat(201), 5]) {
        const { status, json } = await change(user.token, password, wrong);
        expect([status, json.code]).to.deep.equal([400, "invalid_input"]);
        expect(json.error).to.include("nueva");
        if (String(wrong).length === 9) expect(json.error).to.include("al menos 10 caracteres");
      }
    });

    it("needs a session of the user for the change, because a key is not enough", async () => {
      const refusal = { error: "Las credenciales no son válidas", code: "unauthorized" };
      for (const headers of [{ "x-api-key": world.appKey(1) }, { authorization: "Bearer rs_wrong" }, {}]) {
        const { status, json } = await send("PUT", "/me/password", { actual: "x", nueva: password }, headers);
        expect([status, json]).to.deep.equal([401, refusal]);
      }
    });
  });

  describe("by a session", () => {
    it("can be listed by administrators, and ended one by one or all together", async () => {
      const user = await joined();
      const second = (await signIn(user.email)).json.token;
      await by(user.token, "GET", "/me");
      const path = `/admin/users/${user.id}/sessions`;
      const { data } = (await ask(admin, "GET", path)).json;
      expect(data).to.have.length(2);
      expect(Object.keys(data[0])).to.deep.equal(["id", "created_at", "expires_at", "last_used", "address", "current"]);
      expect(data[0].last_used).to.equal(null);
      expect(Date.parse(data[1].last_used)).to.be.at.least(Date.parse(data[1].created_at));
      await world.rows("update sessions set created_at = created_at - interval '3 hours' where user_id = $1", [
        user.id,
      ]);
      const earlier = (await ask(admin, "GET", path)).json.data;
      expect(earlier[0].last_used).to.equal(null);
      expect(earlier[1].last_used).to.match(/:00:00\.000Z$/);
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

    it("can be listed and ended by the user, also without an administrator's role", async () => {
      const user = await joined();
      const stays = (await signIn(user.email)).json.token;
      await signIn(user.email);
      const newest = (await signIn(user.email)).json.token;
      const listed = async (): Promise<{ id: number; current: boolean }[]> =>
        (await by(stays, "GET", "/me/sessions")).json.data;
      const open = await listed();
      expect(open.map(({ current }) => current)).to.deep.equal([false, false, true, false]);
      const socket = await world.listen(user.id);

      expect((await by(stays, "DELETE", `/me/sessions/${open[0]?.id}`)).status).to.equal(204);
      await isOver(newest);
      expect((await by(stays, "DELETE", `/me/sessions/${open[0]?.id}`)).status).to.equal(404);
      expect((await by(stays, "DELETE", "/me/sessions")).status).to.equal(204);
      await isOver(user.token);
      await socket.hears(({ name, payload }) => name === "access:ended" && payload.reason === "revoked");
      expect((await listed()).map(({ id }) => id)).to.deep.equal([open[2]?.id]);

      const { data } = (await ask(admin, "GET", `/admin/audit?resource=user-sessions&record=${user.id}`)).json;
      expect(data.map(({ actor, before }: Answer["json"]) => [actor.type, actor.id, before.sessions])).to.deep.equal([
        ["user", user.id, 3],
        ["user", user.id, 1],
      ]);
      expect((await by(stays, "DELETE", `/me/sessions/${open[2]?.id}`)).status).to.equal(204);
      await isOver(stays);
    });

    it("is hidden from other users of the business, and from keys", async () => {
      const [user, other] = [await joined(), await joined()];
      const [{ id }] = (await by(user.token, "GET", "/me/sessions")).json.data;
      const answers = await Promise.all([id, missing].map((each) => by(other.token, "DELETE", `/me/sessions/${each}`)));
      expect(answers.map(({ status }) => status)).to.deep.equal([404, 404]);
      expect(answers[0]?.text).to.equal(answers[1]?.text);
      expect((await by(other.token, "DELETE", "/me/sessions")).status).to.equal(204);
      expect((await by(user.token, "GET", "/me")).status).to.equal(200);
      for (const method of ["GET", "DELETE"]) {
        const { status, json } = await send(method, "/me/sessions", undefined, { "x-api-key": world.appKey(1) });
        expect([status, json.code]).to.deep.equal([401, "unauthorized"]);
      }
    });

    it("is hidden from administrators of other businesses", async () => {
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

    it("is recorded in the audit, with the actor and without secrets", async () => {
      const { id, invitation } = await made();
      const [first] = (await ask(admin, "GET", `/admin/audit?resource=user-invitations&record=${id}`)).json.data;
      expect(first).to.deep.include({ change: "created", after: { expires_at: invitation.expires_at } });
      await ask(admin, "POST", `/admin/users/${id}/invite`);
      await world.sessionToken(id);
      await ask(admin, "POST", `/admin/users/${id}/reset-password`);
      const rows = await world.rows<{ resource: string; change: string }>(
        "select resource, change from audit where business_id = 1 and record_id = $1 and resource like 'user-%' order by id",
        [id],
      );
      expect(rows.map(({ resource, change }) => `${resource} ${change}`)).to.deep.equal([
        "user-invitations created",
        "user-invitations created",
        "user-passwords removed",
        "user-sessions removed",
        "user-invitations created",
      ]);
    });
  });
});
