import { expect } from "chai";
import type { Queries, Cell as QueryingCell } from "../../src/infra/postgres/database.ts";
import { Directory } from "../../src/infra/postgres/directory/directory.ts";
import { usualBounds } from "../../src/infra/postgres/moving/move-bounds.ts";
import type { MoveProgress } from "../../src/infra/postgres/moving/move-business.ts";
import { Mover } from "../../src/infra/postgres/moving/mover.ts";
import { Moves } from "../../src/infra/postgres/moving/moves.ts";
import { withSide } from "../../src/infra/postgres/moving/side.ts";
import { Random } from "../../src/sandbox/core/random.ts";
import { silentProxy } from "../postgres/silent-proxy.ts";
import { eventually } from "../support/wait.ts";
import { fill } from "./businesses.ts";
import { emptyStaying, tablesWithoutBusiness } from "./catalog.ts";
import { type Cell, openStage, type Stage, silent } from "./stage.ts";
import { Traffic } from "./traffic.ts";

const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "",
    (error: Error) => error.message,
  );

/** Statements that wait for a lock. */
const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

const count = (rows: Record<string, string[]>): number => Object.values(rows).flat().length;

/** Thrown after a number of progress reports: ends a move and its connections, as if the process had died. */
class Killed extends Error {}
const killing = (after: number) => {
  let heard = 0;
  return (_: MoveProgress): void => {
    heard += 1;
    if (heard > after) throw new Killed();
  };
};

/** Runs a move to its end with random kills. Returns the number of kills. */
async function moveWithKills(stage: Stage, random: Random, mostNews: number, kills: number): Promise<number> {
  for (let killed = 0; ; killed += 1) {
    try {
      await stage.mover.move(1, "c2", killed < kills ? killing(random.between(0, mostNews)) : silent);
      return killed;
    } catch (error) {
      if (!(error instanceof Killed)) {
        if ((await stage.cellOf(1)) === "c2") return killed;
        throw error;
      }
    }
  }
}

