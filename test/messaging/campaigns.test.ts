import { expect } from "chai";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread, startWorld, type World } from "../support/world.ts";

const count = 300;
const threads = Array.from({ length: count }, (_, index) =>
  aThread(1_000 + index, { phone: `591710${10_000 + index}` }),
);

describe("bulk campaigns (§4)", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1, { threads }), aBusiness(2)] });
    await world.rows("update senders set messages_per_second = 2000");
  });
  after(() => world.stop());

  const body = (changes: object = {}) => ({
    empresa_id: 1,
    plantilla_id: 101,
    user_id: 101,
    nombre: "Promo",
    step: 101,
    contacts_id: threads.map(({ contactId }) => contactId),
    contacts: threads.map(({ name, phone }, index) => ({ nombre: name, numero: phone, pedido: index })),
    paramMapping: { "1": "nombre", "2": "pedido" },
    ...changes,
  });

  it("send each contact its message once, and keep it in the contact's chat", async () => {
    const answer = await world.post("/chats/enviar/masivo/plantilla", body());
    expect(answer.text).to.equal('{"success":true}');
    const id = Number(answer.headers["x-campaign-id"]);
    const done = await eventually(async () => {
      const { json } = await world.get(`/campaigns/${id}`);
      expect(json).to.include({ state: "completed", total: count });
      expect(json.counts.read).to.equal(count);
      return json;
    }, 15_000);
    expect(done.counts).to.include({ queued: 0, sending: 0, unknown: 0, failed: 0 });
    const sent = await world.control("GET", `/messages?limit=1000`);
    expect(new Set(sent.map(({ to }: { to: string }) => to)).size).to.equal(count);
    expect(sent).to.have.length(count);
    const stored = await world.rows<{ body: string }>("select body from messages where campaign_id = $1", [id]);
    expect(stored).to.have.length(count);
    const csv = await request(`${world.api}/campaigns/${id}/recipients`, {
      headers: { "x-api-key": world.appKey(1), accept: "text/csv" },
    });
    expect(csv.text.split("\r\n")).to.have.length(count + 2);
  });
});
