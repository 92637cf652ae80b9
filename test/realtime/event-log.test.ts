import { expect } from "chai";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import type { Database } from "../../src/infra/postgres/database.ts";
import { PostgresEventLog } from "../../src/infra/postgres/event-log.ts";
import { DatabaseUnavailable } from "../../src/kernel/errors.ts";
import { World } from "./support.ts";

describe("the event log", () => {
  let world: World;
  let log: PostgresEventLog;
  before(async () => {
    world = await World.open();
    log = new PostgresEventLog(oneCell(world.database));
  });
  after(() => world.close());
  afterEach(() => world.reset());

  it("reads a limited number of a business's events after a number, in order", async () => {
    const logged = await world.change(1, [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
    await world.change(2, [{ n: 1 }, { n: 2 }]);
    expect(await log.read(1, 1, 2)).to.deep.equal(logged.slice(1, 3));
    expect(await log.read(1, 4, 10)).to.deep.equal([]);
    expect(await log.read(3, 0, 10)).to.deep.equal([]);
  });

  it("knows the last number of each business, even after its events are deleted", async () => {
    await world.change(1, [{}, {}, {}]);
    await world.change(2);
    await world.query("delete from realtime_events");
    expect(await log.lastNumbers([1, 2, 3])).to.deep.equal(
      new Map([
        [1, 3],
        [2, 1],
        [3, 0],
      ]),
    );
    expect(await log.lastNumbers([])).to.deep.equal(new Map());
  });

  it("leaves out businesses whose cell is away, and throws every other error", async () => {
    await world.change(1);
    const cellThat = (error: Error) => ({ ...world.database, rows: () => Promise.reject(error) }) as never;
    const lastBeside = (error: Error) => {
      const [here, there] = [oneCell(world.database), oneCell<Database>(cellThat(error))];
      const groupsOf = () => [...here.groupsOf([1]), ...there.groupsOf([2])];
      return new PostgresEventLog({ ...here, groupsOf }).lastNumbers([1, 2]);
    };
    expect(await lastBeside(new DatabaseUnavailable(new Error("away"), false))).to.deep.equal(new Map([[1, 1]]));
    const failed = await lastBeside(new Error("a wrong statement")).catch((error: Error) => error);
    expect(failed).to.have.property("message", "a wrong statement");
  });

  it("deletes only events older than 72 hours, in batches", async () => {
    await world.change(1, Array(7).fill({}));
    await world.change(2, [{}, {}]);
    await world.query(
      "update realtime_events set at = now() - interval '73 hours' where number <= 5 and business_id = 1",
    );
    await world.query("update realtime_events set at = now() - interval '71 hours' where number = 6");
    expect(await log.purge(72, undefined, 2)).to.equal(5);
    expect((await log.read(1, 0, 10)).map(({ number }) => number)).to.deep.equal([6, 7]);
    expect(await log.read(2, 0, 10)).to.have.lengthOf(2);
    expect(await log.purge(72)).to.equal(0);
  });
});
