import { expect } from "chai";
import { type Service, startService } from "../../src/bootstrap/service.ts";
import { AgendaClock } from "../../src/infra/jobs/agenda-clock.ts";
import { eventually } from "../support/wait.ts";
import { CampaignWorld, campaignBusiness } from "./campaign-support.ts";

const log = { info: () => {}, warn: () => {}, error: () => {} };

describe("a campaign that an API process registers", () => {
  let api: CampaignWorld;
  let clock: AgendaClock;
  let workers: Service[];

  before(async () => {
    api = await CampaignWorld.start([campaignBusiness(1)], { ROLE: "api" });
    const { config } = api.world;
    // This clock holds the lock, so the workers' clocks run no ticks. Only the API process wakes the workers.
    clock = new AgendaClock({
      databaseUrl: config.database.url,
      ticks: [{ name: "nothing", everySeconds: 86_400, run: async () => {} }],
      log,
    });
    await clock.start();
    await eventually(
      async () => (await api.world.rowsOfCell(1, "select from agenda_jobs where locked_at is not null")).length === 1,
    );
    workers = await Promise.all([1, 2].map(() => startService({ ...config, role: "worker", port: 0 })));
  });
  after(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await clock.stop();
    await api.stop();
  });

  it("is sent by a worker, which is notified at once", async () => {
    const id = await api.register(api.body(3));
    await api.becomes(id, { state: "completed" });
    expect(await api.accepted(3)).to.have.length(3);
  });

  it("continues when it is resumed", async () => {
    await api.rows("update senders set messages_per_second = 20");
    const id = await api.register(api.body(40));
    await eventually(async () => (await api.accepted(40)).length > 0);
    await api.act(id, "pause");
    await eventually(async () => (await api.rows("select from senders where drained_by is not null")).length === 0);
    expect((await api.accepted(40)).length).to.be.below(40);
    await api.act(id, "resume");
    await api.becomes(id, { state: "completed" });
    expect(await api.accepted(40)).to.have.length(40);
  });
});
