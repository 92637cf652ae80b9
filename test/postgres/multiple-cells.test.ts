import { expect } from "chai";
import { CellHealth } from "../../src/infra/postgres/cells/cell-health.ts";
import { MultipleCells, type Part } from "../../src/infra/postgres/cells/multiple-cells.ts";
import { type Cells, connectionQueue, everywhere, sharedCell } from "../../src/infra/postgres/cells.ts";
import { claimNames, releaseNames } from "../../src/infra/postgres/claimed-names.ts";
import { type Cell, Database } from "../../src/infra/postgres/database.ts";
import { Directory } from "../../src/infra/postgres/directory/directory.ts";
import { DatabaseUnavailable } from "../../src/kernel/errors.ts";
import { type TestDatabase, twoCells } from "../support/database.ts";
import { secondCell } from "../support/two-cells.ts";
import { eventually } from "../support/wait.ts";

const statement = (text: string) => ({ name: "", text });
const here = statement("select current_schema()::text as schema");
const settings = { poolSize: 4, statementTimeoutMs: 10_000, connectTimeoutMs: 2_000 };

/** A process of an installation with two cells. */
interface Process {
  readonly cells: Cells<Cell>;
  readonly directory: Directory;
  readonly health: Readonly<Record<string, CellHealth>>;
  readonly troubles: string[];
  /** The number of queries on the directory's tables. */
  asked(): number;
}

