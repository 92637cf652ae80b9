import { expect } from "chai";
import { Database, type DatabaseSettings } from "../../src/infra/postgres/database.ts";
import { checkPooler } from "../../src/infra/postgres/poolers.ts";
import type { Log } from "../../src/kernel/log.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { type Pooler, type PoolMode, startPooler } from "../support/pooler.ts";
import { eventually } from "../support/wait.ts";

const statement = (text: string, name = "") => ({ name, text });

describe("a database behind PgBouncer", () => {
  let fresh: TestDatabase;
  const poolers = {} as Record<PoolMode, Pooler>;
  const opened: Database[] = [];

  before(async function () {
    fresh = await freshDatabase();
    for (const mode of ["session", "transaction"] as const) {
      const pooler = await startPooler(mode, fresh.url);
      if (!pooler) {
        console.warn("      no PgBouncer: put pgbouncer on the PATH to run these");
        return this.skip();
      }
      poolers[mode] = pooler;
    }
  });
  after(async () => {
    for (const database of opened) await database.close();
    for (const pooler of Object.values(poolers)) await pooler.close();
    await fresh?.drop();
  });

  const open = (mode: PoolMode, limits: Partial<DatabaseSettings> = {}): Database => {
    const settings: DatabaseSettings = {
      url: poolers[mode].through(fresh.url),
      poolSize: 4,
      statementTimeoutMs: 5_000,
      connectTimeoutMs: 5_000,
      statementNames: mode === "session" ? "on" : "off",
      ...limits,
    };
    const database = Database.open(settings, () => {});
    opened.push(database);
    return database;
  };
  const refusalOf = (work: Promise<unknown>): Promise<Error & { readonly code?: string }> =>
    work.then(
      () => expect.fail("it was not refused"),
      (error: Error) => error,
    );
  const running = async (text: string): Promise<number> => {
    const [row] = await open("session").rows<{ n: number }>(
      statement("select count(*) as n from pg_stat_activity where query = $1 and state = 'active'"),
      [text],
    );
    return row?.n ?? 0;
  };

  for (const mode of ["session", "transaction"] as const) {
    describe(`in ${mode} mode`, () => {
      it("answers statements and transactions, also many with the same name at once", async () => {
        const database = open(mode);
        const one = statement("select $1::int as n", `poolers_${mode}`);
        const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => database.rows<{ n: number }>(one, [n])));
        expect(answers.map(([row]) => row?.n)).to.deep.equal(Array.from({ length: 40 }, (_, n) => n));
        expect(await database.transaction((inside) => inside.rows(one, [7]))).to.deep.equal([{ n: 7 }]);
      });

      it("cancels a slow statement, alone and in a transaction, and continues", async () => {
        const database = open(mode, { statementTimeoutMs: 100 });
        const slow = statement(`select pg_sleep(61), '${mode}'`);
        expect((await refusalOf(database.rows(slow, []))).code).to.equal("57014");
        const inside = database.transaction((transaction) => transaction.rows(slow, []));
        expect((await refusalOf(inside)).code).to.equal("57014");
        await eventually(async () => (await running(slow.text)) === 0);
        expect(await database.rows(statement("select 1 as n"), [])).to.deep.equal([{ n: 1 }]);
      });

      it("cancels a statement whose caller is gone", async () => {
        const database = open(mode);
        const gone = new AbortController();
        const slow = statement(`select pg_sleep(62), '${mode}'`);
        const refused = refusalOf(database.rows(slow, [], gone.signal));
        await eventually(async () => (await running(slow.text)) === 1);
        gone.abort(new Error("gone"));
        expect((await refused).message).to.equal("gone");
        await eventually(async () => (await running(slow.text)) === 0);
      });

      it("keeps a transaction's settings from the next one", async () => {
        const database = open(mode, { sessionSettings: { jit: "off" }, statementTimeoutMs: 4_321 });
        const settings = statement(
          "select current_setting('jit') as jit, current_setting('statement_timeout') as statement_timeout",
        );
        const [inside] = await database.transaction((transaction) => transaction.rows(settings, []));
        expect(inside).to.deep.equal({ jit: "off", statement_timeout: "4321ms" });
        const [other] = await open(mode, { poolSize: 1 }).rows<{ jit: string }>(settings, []);
        expect(other?.jit).to.equal("on");
      });
    });
  }

  describe("at the start of a process", () => {
    const said: object[] = [];
    const log = { info: (fields: object) => void said.push(fields), warn: () => {} } as unknown as Log;
    beforeEach(() => said.splice(0));

    it("is recognized", async () => {
      const direct = { url: fresh.url, directUrl: fresh.url, statementNames: "on" } as const;
      await checkPooler(direct, log);
      await checkPooler({ ...direct, url: poolers.session.through(fresh.url) }, log);
      const transactions = { url: poolers.transaction.through(fresh.url), directUrl: fresh.url } as const;
      await checkPooler({ ...transactions, statementNames: "off" }, log);
      expect(said).to.deep.equal([
        { pooler: "none", statementNames: "on" },
        { pooler: "session mode", statementNames: "on" },
        { pooler: "transaction mode", statementNames: "off" },
      ]);
    });

    it("is refused with unsuitable settings, which the error names", async () => {
      const url = poolers.transaction.through(fresh.url);
      const refused = await refusalOf(checkPooler({ url, directUrl: url, statementNames: "on" }, log));
      expect(refused.message).to.include("DATABASE_STATEMENT_NAMES").and.include("DATABASE_DIRECT_URL");
    });
  });
});
