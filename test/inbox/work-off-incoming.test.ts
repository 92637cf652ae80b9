import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { PostgresIncomingQueue } from "../../src/inbox/adapters/postgres/incoming/incoming-queue.ts";
import type { IncomingStores } from "../../src/inbox/application/incoming/ports.ts";
import { noNews, WorkOffIncoming } from "../../src/inbox/public.ts";
import { cloudChannel, qrChannel } from "../../src/kernel/channels.ts";
import { areCellsTwo } from "../support/two-cells.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";

describe("processing webhooks", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1)], environment: { ROLE: "api" } });
    // The service itself would take some of the webhooks.
    await resolve(world.container, tokens.incomingLoop).stop();
  });
  after(() => world?.stop());

  it("lets channels take turns, so that many webhooks of one do not delay another", async function () {
    // Two cells are worked off side by side, so the order of their channels varies.
    if (areCellsTwo()) this.skip();
    await world.rows(
      // The webhooks have been due for a minute, so they stay due even if the clock is set back a little.
      `insert into incoming_webhooks (payload, provider, due_at)
       select '{}', provider, now() - interval '1 minute'
       from (select $1 as provider from generate_series(1, 350) union all select 'qr' from generate_series(1, 2)) as kept`,
      [cloudChannel],
    );
    const order: string[] = [];
    const reading = (channel: string) => () => {
      if (order.at(-1) !== channel) order.push(channel);
      return noNews;
    };
    const workOff = new WorkOffIncoming(
      resolve(world.container, tokens.incomingUnitOfWork),
      new PostgresIncomingQueue(world.database),
      { [cloudChannel]: reading(cloudChannel), [qrChannel]: reading(qrChannel) },
      resolve(world.container, tokens.feed),
      resolve(world.container, tokens.aftermath),
      (error) => {
        throw error;
      },
    );
    await workOff.execute();
    expect(order).to.deep.equal([cloudChannel, qrChannel, cloudChannel]);
    expect(await world.rows("select from incoming_webhooks")).to.deep.equal([]);
  });

  it("continues with other channels if one cannot be claimed", async () => {
    // The webhook has been due for a minute, so it stays due even if the clock is set back a little.
    await world.rows(
      "insert into incoming_webhooks (payload, provider, due_at) values ('{}', 'qr', now() - interval '1 minute')",
    );
    const unitOfWork = resolve(world.container, tokens.incomingUnitOfWork);
    const failures: [string, number | null][] = [];
    const withoutClaims = (stores: IncomingStores): IncomingStores => {
      const claim: typeof stores.queue.claim = (channel, limit) =>
        channel === cloudChannel ? Promise.reject(new Error("no claim")) : stores.queue.claim(channel, limit);
      return { ...stores, queue: Object.assign(Object.create(stores.queue), { claim }) };
    };
    const failing: typeof unitOfWork = {
      run: (businessId, work) => unitOfWork.run(businessId, work),
      sweep: (work) => unitOfWork.sweep((stores) => work(withoutClaims(stores))),
    };
    const read = () => noNews;
    const workOff = new WorkOffIncoming(
      failing,
      new PostgresIncomingQueue(world.database),
      { [cloudChannel]: read, [qrChannel]: read },
      resolve(world.container, tokens.feed),
      resolve(world.container, tokens.aftermath),
      (error, id) => failures.push([(error as Error).message, id]),
    );
    await workOff.execute();
    expect(await world.rows("select from incoming_webhooks")).to.deep.equal([]);
    expect(failures).to.deep.equal([
      ["no claim", null],
      ["no claim", null],
    ]);
  });
});
