import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";

const [admin, agent, otherAdmin] = [101, 102, 201];

describe("A business's access to the ad platform", () => {
  let world: World;
  const tokens = new Map<number, string>();
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(2)] });
    for (const user of [admin, agent, otherAdmin]) tokens.set(user, await world.sessionToken(user));
    await world.rows("delete from ad_credentials where business_id = 2");
    const account = { accountId: "act_9", name: "Nueva", currency: "USD", token: "ads-token-9", campaigns: [] };
    await world.control("POST", "/ads/accounts", account);
  });
  after(() => world.stop());

  const ask = (who: number, method: string, path = "", body?: object): Promise<Answer> =>
    request(`${world.api}/admin/ad-accounts${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.get(who)}` },
      ...(body && { body }),
    });
  const own = async (who = admin) => (await ask(who, "GET")).json.data[0];
  const accountsOf = async (businessId: number) =>
    (await world.get(`/empresas/campaigns/${businessId}/accounts`, businessId)).json;

  it("is created with a token, which is never shown afterwards and works at once", async () => {
    const made = await ask(otherAdmin, "POST", "", { token: "ads-token-9", default_account_id: "act_9" });
    expect([made.status, made.json.default_account_id]).to.deep.equal([201, "act_9"]);
    const { data } = await accountsOf(2);
    expect(data.map(({ id }: { id: string }) => id)).to.deep.equal(["act_9"]);
    const texts = [
      made.text,
      (await ask(otherAdmin, "GET")).text,
      JSON.stringify(await world.rows("select * from audit")),
      JSON.stringify(await world.rows("select encode(sealed_token, 'escape') from ad_credentials")),
    ];
    for (const text of texts) expect(text).not.to.include("ads-token-9");
    const second = await ask(otherAdmin, "POST", "", { token: "ads-token-9" });
    expect([second.status, second.json.code]).to.deep.equal([409, "taken"]);
    expect(second.json.error).to.include("El negocio ya tiene su acceso");
    expect((await ask(otherAdmin, "DELETE", `/${made.json.id}`)).status).to.equal(204);
    expect((await accountsOf(2)).data).to.equal(undefined);
  });

  it("is refused without a token, with an unknown one, and with a foreign account", async () => {
    for (const [body, field] of [
      [{ token: "nobodys" }, "token"],
      [{}, "token"],
      [{ token: "ads-token-9", default_account_id: "act_1" }, "default_account_id"],
    ] as const) {
      const { status, json } = await ask(otherAdmin, "POST", "", body);
      expect([status, json.code], JSON.stringify(body)).to.deep.equal([400, "invalid_input"]);
      expect(json.error).to.include(field);
    }
  });

  it("keeps its token in a request without one, and stays unchanged if the platform does not answer", async () => {
    const { id } = await own();
    const none = await ask(admin, "PUT", `/${id}`, { default_account_id: null });
    expect([none.status, none.json.default_account_id]).to.deep.equal([200, null]);
    expect((await accountsOf(1)).data).to.have.length(1);
    const foreign = await ask(admin, "PUT", `/${id}`, { default_account_id: "act_9" });
    expect([foreign.status, foreign.json.code]).to.deep.equal([400, "invalid_input"]);
    await world.control("POST", "/faults", { path: "adaccounts", status: 500, count: 9 });
    const away = await ask(admin, "PUT", `/${id}`, { token: "another-token", default_account_id: null });
    expect([away.status, away.json.code]).to.deep.equal([502, "platform_unavailable"]);
    await world.control("DELETE", "/faults");
    expect(await own()).to.deep.equal(none.json);
  });

  it("refuses a default account that its token cannot access, even if the token is replaced meanwhile", async () => {
    const { id } = await own();
    const sealed = async () => {
      const [row] = await world.rows<{ sealed: Buffer }>(
        "select sealed_token as sealed from ad_credentials where id = $1",
        [id],
      );
      return row?.sealed;
    };
    const earlier = await sealed();
    const replaced = await ask(admin, "PUT", `/${id}`, { token: "ads-token-9", default_account_id: "act_9" });
    expect(replaced.status, replaced.text).to.equal(200);
    const later = await sealed();
    const write = "update ad_credentials set sealed_token = $1 where id = $2";
    await world.rows(write, [earlier, id]);
    const late = await world.database.transaction(async (transaction) => {
      await transaction.rows({ name: "", text: write }, [later, id]);
      const answer = ask(admin, "PUT", `/${id}`, { default_account_id: "act_1" });
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                         and query like '%"ad_credentials"%'`;
      await eventually(async () => (await world.rows(waiting)).length > 0);
      return { answer };
    });
    const { status, json } = await late.answer;
    expect([status, json.code]).to.deep.equal([412, "moved_on"]);
    expect(await own()).to.deep.equal(replaced.json);
  });

  it("can get a new token, and be removed, if the stored one cannot be decrypted", async () => {
    const spoil = () => world.rows("update ad_credentials set sealed_token = '\\x00' where business_id = 1");
    const { id } = await own();
    await spoil();
    const kept = await ask(admin, "PUT", `/${id}`, { default_account_id: "act_1" });
    expect([kept.status, kept.json.error]).to.deep.equal([400, "token es requerido"]);
    const mended = await ask(admin, "PUT", `/${id}`, { token: "ads-token-9", default_account_id: "act_9" });
    expect([mended.status, mended.json.default_account_id], mended.text).to.deep.equal([200, "act_9"]);
    expect((await accountsOf(1)).data.map((account: { id: string }) => account.id)).to.deep.equal(["act_9"]);
    await spoil();
    expect((await ask(admin, "DELETE", `/${id}`)).status).to.equal(204);
    expect((await ask(admin, "POST", "", { token: "ads-token-9" })).status).to.equal(201);
  });

  it("is only for its administrators", async () => {
    const { id } = await own();
    expect((await ask(agent, "GET")).status).to.equal(403);
    for (const method of ["GET", "DELETE"]) {
      expect((await ask(otherAdmin, method, `/${id}`)).json.code).to.equal("not_found");
    }
  });
});