describe("a business that moves to another cell", () => {
  let stage: Stage;

  beforeEach(async () => {
    stage = await openStage();
    await fill(stage, [1, 2], 60);
  });

  afterEach(() => stage.close());

  it("has the same rows in both cells, including those written during the move", async () => {
    const before = count(await stage.all("c1", 2));
    const traffic = new Traffic(stage, 1, 1, "c2").start();
    await stage.mover.move(1, "c2", silent);
    await traffic.stop();
    const [here, there] = [await stage.all("c1", 1), await stage.all("c2", 1)];
    expect(there).to.deep.equal(here);
    expect(count(there)).to.be.above(300);
    expect(traffic.marks.length).to.be.above(5);
    expect(count(await stage.all("c2", 2))).to.equal(0);
    expect(count(await stage.all("c1", 2))).to.equal(before);
  });

  for (const seed of [1, 2]) {
    it(`loses and duplicates nothing if its move is killed several times (seed ${seed})`, async () => {
      const random = new Random(seed);
      const traffic = new Traffic(stage, 1, seed).start();
      const kills = await moveWithKills(stage, random, 30, 8);
      await traffic.stop();
      expect(kills).to.be.above(2);
      const rows = await stage.rows<{ mark: string }>(
        "c2",
        "select payload->>'mark' as mark from realtime_events where business_id = 1 and name = 'test' order by number",
      );
      expect(rows.map(({ mark }) => mark).sort()).to.deep.equal([...traffic.marks].sort());
      const gaps = await stage.rows(
        "c2",
        `select number from realtime_events where business_id = 1 and number > 11 and not exists (
           select from realtime_events as before where before.business_id = 1 and before.number = realtime_events.number - 1)`,
      );
      expect(gaps).to.deep.equal([]);
      expect(traffic.longestMs).to.be.below(5_000);
    });
  }

  /** Ends a move after the business has left its cell, but before the directory records the new cell. */
  const moveWithoutRecord = async (): Promise<void> => {
    await stage.rows(
      "c1",
      "create function fail() returns trigger language plpgsql as $$ begin raise 'cut off'; end $$",
    );
    await stage.rows(
      "c1",
      `create trigger cut_off before update on business_moves for each row when (new.step = 'moved') execute function fail()`,
    );
    expect(await failure(stage.mover.move(1, "c2", silent))).to.contain("cut off");
    await stage.rows("c1", "drop trigger cut_off on business_moves");
  };

  it("completes its move if the process died before the directory recorded the new cell", async () => {
    await moveWithoutRecord();
    expect(await stage.cellOf(1)).to.equal("c1");
    const write = "update contacts set name = 'late' where business_id = 1";
    expect(await failure(stage.rows("c1", write))).to.contain("held for a move");
    expect(await failure(stage.mover.undo(1, silent))).to.contain("has moved to c2 already");
    expect(await stage.cellOf(1)).to.equal("c2");
    expect(await stage.all("c2", 1)).to.deep.equal(await stage.all("c1", 1));
  });

  it("gets its new cell recorded even if another move cannot be completed", async () => {
    await stage.rows(
      "c1",
      `insert into business_moves (business_id, from_cell, to_cell, step) values (2, 'c1', 'c9', 'switching')`,
    );
    await moveWithoutRecord();
    expect(await failure(stage.mover.settleAll())).to.contain("business 2: the settings have no cell c9");
    expect(await stage.cellOf(1)).to.equal("c2");
  });

  it("gets its new cell recorded by a process whose role may not copy rows", async () => {
    await moveWithoutRecord();
    const role = `recorder_${process.pid}`;
    const cells = ["c1", "c2"] as const;
    await stage.rows("c1", `create role ${role} login password '${role}'`);
    try {
      for (const cell of cells) {
        for (const kind of ["tables", "sequences"]) {
          await stage.rows(cell, `grant all on all ${kind} in schema public to ${role}`);
        }
      }
      const [c1, c2] = cells.map((cell) => {
        const url = new URL(stage.places[cell]);
        [url.username, url.password] = [role, role];
        return { cell, url: url.href, schema: "" };
      });
      if (!c1 || !c2) throw new Error("two cells are missing");
      await new Mover([c1, c2]).settleAll();
    } finally {
      for (const cell of cells) await stage.rows(cell, `drop owned by ${role}`);
      await stage.rows("c1", `drop role ${role}`);
    }
    expect(await stage.cellOf(1)).to.equal("c2");
  });

  it("keeps its rows in the new cell if it leaves the old one while its move is being undone", async () => {
    const dying = (progress: MoveProgress): void => {
      if (progress.what === "holding") throw new Killed();
    };
    expect(await failure(stage.mover.move(1, "c2", dying))).to.equal("");
    await stage.rows("c1", "update business_moves set step = 'switching'");
    const last = await stage.connect("c1");
    await last.query("begin");
    await last.query("update moving_businesses set held_until = 'infinity'");
    const undoing = failure(stage.mover.undo(1, silent));
    await eventually(async () => (await stage.rows("c1", waiting)).length > 0);
    await last.query("commit");
    last.release();
    expect(await undoing).to.contain("has moved to c2 already");
    expect(await stage.cellOf(1)).to.equal("c2");
    expect(await stage.all("c2", 1)).to.deep.equal(await stage.all("c1", 1));
  });

  it("cannot be undone once its move is recorded as completed", async () => {
    await withSide({ cell: "c1", url: stage.places.c1, schema: "" }, async (directory) => {
      const moves = new Moves(directory);
      const move = await moves.begin(1, "c1", "c2");
      await stage.rows("c1", "update business_moves set step = 'moved'");
      expect(await failure(moves.proceed(move, "undoing"))).to.contain("taken this move over");
    });
  });

  it("gets its new cell recorded by the tick if the process died before", async () => {
    await moveWithoutRecord();
    await stage.mover.settleAll();
    expect(await stage.cellOf(1)).to.equal("c2");
    expect(await stage.rows("c2", "select from away_businesses")).to.deep.equal([]);
  });

  it("stays in its cell if its copy differs", async () => {
    await stage.rows(
      "c2",
      `create function spoil() returns trigger language plpgsql as $$ begin new.name := 'spoilt'; return new; end $$`,
    );
    await stage.rows("c2", "create trigger spoil before insert on contacts for each row execute function spoil()");
    await stage.rows("c2", "alter table contacts enable always trigger spoil");
    expect(await failure(stage.mover.move(1, "c2", silent))).to.contain("the copy differs: contacts");
    expect(await stage.cellOf(1)).to.equal("c1");
    await stage.rows("c1", "update contacts set name = 'still written' where business_id = 1");
  });

  it("accepts writes in its old cell again after a hold whose process died", async () => {
    const slow = stage.reopened({ holdMs: 700 });
    const cutOff = (progress: MoveProgress): void => {
      if (progress.what === "holding") throw new Killed();
    };
    const traffic = new Traffic(stage, 1, 5).start();
    expect(await failure(slow.move(1, "c2", cutOff))).to.equal("");
    await traffic.stop();
    expect(traffic.longestMs).to.be.below(3_000);
  });

  it("leaves no traces in the other cell if the move is undone before the switch", async () => {
    const before = await stage.all("c1", 1);
    expect(await failure(stage.mover.move(1, "c2", killing(40)))).to.equal("");
    await stage.mover.undo(1, silent);
    expect(await stage.all("c1", 1)).to.deep.equal(before);
    expect(count(await stage.all("c2", 1))).to.equal(0);
    await stage.rows("c1", "update contacts set name = 'written' where business_id = 1");
    for (const cell of ["c1", "c2"] as const) expect(await emptyStaying(stage, cell)).to.deep.equal([]);
    expect(await failure(stage.mover.undo(1, silent))).to.contain("not on its way");
  });

  it("can move back while its old rows still exist", async () => {
    await stage.mover.move(1, "c2", silent);
    await stage.rows("c2", "update contacts set name = 'over there' where business_id = 1");
    const there = await stage.all("c2", 1);
    await stage.mover.move(1, "c1", silent);
    expect(await stage.cellOf(1)).to.equal("c1");
    expect(await stage.all("c1", 1)).to.deep.equal(there);
    await stage.rows("c1", "update contacts set name = 'back' where business_id = 1");
  });

  it("leaves read-only rows in its old cell for a day", async () => {
    await stage.mover.move(1, "c2", silent);
    const write = "update contacts set name = 'late' where business_id = 1";
    expect(await failure(stage.rows("c1", write))).to.contain("held for a move");
    expect(await stage.mover.tidy()).to.equal(0);
    await stage.rows("c1", "update business_moves set moved_at = now() - interval '25 hours'");
    expect(await stage.mover.tidy()).to.be.above(300);
    expect(count(await stage.all("c1", 1))).to.equal(0);
    expect(count(await stage.all("c1", 2))).to.be.above(100);
    for (const cell of ["c1", "c2"] as const) expect(await emptyStaying(stage, cell)).to.deep.equal([]);
  });

  it("keeps its rows if both cells are one place, whatever the move is about to do", async () => {
    const { c1 } = stage.places;
    const others = [
      { cell: "c2", url: `${c1}?application_name=another_spelling`, schema: "" },
      { cell: "c2", url: c1.replace("127.0.0.1", "localhost"), schema: "public" },
    ];
    const before = await stage.all("c1", 1);
    for (const other of others) {
      const mover = new Mover([{ cell: "c1", url: c1, schema: "" }, other]);
      const said = "c1 and c2 are one place: both lead to the schema public of the same database";
      expect(await failure(mover.move(1, "c2", silent))).to.contain(said);
      await stage.rows(
        "c1",
        "insert into business_moves (business_id, from_cell, to_cell, step) values (1, 'c1', 'c2', 'copying')",
      );
      expect(await failure(mover.undo(1, silent))).to.contain(said);
      await stage.rows("c1", "update business_moves set step = 'moved', moved_at = now() - interval '25 hours'");
      await stage.rows("c1", "insert into directory_businesses (business_id, cell) values (1, 'c2')");
      expect(await failure(mover.tidy())).to.contain(said);
      await stage.rows("c1", "delete from business_moves");
      await stage.rows("c1", "delete from directory_businesses");
    }
    expect(await stage.all("c1", 1)).to.deep.equal(before);
  });

  it("leaves its old cell after a day even if another business's old rows cannot be removed", async () => {
    await stage.rows(
      "c1",
      `insert into business_moves (business_id, from_cell, to_cell, step, moved_at)
       values (2, 'c9', 'c2', 'moved', now() - interval '25 hours')`,
    );
    await stage.mover.move(1, "c2", silent);
    await stage.rows("c1", "update business_moves set moved_at = now() - interval '25 hours'");
    expect(await failure(stage.mover.tidy())).to.contain("business 2: the settings have no cell c9");
    expect(count(await stage.all("c1", 1))).to.equal(0);
    expect(
      await stage.rows("c1", "select business_id::int as id from business_moves where step = 'moved'"),
    ).to.deep.equal([{ id: 2 }]);
  });

  it("keeps its old rows while webhooks wait there for the new cell, and while it is moving again", async () => {
    await stage.mover.move(1, "c2", silent);
    await stage.rows(
      "c1",
      "insert into incoming_webhooks (payload, provider, owner_business_id) values ('{}', 'qr', 1)",
    );
    expect(await stage.mover.tidy(0)).to.equal(0);
    await stage.rows("c1", "delete from incoming_webhooks");
    await stage.rows(
      "c1",
      "insert into business_moves (business_id, from_cell, to_cell, step) values (1, 'c2', 'c1', 'beginning')",
    );
    expect(await stage.mover.tidy(0)).to.equal(0);
    await stage.rows("c1", "delete from business_moves where step = 'beginning'");
    expect(await stage.mover.tidy(0)).to.be.above(300);
  });

  it("gives up e-mails and senders in its old cell, too, where others can then use them", async () => {
    await stage.mover.move(1, "c2", silent);
    for (const name of ["admin@b1.test", "platform-apicloud number-1"]) {
      await stage.rows("c1", "delete from directory_names where name = $1", [name]);
    }
    const take = () => stage.rows("c1", "update credentials set email = 'admin@b1.test' where email = 'admin@b2.test'");
    expect(await failure(take())).to.contain("duplicate key");
    const others = await stage.rows("c1", "select email from credentials where business_id = 1");
    await stage.mover.freeNames();
    expect(await failure(take())).to.equal("");
    await stage.rows("c1", "update senders set platform_id = 'number-1' where platform_id = 'number-2'");
    expect(await stage.rows("c1", "select from credentials where business_id = 1")).to.have.length(others.length - 1);
  });

  it("can move to a cell that another business left with a name that it has given up since", async () => {
    await stage.mover.move(1, "c2", silent);
    await stage.mover.move(2, "c2", silent);
    await stage.rows("c1", "delete from directory_names where name = 'admin@b1.test'");
    await stage.rows("c2", "delete from credentials where email = 'admin@b1.test'");
    await stage.rows("c2", "update credentials set email = 'admin@b1.test' where email = 'admin@b2.test'");
    await stage.mover.move(2, "c1", silent);
    expect(await stage.cellOf(2)).to.equal("c1");
  });

  it("stays in its cell, and the command says why, if its rows change faster than they are copied", async () => {
    // The trigger below prevents the deletion of these recorded changes, so they never become fewer.
    await stage.rows(
      "c1",
      `insert into moved_keys (business_id, table_name, key)
       select 1, 'contacts', array[n::text] from generate_series(1, 1001) as n`,
    );
    await stage.rows("c1", "create function keep() returns trigger language plpgsql as $$ begin return null; end $$");
    await stage.rows("c1", "create trigger keep before delete on moved_keys for each row execute function keep()");
    const said = await failure(stage.reopened({ catchUpRounds: 3 }).move(1, "c2", silent));
    expect(said).to.contain("after 3 rounds of copying its changes, 1001 more rows had changed");
    expect(await stage.cellOf(1)).to.equal("c1");
    await stage.rows("c1", "drop trigger keep on moved_keys");
    await stage.mover.move(1, "c2", silent);
    expect(await stage.cellOf(1)).to.equal("c2");
  });

  it("stays in its cell, and the command says why, if a database falls silent or takes too long", async () => {
    const bounds = { ...usualBounds, statementMs: 2_000 };
    const proxy = await silentProxy(stage.places.c2);
    try {
      const places = [
        { cell: "c1", url: stage.places.c1, schema: "" },
        { cell: "c2", url: proxy.url, schema: "" },
      ] as const;
      const said = await failure(new Mover([...places], bounds).move(1, "c2", () => proxy.fallSilent()));
      expect(said).to.contain("the database of cell c2 did not complete a statement of the move within 2 s");
    } finally {
      proxy.close();
    }
    const lock = await stage.connect("c2");
    await lock.query("begin; lock table copied_parts");
    try {
      const said = await failure(stage.reopened({ statementMs: 500 }).move(1, "c2", silent));
      expect(said).to.contain("the database of cell c2 did not complete a statement of the move within 0.5 s");
      expect(await stage.rows("c2", waiting)).to.deep.equal([]);
    } finally {
      await lock.query("rollback");
      lock.release();
    }
    await stage.mover.move(1, "c2", silent);
    expect(await stage.cellOf(1)).to.equal("c2");
  });

  it("never gets an id that it already had", async () => {
    await stage.rows("c1", "select setval('orders_id_seq', 500)");
    await stage.mover.move(1, "c2", silent);
    const [next] = await stage.rows<{ id: string }>("c2", "select nextval('orders_id_seq') as id");
    expect(Number(next?.id)).to.be.above(500);
    const [user] = await stage.rows<{ id: string }>("c2", "select nextval('users_id_seq') as id");
    expect(Number(user?.id)).to.equal(1);
  });

  it("is found in the directory by its e-mails and senders", async () => {
    await stage.mover.move(1, "c2", silent);
    const names = await stage.rows<{ kind: string; name: string }>(
      "c1",
      "select kind, name from directory_names where business_id = 1 order by kind, name",
    );
    expect(names).to.deep.include.members([
      { kind: "email", name: "admin@b1.test" },
      { kind: "sender", name: "platform-apicloud number-1" },
    ]);
  });

  it("stays in its cell, and the command says why, if the target refuses a row", async () => {
    // The connections cannot buffer all these rows, so the target refuses one while others are still being sent.
    await stage.rows("c1", "update contacts set name = repeat(md5(id::text), 10000) where business_id = 1");
    await stage.rows("c2", "create function spoil() returns trigger language plpgsql as $$ begin raise 'full'; end $$");
    await stage.rows("c2", "create trigger spoil before insert on contacts for each row execute function spoil()");
    await stage.rows("c2", "alter table contacts enable always trigger spoil");
    expect(await failure(stage.mover.move(1, "c2", silent))).to.contain("full");
    expect(await stage.cellOf(1)).to.equal("c1");
  });

  it("stays in its cell if a table gets a column during the move", async () => {
    let adding: Promise<unknown> | undefined;
    const migrating = (progress: MoveProgress): void => {
      if (progress.what !== "compared") return;
      adding = Promise.all(
        (["c1", "c2"] as const).map((cell) => stage.rows(cell, "alter table contacts add column hat text")),
      );
    };
    const later = stage.reopened({ noticeMs: 3_000 });
    expect(await failure(later.move(1, "c2", migrating))).to.contain("the tables have changed");
    await adding;
    expect(await stage.cellOf(1)).to.equal("c1");
    await stage.rows("c1", "update contacts set hat = 'blue' where business_id = 1");
  });

  it("takes along what is written to a table that was added before its move was resumed", async () => {
    const cutOff = (progress: MoveProgress): void => {
      if (progress.what === "compared") throw new Killed();
    };
    expect(await failure(stage.mover.move(1, "c2", cutOff))).to.equal("");
    for (const cell of ["c1", "c2"] as const) {
      await stage.rows(
        cell,
        "create table hats (business_id bigint, id bigint, color text, primary key (business_id, id))",
      );
    }
    expect(await failure(stage.mover.move(1, "c2", cutOff))).to.equal("");
    await stage.rows("c1", "insert into hats values (1, 1, 'blue')");
    await stage.mover.move(1, "c2", silent);
    expect(await stage.rows("c2", "select color from hats where business_id = 1")).to.deep.equal([{ color: "blue" }]);
  });

  it("takes no name from a business that has claimed it meanwhile", async () => {
    await stage.rows(
      "c1",
      `insert into directory_names (kind, name, business_id, is_checked) values ('email', 'admin@b1.test', 2, true)`,
    );
    await stage.mover.move(1, "c2", silent);
    const owner = "select business_id::int as id from directory_names where name = 'admin@b1.test'";
    expect(await stage.rows("c1", owner)).to.deep.equal([{ id: 2 }]);
  });

  it("leaves no names in the directory for good that it gave up during the move", async () => {
    await stage.mover.move(1, "c2", silent);
    // The result is the same as if the business had given up the address after the move had read it.
    await stage.rows("c2", "delete from credentials where business_id = 1 and email = 'admin@b1.test'");
    const queriesOf = (cell: Cell): Queries => ({ rows: ({ text }, values) => stage.rows(cell, text, values) });
    const table: QueryingCell = { ...queriesOf("c1"), transaction: () => Promise.reject(new Error("unused")) };
    const { locations, names } = new Directory(table, { first: "c1" }, (error) => expect.fail(String(error)));
    await names.sweep(() => queriesOf("c2"), undefined, -1);
    locations.stop();
    const left = await stage.rows<{ name: string }>(
      "c1",
      "select name from directory_names where business_id = 1 and kind in ('email', 'sender') order by name",
    );
    expect(left.map(({ name }) => name))
      .to.include("platform-apicloud number-1")
      .and.not.include("admin@b1.test");
  });
});

describe("the tables without a business_id", () => {
  it("are only those that belong to the installation", async () => {
    const stage = await openStage();
    try {
      expect(await tablesWithoutBusiness(stage)).to.deep.equal([
        "directory_cells",
        "incoming_webhooks",
        "migrations",
        "migrations_lock",
      ]);
    } finally {
      await stage.close();
    }
  });
});
