import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { fanOut } from "../../src/webhooks/adapters/postgres/fan-out.ts";
import { CampaignWorld, campaignBusiness } from "../messaging/campaign-support.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { Receiver } from "./support.ts";

describe("The end of a campaign, for a business's own systems", () => {
  let campaigns: CampaignWorld;
  let receiver: Receiver;
  before(async () => {
    campaigns = await CampaignWorld.start([campaignBusiness(1)], { ALLOW_PRIVATE_WEBHOOK_URLS: "true" });
  });
  after(() => campaigns.stop());
  beforeEach(async () => {
    receiver = await Receiver.start();
  });
  afterEach(async () => {
    await campaigns.calm();
    await campaigns.rows("delete from webhooks");
    await campaigns.rows("delete from webhook_events");
    await receiver.close();
  });

  const hook = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${await campaigns.world.sessionToken(101)}` };
    const body = { url: receiver.url, events: ["campaign.finished"] };
    const made = await request(`${campaigns.world.api}/admin/webhooks`, { method: "POST", headers, body });
    expect(made.status, made.text).to.equal(201);
  };
  const ended = async (): Promise<number> => {
    const id = await campaigns.register(campaigns.body(1));
    await campaigns.becomes(id, { state: "completed" }, { read: 1 });
    await eventually(async () => (await logged(id)) > 0);
    return id;
  };
  const logged = async (id: number): Promise<number> => {
    const told = `select from realtime_events
      where name = 'campaign:progress' and payload ->> 'state' = 'completed' and (payload ->> 'campaignId')::bigint = $1`;
    return (await campaigns.rows(told, [id])).length;
  };
  /** Logs the campaign's figures again, as happens when a status arrives after the campaign's end. */
  const figuresChange = async (id: number): Promise<void> => {
    const before = await logged(id);
    resolve(campaigns.world.container, tokens.campaignAnnouncer).touch(1, [id]);
    await eventually(async () => (await logged(id)) > before);
  };
  const everythingIsDelivered = () =>
    eventually(async () => {
      const behind = await campaigns.rows(
        "select from webhook_progress join realtime_counters using (business_id) where reached < last_number",
      );
      const waiting = await campaigns.rows("select from webhook_deliveries where state = 'waiting'");
      return behind.length === 0 && waiting.length === 0;
    });
  const told = () => receiver.received.map(({ data }) => data.campaign_id);
  const endedBefore = (id: number, age: string) =>
    campaigns.rows("update campaigns set finished_at = now() - $2::interval where id = $1", [id, age]);

  it("is not delivered again when figures change after the delivery has been deleted", async () => {
    await hook();
    const id = await ended();
    await everythingIsDelivered();
    expect(told()).to.deep.equal([id]);
    await endedBefore(id, "8 days");
    await campaigns.rows("delete from webhook_events");
    expect(await campaigns.rows("select from webhook_deliveries")).to.deep.equal([]);
    await figuresChange(id);
    await everythingIsDelivered();
    expect(told()).to.deep.equal([id]);
  });

  it("is not delivered to an endpoint that was made long after it", async () => {
    const id = await ended();
    await endedBefore(id, "25 hours");
    await hook();
    await figuresChange(id);
    await everythingIsDelivered();
    expect(told()).to.deep.equal([]);
  });

  it("is delivered once if it is announced an hour late", async () => {
    const id = await ended();
    await endedBefore(id, "1 hour");
    await hook();
    await figuresChange(id);
    await figuresChange(id);
    await everythingIsDelivered();
    expect(told()).to.deep.equal([id]);
  });

  it("is delivered once by two processes that assign events at the same time", async () => {
    const { container, database } = campaigns.world;
    const queue = resolve(container, tokens.deliveryQueue);
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    const id = await ended();
    await hook();
    const others = await database.transaction(async (transaction) => {
      // This lock keeps other processes from assigning events until the transaction ends.
      await transaction.rows({ name: "", text: "select from webhook_progress for no key update" }, []);
      await figuresChange(id);
      await transaction.rows(fanOut, [1]);
      await figuresChange(id);
      const other = queue.fanOut(1);
      await eventually(async () => (await campaigns.rows(waiting)).length > 1);
      return { other };
    });
    await others.other;
    await everythingIsDelivered();
    expect(told()).to.deep.equal([id]);
  });
});
