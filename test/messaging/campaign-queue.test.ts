import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { Secrets } from "../../src/infra/crypto/secrets.ts";
import { PostgresCampaignQueue } from "../../src/messaging/adapters/postgres/campaigns/campaign-queue.ts";
import type { SenderLease } from "../../src/messaging/application/campaigns/ports.ts";
import { areCellsTwo } from "../support/two-cells.ts";
import { eventually } from "../support/wait.ts";
import { CampaignWorld, campaignBusiness } from "./campaign-support.ts";

const later = { schedule_at: "2099-01-01T00:00:00Z" };

/** There is no worker, so that only the test takes senders and recipients. */
describe("the queue of a number", () => {
  let all: CampaignWorld;
  before(async () => {
    all = await CampaignWorld.start(
      [1, 2].map((id) => campaignBusiness(id)),
      { ROLE: "api" },
    );
  });
  after(() => all.stop());

  const lease = async (): Promise<SenderLease> => {
    const [own] = await all.lease(1);
    if (!own) throw new Error("the number is free, but cannot be leased");
    return own;
  };
  const begin = (total: number) =>
    all.rows("update campaigns set starts_at = now() where total = $1 and state = 'running'", [total]);

  it("is not delayed by campaigns that are due tomorrow", async () => {
    for (let n = 0; n < 30; n += 1) await all.register(all.body(1, later));
    await all.rows("update campaign_recipients set due_at = now() + interval '1 day'");
    await begin(1);
    expect(await all.lease(1)).to.deep.equal([]);

    await all.register(all.body(60, later));
    await begin(60);
    const own = await lease();
    const { recipients } = await all.queue.claim(own, 10, 0);
    expect(recipients).to.have.length(10);
    await all.queue.release(own);
  });

  it("pauses no campaign for a worker that can read no token, and leaves the number to others for a while", async () => {
    const id = await all.register(all.body(5, later));
    await begin(5);
    const wrong = new Secrets("another master secret than the one that sealed");
    const seconds = { senderLeaseSeconds: 10, recipientLeaseSeconds: 10 };
    const queue = new PostgresCampaignQueue(resolve(all.world.container, tokens.cells), wrong, seconds);
    const told: unknown[] = [];
    const leases = await queue.lease(randomUUID(), 1, (businessId, campaignIds) =>
      told.push([businessId, campaignIds]),
    );
    expect([leases, told]).to.deep.equal([[], [[1, []]]]);
    expect((await all.status(id)).state).to.equal("running");
    expect(await queue.lease(randomUUID(), 1, () => {}), "at once").to.deep.equal([]);

    await all.rows("update senders set rests_until = null");
    await all.queue.release(await lease());
  });

  it("counts direct messages of the number, but not those of its campaigns (§2)", async () => {
    await all.register(all.body(2, later));
    await begin(2);
    const own = await lease();
    expect((await all.queue.claim(own, 2, 0)).sentDirectly).to.equal(0);
    // A message counts for only one second. If the claim comes later, the test sends another message.
    await eventually(async () => {
      const direct = { empresa_id: 1, phone_number: "59175000001", plantilla_id: 102, parameters: [] };
      expect((await all.world.post("/chats/enviar/plantilla/business", direct)).status).to.equal(200);
      return (await all.queue.claim(own, 1, 0)).sentDirectly > 0;
    });
    await all.queue.release(own);
  });

  it("gives each worker the number that has waited longest for one", async function () {
    // Each cell has a queue of its own, so numbers in different cells do not take turns.
    if (areCellsTwo()) this.skip();
    const turns: number[] = [];
    await all.register(all.body(1, later, 2), 2);
    await all.register(all.body(1, later));
    await begin(1);
    await all.rows("update campaign_recipients set due_at = now() where state = 'queued'");
    for (let n = 0; n < 4; n += 1) {
      const own = await lease();
      turns.push(own.businessId);
      await all.queue.release(own);
    }
    expect(turns.slice(1)).to.deep.equal(turns[0] === 1 ? [2, 1, 2] : [1, 2, 1]);
  });
});
