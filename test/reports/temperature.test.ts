import { expect } from "chai";
import { request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { addConversation } from "./support.ts";

describe("temperatures of conversations", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  const put = (body: object, chatId: number | string = 101, businessId = 1) =>
    request(`${world.api}/chats/${chatId}/temperatura`, {
      method: "PUT",
      headers: { "x-api-key": world.appKey(businessId) },
      body,
    });
  const kept = (id: number) =>
    world.rows("select ai_temperature as ai, agent_temperature as agent from conversations where id = $1", [id]);

  it("are stored in the open conversation, each on its own", async () => {
    const later = await addConversation(world, 1, { at: new Date().toISOString() });
    expect((await put({ temperatura_ia: 40.25 })).json).to.deep.equal({ success: true });
    await put({ temperatura_agente: 0 });
    expect(await kept(101)).to.deep.equal([{ ai: "40.25", agent: "0.00" }]);
    await put({ temperatura_ia: null });
    expect(await kept(101)).to.deep.equal([{ ai: null, agent: "0.00" }]);
    expect(await kept(later)).to.deep.equal([{ ai: null, agent: null }]);
  });

  it("are stored in the latest conversation if none is open", async () => {
    await world.rows("update conversations set closed_at = now() where business_id = 2");
    const later = await addConversation(world, 2, { at: new Date().toISOString() });
    await put({ temperatura_ia: 7 }, 201, 2);
    expect(await kept(later)).to.deep.equal([{ ai: "7.00", agent: null }]);
  });

  it("are refused outside of 0 to 100, and for missing chats", async () => {
    const range = { success: false, error: "temperatura_ia debe estar entre 0 y 100", code: "invalid_input" };
    for (const temperatura_ia of [-1, 100.01]) expect((await put({ temperatura_ia })).json).to.deep.equal(range);
    expect((await put({ temperatura_agente: "5" })).json.error).to.equal("temperatura_agente debe ser un número");
    const missing = await put({ temperatura_ia: 1 }, 201);
    expect([missing.status, missing.json]).to.deep.equal([
      404,
      { success: false, error: "Chat no encontrado", code: "chat_not_found" },
    ]);
  });
});