describe("businesses in several cells", () => {
  let fresh: TestDatabase;
  let first: Database;
  let second: Database;
  let process: Process;
  let isAway: Record<string, boolean>;

  before(async () => {
    fresh = await twoCells();
    first = Database.open({ ...settings, url: fresh.url }, () => {});
    second = first.beside({ schema: secondCell });
  });
  beforeEach(() => {
    isAway = { c1: false, [secondCell]: false };
    process = open();
  });
  afterEach(() => process.directory.locations.stop());
  after(async () => {
    await first.close();
    await fresh.drop();
  });

  function open(): Process {
    let asked = 0;
    const troubles: string[] = [];
    const partOf = (name: string, database: Database): Part => {
      const gate = connectionQueue({ name, width: 4, waitMs: 1_000 });
      const ping = async () => {
        if (isAway[name]) throw new Error("gone");
      };
      return { name, cells: sharedCell(database, gate, gate), health: new CellHealth({ name, ping, onChange() {} }) };
    };
    const all = [partOf("c1", first), partOf(secondCell, second)] as const;
    const table: Cell = {
      rows: (...question) => {
        asked += 1;
        return isAway.c1 ? Promise.reject(new DatabaseUnavailable(new Error("gone"), false)) : first.rows(...question);
      },
      transaction: (work) => first.transaction(work),
    };
    const directory = new Directory(table, { first: "c1", lookEveryMs: 20 }, (error) => troubles.push(String(error)));
    const cells = new MultipleCells([all[0], all[1]], directory, (_, cell) => troubles.push(cell));
    const health = { c1: all[0].health, [secondCell]: all[1].health };
    return { cells, directory, health, troubles, asked: () => asked };
  }

  const goesAway = async (name: string): Promise<void> => {
    isAway[name] = true;
    for (let look = 0; look < 2; look += 1) await process.health[name]?.ping();
  };

  const schemaOf = async (businessId: number): Promise<string | undefined> =>
    (await process.cells.of(businessId).rows<{ schema: string }>(here, []))[0]?.schema;

  const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => "none",
      (error: unknown) => error,
    );

  let nextId = 100;
  /** Creates a business with a user and a key in the cell. */
  async function found(cell: "c1" | "c2", key = Buffer.alloc(32, nextId + 1)): Promise<number> {
    nextId += 1;
    const id = nextId;
    await process.directory.locations.add(id, cell);
    await process.cells.of(id).transaction(async (transaction) => {
      await transaction.rows(statement("insert into businesses (id, name, plan) values ($1, 'B', 'pro')"), [id]);
      await transaction.rows(
        statement("insert into users (business_id, id, name, role_id) values ($1, $1, 'Ana', 1)"),
        [id],
      );
      await claimNames(transaction, id, "key", [key.toString("hex")]);
      await transaction.rows(statement("insert into app_keys (digest, business_id, label) values ($2, $1, 'key')"), [
        id,
        key,
      ]);
    });
    return id;
  }

  const takeEmail = (id: number, email: string): Promise<readonly string[]> =>
    process.cells.of(id).transaction(async (transaction) => {
      const refused = await claimNames(transaction, id, "email", [email]);
      if (refused.length === 0) {
        const text = "insert into credentials (email, business_id, user_id) values (lower($1), $2, $2)";
        await transaction.rows(statement(text), [email, id]);
      }
      return refused;
    });

  const leaveEmail = (id: number, email: string): Promise<void> =>
    process.cells.of(id).transaction(async (transaction) => {
      await transaction.rows(statement("delete from credentials where business_id = $1"), [id]);
      await releaseNames(transaction, id, "email", [email]);
    });

  it("are queried in their cell, with one question to the directory", async () => {
    const [one, two] = [await found("c1"), await found("c2")];
    const fresh = open();
    process = fresh;
    expect([await schemaOf(one), await schemaOf(two), await schemaOf(two)]).to.deep.equal(["public", "c2", "c2"]);
    const before = fresh.asked();
    expect([await schemaOf(one), await schemaOf(two)]).to.deep.equal(["public", "c2"]);
    expect(fresh.asked()).to.equal(before);
  });

  it("are grouped by cell, and apart while their cell is not known, even if they are named twice", async () => {
    const [one, other] = [await found("c2"), await found("c2")];
    const groups = () => process.cells.groupsOf([one, other, one]).map(({ businessIds }) => businessIds);
    expect(groups()).to.deep.equal([[one, other, one]]);
    process = open();
    expect(groups()).to.deep.equal([[one, one], [other]]);
  });

  it("are found by their keys in any cell, and an unknown key is queried in a cell too", async () => {
    for (const cell of ["c1", "c2"] as const) {
      const key = Buffer.alloc(32, cell);
      const id = await found(cell, key);
      const text = "select business_id as id, current_schema()::text as schema from app_keys where digest = $1";
      const look = () => process.cells.ofName("key", key.toString("hex")).rows(statement(text), [key]);
      const schema = cell === "c1" ? "public" : "c2";
      expect(await look()).to.deep.equal([{ id, schema }]);
      const before = process.asked();
      expect(await look()).to.deep.equal([{ id, schema }]);
      expect(process.asked()).to.equal(before);
    }
    const unknown = process.cells.ofName("key", "00".repeat(32));
    expect(await unknown.rows(statement("select 1 as asked"), [])).to.deep.equal([{ asked: 1 }]);
  });

  it("have e-mails that are unique over all cells until they are given up", async () => {
    for (const [cell, other] of [
      ["c1", "c2"],
      ["c2", "c1"],
    ] as const) {
      const [one, two] = [await found(cell), await found(other)];
      const email = `Ana@${cell}.test`;
      expect(await takeEmail(one, email)).to.deep.equal([]);
      expect(await takeEmail(two, email.toLowerCase())).to.deep.equal([email.toLowerCase()]);
      await leaveEmail(one, email);
      expect(await takeEmail(two, email)).to.deep.equal([]);
      expect(await process.directory.names.businessOf("email", email)).to.equal(two);
    }
  });

  it("cannot get an e-mail that another one has from the time of a single cell", async () => {
    const [one, two] = [await found("c1"), await found("c2")];
    await first.rows(statement("insert into credentials (email, business_id, user_id) values ($1, $2, $2)"), [
      "old@c1.test",
      one,
    ]);
    expect(await takeEmail(two, "old@c1.test")).to.deep.equal(["old@c1.test"]);
    expect(await process.directory.names.businessOf("email", "OLD@c1.test")).to.equal(one);
  });

  it("lose claims of names that were not stored, at once or in the next sweep, and keep the others", async () => {
    const [one, two] = [await found("c1"), await found("c2")];
    const failed = process.cells.of(two).transaction(async (transaction) => {
      await claimNames(transaction, two, "email", ["eva@c2.test"]);
      throw new Error("no");
    });
    expect(String(await refusalOf(failed))).to.equal("Error: no");
    expect(await takeEmail(one, "eva@c2.test")).to.deep.equal([]);

    // This is the state after a process was killed between claiming a name and storing it.
    expect(await claimNames(process.cells.of(two), two, "email", ["left@c2.test"])).to.deep.equal([]);
    await process.directory.names.sweep((id) => process.cells.of(id), undefined, -1);
    expect(await process.directory.names.businessOf("email", "left@c2.test")).to.equal(undefined);
    expect(await process.directory.names.businessOf("email", "eva@c2.test")).to.equal(one);
  });

  it("lose a name that they gave up if the process died before the directory forgot it", async () => {
    const [one, two] = [await found("c1"), await found("c2")];
    await takeEmail(two, "given@c2.test");
    await first.rows(
      statement("update directory_names set claimed_at = now() - interval '1 hour', is_checked = true where name = $1"),
      ["given@c2.test"],
    );
    const { names } = process.directory;
    const remove = names.remove.bind(names);
    const sweep = (seconds?: number) => names.sweep((id) => process.cells.of(id), undefined, seconds);
    await process.cells.of(two).transaction(async (transaction) => {
      await transaction.rows(statement("delete from credentials where business_id = $1"), [two]);
      await releaseNames(transaction, two, "email", ["given@c2.test"]);
      // The deletion is not committed yet. If the sweep checked the name now, it would find the row and keep the name
      // for good. Therefore the sweep must skip the name.
      await sweep();
      names.remove = () => Promise.reject(new Error("killed"));
    });
    names.remove = remove;
    expect(await takeEmail(one, "given@c2.test")).to.deep.equal(["given@c2.test"]);
    await sweep(-1);
    expect(await takeEmail(one, "given@c2.test")).to.deep.equal([]);
  });

  it("lose claims of names that were not stored, even if many older ones cannot be checked", async () => {
    const [one, two] = [await found("c1"), await found("c2")];
    const many = Array.from({ length: 450 }, (_, n) => `many${n}@c2.test`);
    await claimNames(process.cells.of(two), two, "email", many);
    await claimNames(process.cells.of(one), one, "email", ["last@c1.test"]);
    await goesAway("c2");
    await process.directory.names.sweep((id) => process.cells.of(id), undefined, -1);
    expect(await process.directory.names.businessOf("email", "last@c1.test")).to.equal(undefined);
    expect(await process.directory.names.businessOf("email", "many449@c2.test")).to.equal(two);
  });

  it("keep a claim that was repeated while the first one was being undone", async () => {
    const two = await found("c2");
    const claim = () => process.cells.of(two).names?.claim(two, "email", ["again@c2.test"]);
    const failing = process.cells.of(two).transaction(async (transaction) => {
      await claimNames(transaction, two, "email", ["again@c2.test"]);
      await claim();
      throw new Error("no");
    });
    await refusalOf(failing);
    expect(await process.directory.names.businessOf("email", "again@c2.test")).to.equal(two);
  });

  it("are created in the cell with the fewest bytes", async () => {
    await first.rows(
      statement("create table public.ballast as select repeat(md5(n::text), 100) from generate_series(1, 9000) as n"),
      [],
    );
    await process.cells.assign(9_001);
    expect(await schemaOf(9_001)).to.equal("c2");
    await first.rows(statement("drop table public.ballast"), []);
    await second.rows(
      statement("create table ballast as select repeat(md5(n::text), 100) from generate_series(1, 9000) as n"),
      [],
    );
    await process.cells.assign(9_002);
    expect(await schemaOf(9_002)).to.equal("public");
    await second.rows(statement("drop table ballast"), []);
  });

  it("are queried in the other cell after they were moved", async () => {
    const id = await found("c1");
    await process.directory.locations.start();
    const moved: number[] = [];
    process.directory.locations.onMove((businessId) => moved.push(businessId));
    expect(await schemaOf(id)).to.equal("public");
    await first.rows(statement("insert into directory_businesses (business_id, cell) values ($1, 'c2')"), [id]);
    await eventually(() => moved.length > 0);
    expect(moved).to.deep.equal([id]);
    expect(await schemaOf(id)).to.equal("c2");
  });

  it("do not count as moved when they are created in the second cell", async () => {
    const moved: number[] = [];
    process.directory.locations.onMove((businessId) => moved.push(businessId));
    await process.directory.locations.start();
    const known = process.directory.locations;
    process = open();
    const id = await found("c2");
    await eventually(() => known.cached(id)?.cell === "c2");
    known.stop();
    expect(moved).to.deep.equal([]);
  });

  describe("while one cell is away", () => {
    it("are served in the other cell, and refused at once in the missing one", async () => {
      const [one, two] = [await found("c1"), await found("c2")];
      await goesAway("c2");
      expect(await schemaOf(one)).to.equal("public");
      expect(await refusalOf(schemaOf(two))).to.be.instanceOf(DatabaseUnavailable);
      isAway.c2 = false;
      await process.health.c2?.ping();
      expect(await schemaOf(two)).to.equal("c2");
    });

    it("are served without the directory if this process knows them and their keys", async () => {
      const key = Buffer.alloc(32, "known");
      const two = await found("c2", key);
      const look = () => process.cells.ofName("key", key.toString("hex")).rows(here, []);
      await look();
      const stranger = await found("c2");
      process.directory.locations.stop();
      const { directory } = open();
      await goesAway("c1");
      expect(await schemaOf(two)).to.equal("c2");
      expect(await look()).to.deep.equal([{ schema: "c2" }]);
      expect(await refusalOf(directory.locations.find(stranger))).to.be.instanceOf(DatabaseUnavailable);
    });

    it("are swept without it, and hanging work there delays nothing", async () => {
      expect(await everywhere(process.cells, (cell) => cell.rows(here, []))).to.have.length(2);
      const swept = everywhere(process.cells, async (cell) => {
        const rows = await cell.rows<{ schema: string }>(here, []);
        return rows[0]?.schema === "c2" ? new Promise<never>(() => {}) : rows;
      });
      await goesAway("c2");
      expect(await swept).to.deep.equal([{ schema: "public" }]);
    });
  });

  it("fail together at an error that is not an outage of a cell", async () => {
    const failed = everywhere(process.cells, (cell) => cell.rows(statement("select 1 / (random() * 0)::integer"), []));
    expect(String(await refusalOf(failed))).to.contain("division by zero");
  });
});
