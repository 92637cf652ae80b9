import { expect } from "chai";
import { type Cells, sharedCell } from "../../src/infra/postgres/cells.ts";
import { type Cell, Database } from "../../src/infra/postgres/database.ts";
import { DatabaseUnavailable } from "../../src/kernel/errors.ts";
import { FairQueue } from "../../src/kernel/fair-queue.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/wait.ts";

const statement = (text: string) => ({ name: "", text });
const forever = statement("select pg_sleep(60)");
const quick = statement("select 1 as n");

describe("a database that businesses share", () => {
  let fresh: TestDatabase;
  let database: Database;
  let cells: Cells<Cell>;
  before(async () => {
    fresh = await freshDatabase();
  });
  beforeEach(() => {
    const settings = { url: fresh.url, poolSize: 2, statementTimeoutMs: 60_000, connectTimeoutMs: 5_000 };
    database = Database.open(settings, () => {});
    const shares = { name: "database", width: 2, widthPerKey: 1, queuePerKey: 2, queue: 100, waitMs: 60_000 };
    const gate = new FairQueue({ ...shares, refusal: (busy) => new DatabaseUnavailable(busy, false) });
    cells = sharedCell(database, gate, gate);
  });
  afterEach(() => database.close());
  after(() => fresh.drop());

  const sleepers = async (): Promise<number> => {
    const text = "select count(*) as n from pg_stat_activity where query = $1 and state = 'active'";
    const [row] = await cells.common.rows<{ n: number }>(statement(text), [forever.text]);
    return row?.n ?? 0;
  };

  it("answers one business while another one's statements use all its connections", async () => {
    const gone = new AbortController();
    const slow = [1, 1].map((id) => cells.of(id).rows(forever, [], gone.signal));
    await eventually(async () => (await sleepers()) === 1);
    expect(await cells.of(2).rows(quick, [])).to.deep.equal([{ n: 1 }]);
    expect(await cells.of(2).transaction((transaction) => transaction.rows(quick, []))).to.deep.equal([{ n: 1 }]);
    gone.abort(new Error("gone"));
    const outcomes = await Promise.allSettled(slow);
    expect(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason.message)).to.deep.equal([
      "gone",
      "gone",
    ]);
  });

  it("cancels a statement on the server when its signal is aborted", async () => {
    const gone = new AbortController();
    const slow = cells.of(1).rows(forever, [], gone.signal);
    slow.catch(() => {});
    await eventually(async () => (await sleepers()) === 1);
    gone.abort(new Error("gone"));
    await eventually(async () => (await sleepers()) === 0);
    expect(await slow.catch((error: Error) => error.message)).to.equal("gone");
    expect(await cells.of(1).rows(quick, [])).to.deep.equal([{ n: 1 }]);
  });

  it("runs no statement for a caller whose signal is already aborted", async () => {
    const outcome = await cells
      .of(1)
      .rows(quick, [], AbortSignal.abort(new Error("gone")))
      .catch((error: Error) => error.message);
    expect(outcome).to.equal("gone");
  });

  it("fails like an unreachable database if a business's own statements use all its connections", async () => {
    const gone = new AbortController();
    const slow = [1, 1, 1].map((id) => cells.of(id).rows(forever, [], gone.signal));
    const outcomes = Promise.allSettled(slow);
    const refused = await cells
      .of(1)
      .rows(quick, [])
      .catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(DatabaseUnavailable).that.includes({ mayHaveRun: false });
    gone.abort(new Error("gone"));
    await outcomes;
  });
});
