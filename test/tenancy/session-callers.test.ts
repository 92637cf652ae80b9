import { expect } from "chai";
import { servedRoutes } from "../http/routes.ts";
import { request } from "../support/http.ts";
import { aBusiness, aTemplate, startWorld, type World } from "../support/world.ts";

describe("a session token in place of an App Key", () => {
  let world: World;
  let agent: string;
  let admin: string;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1, { templates: [aTemplate(101, { body: "Hola" })] })] });
    [admin, agent] = [await world.sessionToken(101), await world.sessionToken(102)];
  });
  after(() => world.stop());

  const ask = (token: string, method: string, path: string, body?: unknown) =>
    request(world.api + path, { method, headers: { authorization: `Bearer ${token}` }, ...(body ? { body } : {}) });
  const latestMessage = async () =>
    (
      await world.rows<{ author: string; author_name: string; author_user_id: number | null }>(
        "select author, author_name, author_user_id from messages where business_id = 1 order by id desc limit 1",
      )
    )[0];

  it("is accepted by every operation that accepts a key", () => {
    const onlyKeys = servedRoutes().filter(({ auth }) => String(auth) === "app-key");
    expect(onlyKeys).to.deep.equal([]);
  });

  it("sends templates in the user's name, even if the body names another user", async () => {
    const byNumber = { empresa_id: 1, phone_number: "59170009999", plantilla_id: 101, parameters: [] };
    const sent = await ask(agent, "POST", "/chats/enviar/plantilla/business", byNumber);
    expect(sent.status, sent.text).to.equal(200);
    expect(await latestMessage()).to.deep.equal({ author: "user", author_name: "Ana Agente", author_user_id: 102 });
  });

  it("does not let agents use campaigns, but administrators", async () => {
    const refused = await ask(agent, "GET", "/campaigns");
    expect([refused.status, refused.json]).to.deep.equal([
      403,
      { error: "Solo un administrador puede hacerlo", code: "forbidden" },
    ]);
    expect((await ask(agent, "POST", "/campaigns/preview", { empresa_id: 1 })).status).to.equal(403);
    expect((await ask(admin, "GET", "/campaigns")).status).to.equal(200);
  });

  it("is refused like a wrong App Key by the operations of the first clients if it is wrong", async () => {
    const answer = await ask("rs_wrong", "GET", "/catalogs/order/1");
    expect([answer.status, answer.json]).to.deep.equal([401, { message: "Invalid API key" }]);
  });

  it("is refused with a code by newer operations if it is wrong", async () => {
    for (const path of ["/campaigns", "/campaigns/1", "/catalogs/order/1/history"]) {
      const { status, json } = await ask("rs_wrong", "GET", path);
      expect([status, json.code], path).to.deep.equal([401, "unauthorized"]);
    }
  });
});
