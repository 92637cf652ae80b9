import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { ClaimedRecipient, SenderLease, TriedRecipient } from "../../src/messaging/application/campaigns/ports.ts";
import { CampaignWorld, campaignBusiness } from "./campaign-support.ts";

const later = { schedule_at: "2099-01-01T00:00:00Z" };

/** There is no worker, so that only the test claims recipients and stores results. */
describe("storing a campaign's results", () => {
  let all: CampaignWorld;
  before(async () => {
    all = await CampaignWorld.start([campaignBusiness(1)], { ROLE: "api", DATABASE_POOL_SIZE: "2" });
  });
  after(() => all.stop());

  const claimed = async (count: number): Promise<{ id: number; lease: SenderLease; own: ClaimedRecipient[] }> => {
    const id = await all.register(all.body(count, later));
    await all.rows("update campaigns set starts_at = now() where id = $1", [id]);
    const [lease] = await all.lease(1);
    if (!lease) throw new Error("the number cannot be leased");
    const { recipients } = await all.queue.claim(lease, count, 0);
    await all.queue.release(lease);
    return { id, lease, own: [...recipients] };
  };
  const record = async (id: number, lease: SenderLease, tried: readonly TriedRecipient[]): Promise<void> =>
    resolve(all.world.container, tokens.recordCampaign).record(lease, tried, await all.queue.frozen(1, [id]));
  const dieWith = (id: number) =>
    all.rows("update campaign_recipients set lease_until = now() - interval '1 second' where campaign_id = $1", [id]);
  const messages = async (id: number): Promise<string[]> =>
    (await all.rows<{ state: string }>("select state from messages where campaign_id = $1 order by id", [id])).map(
      ({ state }) => state,
    );

  it("stores the other results if the database refuses one", async () => {
    const { id, lease, own } = await claimed(5);
    const tried = own.map(
      (one, n): TriedRecipient =>
        n === 2
          ? { ...one, state: "failed", code: 3_000_000_000, reason: "no" }
          : { ...one, state: "sent", platformMessageId: `wamid.${id}.${n}` },
    );
    await record(id, lease, tried);
    expect((await all.status(id)).counts).to.include({ sent: 4, sending: 1 });
    expect(await messages(id)).to.deep.equal(Array(4).fill("sent"));
    await dieWith(id);
    await all.settle();
    expect((await all.status(id)).counts).to.include({ sent: 4, unknown: 1 });
  });

  it("stores messages without the platform's id if another message already has it", async () => {
    const { id, lease, own } = await claimed(3);
    await record(
      id,
      lease,
      own.map((one) => ({ ...one, state: "sent", platformMessageId: `wamid.${id}` })),
    );
    expect((await all.status(id)).counts).to.include({ sent: 3 });
    expect(await messages(id)).to.deep.equal(["sent", "sent", "sent"]);
    const known = await all.rows("select from messages where platform_message_id = $1", [`wamid.${id}`]);
    expect(known).to.have.length(1);
  });

  it("settles recipients of dead workers even if one message cannot be stored", async () => {
    const { id, own } = await claimed(4);
    await all.rows(`alter table messages add constraint refused check (reference <> '${own[1]?.reference}') not valid`);
    await dieWith(id);
    await all.settle();
    await all.rows("alter table messages drop constraint refused");
    expect((await all.status(id)).counts).to.include({ unknown: 4, sending: 0 });
    expect(await messages(id)).to.deep.equal(Array(3).fill("unknown"));
    await all.settle();
    expect((await all.status(id)).state).to.equal("completed");
  });

  it("settles recipients of dead workers while all but one connection are taken", async () => {
    const { id } = await claimed(1);
    await dieWith(id);
    await resolve(all.world.container, tokens.database).transaction(() => all.settle());
    expect(await messages(id)).to.deep.equal(["unknown"]);
  });
});
