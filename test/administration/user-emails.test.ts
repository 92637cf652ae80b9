import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { Answer } from "../support/http.ts";
import { lockWaits } from "../support/lock-waits.ts";
import { eventually } from "../support/wait.ts";
import { startWorld, type World } from "../support/world.ts";
import { admin, foreignAdmin, userAccess } from "./user-access.ts";

describe("E-mails and administrators of a business", () => {
  let world: World;
  const access = userAccess(() => world);
  const { by, ask, aUser, made, accept, signIn, joined, isOver } = access;
  before(async () => {
    world = await startWorld();
    await access.prepare();
  });
  after(() => world.stop());

  describe("an e-mail", () => {
    it("is unique in the installation, without regard to case", async () => {
      const own = await ask(admin, "POST", "/admin/users", aUser({ email: "Agent@B1.test" }));
      const foreign = await ask(admin, "POST", "/admin/users", aUser({ email: "AGENT@b2.TEST" }));
      expect([foreign.status, foreign.json.code]).to.deep.equal([409, "taken"]);
      expect(foreign.text).to.equal(own.text);
      const user = await made();
      const moved = await ask(admin, "PUT", `/admin/users/${user.id}`, { ...user, email: "agent@b2.test" });
      expect(moved.text).to.equal(own.text);
      expect((await ask(admin, "GET", `/admin/users/${user.id}`)).json.email).to.equal(user.email);
    });

    it("can be searched and changed, and is free again after its user is archived", async () => {
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

  describe("administrators", () => {
    const last = [409, "last_administrator"];

    it("cannot all be deactivated, archived or given another role", async () => {
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

    it("with a password can neither leave nor lose it while the others were only invited", async () => {
      const founded = await resolve(world.container, tokens.createBusiness).execute("Sola", "dueña@sola.test");
      const { token } = (await signIn("dueña@sola.test", founded.password)).json;
      const path = `/admin/users/${founded.userId}`;
      const owner = (await by(token, "GET", path)).json;
      const invited = (await by(token, "POST", "/admin/users", aUser({ role_id: 1 }))).json;
      for (const { status, json } of [
        await by(token, "PUT", path, { ...owner, activo: false }),
        await by(token, "PUT", path, { ...owner, role_id: 5 }),
        await by(token, "DELETE", path),
      ]) {
        expect([status, json.code]).to.deep.equal(last);
      }
      const reset = await by(token, "POST", `${path}/reset-password`);
      expect([reset.status, reset.json.code]).to.deep.equal(last);
      expect((await signIn("dueña@sola.test", founded.password)).status).to.equal(200);
      const renewed = await by(token, "POST", `/admin/users/${invited.id}/reset-password`);
      expect(renewed.status, renewed.text).to.equal(201);
      const removable = (await by(token, "POST", "/admin/users", aUser({ role_id: 1 }))).json;
      expect((await by(token, "DELETE", `/admin/users/${removable.id}`)).status).to.equal(204);
      const joining = (await accept(renewed.json.invitation.token)).json.token;
      expect((await by(joining, "POST", `${path}/reset-password`)).status).to.equal(201);
      expect((await by(joining, "DELETE", path)).status).to.equal(204);
      expect((await by(joining, "GET", path)).status).to.equal(404);
    });

    it("cannot remove each other at the same time", async () => {
      const founded = await resolve(world.container, tokens.createBusiness).execute("Nuevo", "dueña@nuevo.test");
      const first = (await signIn("dueña@nuevo.test", founded.password)).json.token;
      const [owner] = (await by(first, "GET", "/admin/users")).json.data;
      expect(owner).to.include({ id: founded.userId, email: "dueña@nuevo.test", role_id: 1, activo: true });
      const other = (await by(first, "POST", "/admin/users", aUser({ role_id: 1 }))).json;
      const second = (await accept(other.invitation.token)).json.token;
      let removals: Promise<Answer>[] = [];
      const cell = resolve(world.container, tokens.cells).of(founded.businessId);
      await cell.transaction(async (transaction) => {
        const ask = (text: string) => transaction.rows({ name: "", text }, []);
        await ask(`select from users where business_id = ${founded.businessId} order by id for update`);
        removals = [by(first, "DELETE", `/admin/users/${other.id}`), by(second, "DELETE", `/admin/users/${owner.id}`)];
        await eventually(async () => (await lockWaits(world)) >= 2);
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
