import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import { type Answer, request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";

const [admin, agent] = [101, 102];
const password = "una clave larga";
const system = { type: "system", id: null, nombre: null };

describe("The audit of access", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  const by = (token: string, method: string, path: string, body?: object): Promise<Answer> =>
    request(world.api + path, { method, headers: { authorization: `Bearer ${token}` }, ...(body && { body }) });
  const told = async (resource: string, record: number): Promise<Answer["json"][]> =>
    (await world.get(`/admin/audit?resource=${resource}&record=${record}`)).json.data;
  const whole = async () => JSON.stringify(await world.rows("select * from audit"));

  it("shows the keys that an operator issued, and revoked by key or by label", async () => {
    const [issue, revoke] = [
      resolve(world.container, tokens.issueAppKey),
      resolve(world.container, tokens.revokeAppKeys),
    ];
    const keys = [await issue.execute(1, "crm"), await issue.execute(1, "crm"), await issue.execute(1, "caja")];
    const listed = (await world.get("/admin/app-keys?limit=3")).json.data;
    expect(await revoke.one(keys[0] ?? "")).to.equal(1);
    expect(await revoke.labelled(1, "crm")).to.equal(1);
    expect(await revoke.labelled(2, "caja")).to.equal(0);
    for (const { id, label } of listed) {
      const shown = { label, scopes: ["read", "send", "orders"], expires_at: null };
      const entries = await told("app-keys", id);
      const made = { actor: system, ip: "", change: "created", before: null, after: shown };
      const removed = { actor: system, ip: "", change: "removed", before: shown, after: null };
      const wanted = label === "crm" ? [removed, made] : [made];
      expect(entries).to.have.length(wanted.length);
      for (const [at, entry] of entries.entries()) expect(entry).to.deep.include(wanted[at]);
    }
    const audit = await whole();
    for (const key of keys) expect(audit).not.to.include(key);
  });

  it("shows the creation of a business with its first administrator", async () => {
    const founded = await resolve(world.container, tokens.createBusiness).execute("Nuevo", "Dueña@nuevo.test");
    const { token } = (
      await request(`${world.api}/auth/session`, {
        method: "POST",
        body: { email: "dueña@nuevo.test", password: founded.password },
      })
    ).json;
    const { data } = (await by(token, "GET", "/admin/audit")).json;
    const user = { nombre: "Dueña@nuevo.test", email: "dueña@nuevo.test", role_id: 1, activo: true };
    const brief = data.map(({ actor, resource, record_id, change, before, after }: Answer["json"]) => ({
      ...{ actor, resource, record_id, change, before, after },
    }));
    const made = { actor: system, change: "created", before: null };
    expect(brief).to.have.deep.members([
      { ...made, resource: "business", record_id: founded.businessId, after: { nombre: "Nuevo" } },
      { ...made, resource: "users", record_id: founded.userId, after: user },
    ]);
    expect(await whole()).not.to.include(founded.password);
    const taken = resolve(world.container, tokens.createBusiness).execute("Otro", "dueña@nuevo.test");
    expect(await taken.catch((error: Error) => error)).to.have.property("code", "email_taken");
    expect(await world.rows("select from businesses where name = 'Otro'")).to.deep.equal([]);
  });

  it("shows that users changed their password, without either password", async () => {
    const { invitation } = (await by(await world.sessionToken(admin), "POST", `/admin/users/${agent}/invite`)).json;
    const accepted = { token: invitation.token, password };
    const { token } = (await request(`${world.api}/auth/invitation`, { method: "POST", body: accepted })).json;
    const change = (actual: string) => by(token, "PUT", "/me/password", { actual, nueva: "otra clave larga" });
    expect((await change("no es esta")).status).to.equal(403);
    expect(await told("user-passwords", agent)).to.deep.equal([]);
    expect((await change(password)).status).to.equal(204);
    const [entry, ...others] = await told("user-passwords", agent);
    expect(others).to.deep.equal([]);
    expect(entry).to.deep.include({ change: "changed", before: null, after: null });
    expect(entry.actor).to.deep.equal({ type: "user", id: agent, nombre: "Ana Agente" });
    expect(entry.ip).to.match(/127\.0\.0\.1|::1/);
    for (const secret of [password, "otra clave larga"]) expect(await whole()).not.to.include(secret);
  });

  it("shows that a user accepted an invitation", async () => {
    const { invitation } = (await by(await world.sessionToken(admin), "POST", `/admin/users/${agent}/invite`)).json;
    const accept = () =>
      request(`${world.api}/auth/invitation`, { method: "POST", body: { token: invitation.token, password } });
    expect((await accept()).status).to.equal(200);
    expect((await accept()).status).to.equal(401);
    const [entry, made] = await told("user-invitations", agent);
    expect(made).to.deep.include({ change: "created", after: { expires_at: invitation.expires_at } });
    expect(entry).to.deep.include({ change: "removed", before: { expires_at: invitation.expires_at }, after: null });
    expect(entry.actor).to.deep.equal({ type: "user", id: agent, nombre: "Ana Agente" });
    expect(entry.ip).to.match(/127\.0\.0\.1|::1/);
    for (const secret of [password, invitation.token]) expect(await whole()).not.to.include(secret);
  });

  it("shows that an operator opened a session for a user", async () => {
    const session = await resolve(world.container, tokens.issueSession).execute(agent);
    const [entry] = await told("user-sessions", agent);
    expect(entry).to.deep.include({ actor: system, change: "created", before: null });
    expect(entry.after).to.deep.equal({ expires_at: session.expiresAt.toISOString() });
    expect(await whole()).not.to.include(session.token);
  });

  it("shows the number and the ad platform that an operator connected, and new tokens", async () => {
    const give = resolve(world.container, tokens.giveSender);
    const owned = { channel: cloudChannel, platformId: "n-1", accountId: "a-1", phone: "59171" } as const;
    const { id } = await give.execute(1, { ...owned, accessToken: "un secreto" });
    await give.execute(1, { ...owned, accessToken: "otro secreto" });
    const shown = {
      ...{ name: null, provider: cloudChannel, platform_id: "n-1", account_id: "a-1", phone: "59171" },
      messages_per_second: 80,
    };
    const entries = await told("senders", id);
    expect(entries.map(({ actor, change, before, after }) => ({ actor, change, before, after }))).to.deep.equal([
      { actor: system, change: "changed", before: shown, after: shown },
      { actor: system, change: "created", before: null, after: shown },
    ]);

    const giveAds = resolve(world.container, tokens.giveAdAccess);
    expect(await giveAds.execute(1, "secreto de anuncios", "act_9")).to.equal("act_9");
    const { data } = (await world.get("/admin/audit?resource=ad-accounts")).json;
    expect(data[0]).to.deep.include({
      ...{ actor: system, change: "changed" },
      ...{ before: { default_account_id: "act_1" }, after: { default_account_id: "act_9" } },
    });
    const taken = await give.execute(2, { ...owned, accessToken: "x" }).catch((error: Error) => error);
    expect(taken).to.have.property("code", "sender_taken");
    for (const secret of ["un secreto", "otro secreto", "secreto de anuncios"]) {
      expect(await whole()).not.to.include(secret);
    }
  });
});
