import { expect } from "chai";
import { cellsOf } from "../../src/bootstrap/config.ts";
import { moverOf } from "../../src/bootstrap/mover.ts";
import { CampaignWorld } from "../messaging/campaign-support.ts";
import type { Answer } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import type { World } from "../support/world.ts";

/** Creates tags one after the other, and reads each tag after its creation. */
class Client {
  readonly written: number[] = [];
  readonly refused: Answer[] = [];
  readonly wrong: string[] = [];
  slowestMs = 0;
  private isOver = false;
  private running: Promise<void> | undefined;

  constructor(
    private readonly world: World,
    private readonly name: string,
  ) {}

  start(): this {
    this.running = this.work();
    return this;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  private async work(): Promise<void> {
    for (let at = 0; !this.isOver; at += 1) {
      const nombre = `${this.name} ${at}`;
      const begun = performance.now();
      const answer = await this.world.post("/admin/tags", { nombre });
      this.slowestMs = Math.max(this.slowestMs, performance.now() - begun);
      if (answer.status === 503) this.refused.push(answer);
      else if (answer.status >= 300) this.wrong.push(`${answer.status} ${answer.text}`);
      else {
        this.written.push(answer.json.id);
        const read = await this.world.get(`/admin/tags/${answer.json.id}`);
        if (read.json.nombre !== nombre) this.wrong.push(`${nombre}: ${read.status} ${read.text}`);
      }
    }
  }
}

describe("a business that moves while the service runs", () => {
  let all: CampaignWorld;
  let world: World;
  const { TEST_CELLS } = process.env;

  before(async () => {
    process.env.TEST_CELLS = "2";
    all = await CampaignWorld.start();
    world = all.world;
    // The ids of new tags must differ from the ids of the fixtures' tags.
    for (const schema of ["public", "c2"]) {
      await world.database.rows({ name: "", text: `select setval('${schema}.tags_id_seq', 10000000)` }, []);
    }
  });

  after(async () => {
    await all?.stop();
    if (TEST_CELLS === undefined) delete process.env.TEST_CELLS;
    else process.env.TEST_CELLS = TEST_CELLS;
  });

  for (const [to, times] of [
    ["c2", 1],
    ["c1", 2],
  ] as const) {
    it(`loses no request and reads its own writes on the way to ${to}`, async () => {
      const socket = await world.listen(102);
      const clients = ["a", "b"].map((name) => new Client(world, `${name}${times}`).start());
      await moverOf(cellsOf(world.config)).move(1, to, () => {});
      await eventually(() => clients.every(({ written }) => written.length > 5));
      await socket.hears(({ name }) => name === "resync");
      for (const client of clients) await client.stop();
      expect(clients.flatMap(({ wrong }) => wrong)).to.deep.equal([]);
      const refused = clients.flatMap((client) => client.refused);
      expect(refused.every(({ headers }) => headers["retry-after"] !== undefined)).to.equal(true);
      for (const id of clients.flatMap(({ written }) => written)) {
        expect((await world.get(`/admin/tags/${id}`)).status).to.equal(200);
      }
      expect(Math.max(...clients.map(({ slowestMs }) => slowestMs))).to.be.below(6_000);
    });
  }

  it("sends its campaign once to each recipient, and none becomes unknown", async () => {
    const recipients = 60;
    await world.rows("update senders set messages_per_second = 2 where business_id = 1");
    const body = all.body(recipients);
    const phones = Array.from({ length: recipients }, (_, n) => all.phone(n));
    await all.register(body);
    const sent = async (): Promise<string[]> =>
      (await world.control("GET", "/messages"))
        .map(({ to }: { to: string }) => to)
        .filter((to: string) => phones.includes(to));
    await eventually(async () => (await sent()).length > 2);
    await moverOf(cellsOf(world.config)).move(1, "c2", () => {});
    expect((await sent()).length).to.be.below(recipients);
    await eventually(async () => (await sent()).length >= recipients, 60_000);
    expect((await sent()).sort()).to.deep.equal([...phones].sort());
    const states =
      "select state from c2.campaign_recipients where business_id = 1 and state not in ('sent', 'delivered', 'read')";
    await eventually(async () => (await world.database.rows({ name: "", text: states }, [])).length === 0, 20_000);
  });
});
