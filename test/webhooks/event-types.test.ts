import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { webhookEvents } from "../../src/kernel/webhook-events.ts";
import { CampaignWorld, campaignBusiness, contactId } from "../messaging/campaign-support.ts";
import { addLine, addOrder, openShop } from "../orders/shop.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { Receiver } from "./support.ts";

type Json = Readonly<Record<string, unknown>>;
interface Described {
  readonly post: {
    readonly requestBody: { readonly content: { readonly "application/json": { readonly schema: Json } } };
  };
}

describe("Each type of event for a business's own systems", () => {
  let campaigns: CampaignWorld;
  let receiver: Receiver;
  let document: {
    readonly webhooks: Readonly<Record<string, Described>>;
    readonly components: Json;
  };
  before(async () => {
    receiver = await Receiver.start();
    campaigns = await CampaignWorld.start([campaignBusiness(1)], { ALLOW_PRIVATE_WEBHOOK_URLS: "true" });
    await openShop(campaigns.world, 1);
    document = (await campaigns.world.get("/openapi.json")).json;
  });
  after(async () => {
    await campaigns.stop();
    await receiver.close();
  });

  const ask = async (method: string, path: string, body: object): Promise<void> => {
    const { world } = campaigns;
    const token = await world.sessionToken(101);
    const answer = await request(world.api + path, { method, body, headers: { authorization: `Bearer ${token}` } });
    expect(answer.status, answer.text).to.be.below(300);
  };
  const received = (type: string) => receiver.received.filter((each) => each.type === type);

  it("arrives as documented, and the end of a campaign arrives once", async () => {
    const { world } = campaigns;
    await ask("POST", "/admin/webhooks", { url: receiver.url, events: webhookEvents });
    await world.control("POST", "/customers/59170009999/say", { to: "number-1", text: "Hola" });
    const phone_number = "59170009998";
    await world.rows("update steps set type = 'ticket'");
    await world.rows("insert into department_agents (business_id, department_id, user_id) values (1, 101, 102)");
    const given = await world.post("/chats/crear/ticket/business/101", { empresa_id: 1, phone_number });
    await ask("POST", `/chats/${given.json.chat_id}/close`, { ticket: "completado" });
    await ask("PUT", `/contacts/${contactId(1)}`, { nombre: "Otra" });
    const orderId = await addOrder(world, 1, { type: "web", chat_id: contactId(1) });
    await addLine(world, 1, orderId);
    const update = { orderId, raw_adress: "Calle 1" };
    const headers = { "x-api-key": world.appKey(1) };
    await request(`${world.api}/catalogs/order/update`, { method: "PUT", body: update, headers });
    const id = await campaigns.register(campaigns.body(3));
    await campaigns.becomes(id, { state: "completed" }, { read: 3 });
    const missing = () => webhookEvents.filter((type) => received(type).length === 0);
    await eventually(() => expect(missing()).to.deep.equal([]), 5_000);

    const ajv = new Ajv2020({ strict: false, formats: { "date-time": (at) => !Number.isNaN(Date.parse(at)) } });
    for (const { type, body } of receiver.received) {
      const described = document.webhooks[type];
      if (!described) throw new Error(`${type} is not described`);
      const { schema } = described.post.requestBody.content["application/json"];
      const isValid = ajv.validate({ ...schema, components: document.components }, JSON.parse(body));
      expect(isValid, `${type}: ${ajv.errorsText()} in ${body}`).to.equal(true);
    }
    // The progress is logged again, as if a status arrived after the campaign's end. No second webhook may follow.
    resolve(world.container, tokens.campaignAnnouncer).touch(1, [id]);
    await eventually(async () => {
      const told = await world.rows(
        `select from realtime_events where name = 'campaign:progress' and payload ->> 'state' = 'completed'`,
      );
      const behind = await world.rows(
        "select from webhook_progress join realtime_counters using (business_id) where reached < last_number",
      );
      const waiting = await world.rows("select from webhook_deliveries where state = 'waiting'");
      return told.length > 1 && behind.length === 0 && waiting.length === 0;
    });
    expect(received("campaign.finished").map(({ data }) => [data.campaign_id, data.state])).to.deep.equal([
      [id, "completed"],
    ]);
  });
});
