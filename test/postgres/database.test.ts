import { expect } from "chai";
import { Database, type Queries } from "../../src/infra/postgres/database.ts";
import { DatabaseUnavailable } from "../../src/kernel/errors.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { silentProxy } from "./silent-proxy.ts";

const statement = (text: string) => ({ name: "", text });

describe("the database", () => {
  let fresh: TestDatabase;
  const idleErrors: Error[] = [];
  const opened: Database[] = [];
  const open = (url: string, limits = {}): Database => {
    const settings = { url, poolSize: 4, statementTimeoutMs: 5_000, connectTimeoutMs: 5_000, ...limits };
    const database = Database.open(settings, (error) => idleErrors.push(error));
    opened.push(database);
    return database;
  };
  before(async () => {
    fresh = await freshDatabase();
  });
  after(async () => {
    for (const database of opened) await database.close();
    await fresh.drop();
  });

  const refusalOf = (work: Promise<unknown>): Promise<Error> =>
    work.then(
      () => expect.fail("it was not refused"),
      (error: Error) => error,
    );

  it("refuses two different statements with the same name, on any connection", async () => {
    const database = open(fresh.url);
    const first = { name: "database_test_named", text: "select 1 as n" };
    expect(await database.rows(first, [])).to.deep.equal([{ n: 1 }]);
    const second = { ...first, text: "select 2 as n" };
    expect((await refusalOf(open(fresh.url).rows(second, []))).message).to.include("database_test_named");
    const inside = database.transaction((transaction) => transaction.rows(second, []));
    expect((await refusalOf(inside)).message).to.include("database_test_named");
  });

  it("returns ids as numbers, alone and in lists, and refuses ids that a number cannot hold", async () => {
    const database = open(fresh.url);
    const ids = statement(
      "select 7::bigint as id, array[1, 9007199254740991]::bigint[] as more, '{}'::bigint[] as none",
    );
    expect(await database.rows(ids, [])).to.deep.equal([{ id: 7, more: [1, 9_007_199_254_740_991], none: [] }]);
    const tooLarge = database.rows(statement("select array[9007199254740992]::bigint[] as more"), []);
    expect((await refusalOf(tooLarge)).message).to.include("9007199254740992");
  });

  describe("if the server ends a connection during a transaction", () => {
    const pidOf = async (queries: Queries): Promise<number> => {
      const [row] = await queries.rows<{ pid: number }>(statement("select pg_backend_pid() as pid"), []);
      return row?.pid ?? 0;
    };
    const end = (database: Database, pid: number) =>
      database.rows(statement("select pg_terminate_backend($1, 5000)"), [pid]);

    it("fails only that transaction, whether it waits for an answer or not", async () => {
      const database = open(fresh.url);
      const duringQuery = database.transaction(async (transaction) => {
        const pid = await pidOf(transaction);
        const sleeping = transaction.rows(statement("select pg_sleep(5)"), []);
        await Promise.all([end(database, pid), sleeping]);
      });
      expect((await refusalOf(duringQuery)).message).to.match(/terminat/);
      const betweenQueries = database.transaction(async (transaction) => {
        await end(database, await pidOf(transaction));
        for (;;) await transaction.rows(statement("select 1"), []);
      });
      expect((await refusalOf(betweenQueries)).message).to.match(/terminat|not queryable/);
      await database.ping();
      expect(await database.transaction(async () => "done")).to.equal("done");
    });
  });

  describe("if transactions block each other", () => {
    const lock = (transaction: Queries, key: number) =>
      transaction.rows(statement("select pg_advisory_xact_lock($1)"), [key]);

    it("repeats the aborted one, so that both succeed", async () => {
      const database = open(fresh.url);
      let arrived = 0;
      let bothThere = () => {};
      const meeting = new Promise<void>((resolve) => {
        bothThere = resolve;
      });
      const crossing = (first: number, second: number) =>
        database.transaction(async (transaction) => {
          await lock(transaction, first);
          arrived += 1;
          if (arrived === 2) bothThere();
          await meeting;
          await lock(transaction, second);
          return `${first} and ${second}`;
        });
      expect(await Promise.all([crossing(1, 2), crossing(2, 1)])).to.deep.equal(["1 and 2", "2 and 1"]);
      expect(arrived).to.equal(3);
    });

    it("gives up a transaction that is aborted again and again", async () => {
      let runs = 0;
      const hopeless = open(fresh.url).transaction(async (transaction) => {
        runs += 1;
        await transaction.rows(statement("do $$ begin raise 'again' using errcode = '40P01'; end $$"), []);
      });
      expect(await refusalOf(hopeless)).to.include({ code: "40P01" });
      expect(runs).to.equal(5);
    });
  });

  describe("if the network fails during a transaction", () => {
    const breaking = async (work: (transaction: Queries, breakOff: () => void) => Promise<void>): Promise<Error> => {
      const proxy = await silentProxy(fresh.url);
      const database = open(proxy.url, { silenceMs: 500 });
      const error = await refusalOf(database.transaction((transaction) => work(transaction, proxy.vanish)));
      expect(error).to.be.instanceOf(DatabaseUnavailable);
      return error;
    };

    it("reports that nothing was done before the commit", async () => {
      const error = await breaking(async (transaction, breakOff) => {
        await transaction.rows(statement("select 1"), []);
        breakOff();
        await transaction.rows(statement("select 2"), []);
      });
      expect(error).to.include({ mayHaveRun: false });
    });

    it("reports an unknown outcome during the commit", async () => {
      const error = await breaking(async (transaction, breakOff) => {
        await transaction.rows(statement("select 1"), []);
        breakOff();
      });
      expect(error).to.include({ mayHaveRun: true });
    });
  });

  it("gives up waiting for a silent network, also while it is closed", async () => {
    const proxy = await silentProxy(fresh.url);
    const database = open(proxy.url, { statementTimeoutMs: 50, silenceMs: 50 });
    const silent = database.transaction(async (transaction) => {
      await transaction.rows(statement("select 1"), []);
      proxy.fallSilent();
      await transaction.rows(statement("select 2"), []);
    });
    expect((await refusalOf(silent)).message).to.equal("Query read timeout");
    await database.close();
    opened.splice(opened.indexOf(database), 1);
    proxy.close();
  });
});
