import { expect } from "chai";
import { request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { admin, userAccess } from "./user-access.ts";

const [administrator, agent] = [1, 5];

describe("A list of users that is filtered by role and state", () => {
  let world: World;
  const { prepare, ask, made, sessionOf } = userAccess(() => world);
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
    await prepare();
    for (const role_id of [administrator, agent]) {
      for (const activo of [true, false, false]) await made({ role_id, activo });
    }
  });
  after(() => world.stop());

  it("lists only the users with both values, page by page", async () => {
    const path = "/admin/users?role_id=5&activo=false&q=Eva&limit=1";
    const first = (await ask(admin, "GET", path)).json;
    const second = (await ask(admin, "GET", `${path}&cursor=${first.next}`)).json;
    for (const { data } of [first, second]) {
      expect(data).to.have.length(1);
      expect(data[0]).to.include({ role_id: agent, activo: false });
    }
    expect(second.data[0].id).to.be.below(first.data[0].id);
    expect(second.next).to.equal(null);
  });

  it("can be exported with its filter", async () => {
    const headers = { authorization: `Bearer ${sessionOf(admin)}`, accept: "text/csv" };
    const { text } = await request(`${world.api}/admin/users?role_id=1&activo=false&q=Eva`, { headers });
    const lines = text.trim().split("\r\n");
    expect(lines).to.have.length(3);
    for (const line of lines.slice(1)) expect(line).to.match(/,1,.*,false$/);
  });

  it("refuses values that the field cannot have", async () => {
    for (const wrong of ["role_id=jefe", "role_id=0", "activo=tal"]) {
      const { status, json } = await ask(admin, "GET", `/admin/users?${wrong}`);
      expect([status, json.code], wrong).to.deep.equal([400, "invalid_input"]);
      expect(json.error).to.include(wrong.split("=")[0]);
    }
  });
});
