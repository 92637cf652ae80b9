import { setTimeout as sleep } from "node:timers/promises";
import { MoveHere } from "./here.ts";
import { BusinessMove, type MoveBounds, type Told, usualBounds } from "./move-business.ts";
import { type MoveRow, Moves } from "./moves.ts";
import { deleteRows } from "./rows.ts";
import { type Place, Side } from "./side.ts";
import { tenantTables } from "./tenant-tables.ts";
import { unwatch } from "./watch.ts";

export { type MoveBounds, type Place, type Told, usualBounds };

const lockMs = 10_000;
const lockPauseMs = 200;

/** Seconds for which the old rows of a business that moved are kept. */
const keptSeconds = 24 * 3_600;

/** Moves businesses between cells, and removes what moves leave behind. */
export class Mover {
  /** @param cells - the first one has the directory */
  constructor(
    private readonly cells: readonly [Place, ...Place[]],
    private readonly bounds: MoveBounds = usualBounds,
  ) {}

  /**
   * Begins a move, or goes on with one that a process left unfinished.
   *
   * @param tell - hears how far it is
   */
  async move(businessId: number, to: string, tell: (told: Told) => void): Promise<void> {
    await this.alone(businessId, async (moves, directory) => {
      for (const left of await moves.unsettled()) {
        if (left.businessId === businessId && left.step === "moved") await this.settle(moves, directory, left);
      }
      const from = (await moves.cellOf(businessId)) ?? this.cells[0].cell;
      let row = await moves.underWay(businessId);
      if (row && row.to !== to) {
        throw new Error(`business ${businessId} is on its way to ${row.to}: finish that, or undo it with UNDO=1`);
      }
      if (!row && from === to) throw new Error(`business ${businessId} lives in ${to} already`);
      tell({ what: "begun", isResumed: row !== undefined, step: row?.step ?? "beginning" });
      await this.between(row ?? { from, to }, async (source, target) => {
        if (!row) {
          const [found] = await source.rows("select 1 from businesses where id = $1", [businessId]);
          if (!found) throw new Error(`there is no business ${businessId}`);
          row = await moves.begin(businessId, from, to);
        }
        const move = { ...row, fence: await moves.takeOver(row.id) };
        await new BusinessMove(moves, directory, source, target, move, this.bounds, tell).run();
      });
    });
  }

  /** Undoes a move that has not switched. */
  async undo(businessId: number, tell: (told: Told) => void): Promise<void> {
    await this.alone(businessId, async (moves, directory) => {
      const row = await moves.underWay(businessId);
      if (!row) throw new Error(`business ${businessId} is not on its way anywhere`);
      tell({ what: "begun", isResumed: true, step: row.step });
      const move = { ...row, fence: await moves.takeOver(row.id) };
      await this.between(row, (source, target) =>
        new BusinessMove(moves, directory, source, target, move, this.bounds, tell).undo(),
      );
    });
  }

  /** Says what processes that were killed left unsaid of businesses that had left their cells. */
  async settleAll(): Promise<void> {
    await this.eachIdle(
      (moves) => moves.unsettled(),
      (moves, directory, move) => this.settle(moves, directory, move),
    );
  }

  /** Removes the old rows of businesses that moved a day ago; how many rows. */
  async tidy(seconds = keptSeconds): Promise<number> {
    let rows = 0;
    await this.eachIdle(
      (moves) => moves.leftOvers(seconds),
      async (moves, _, move) => {
        rows += await this.tidyOne(moves, { ...move, fence: await moves.takeOver(move.id) });
      },
    );
    return rows;
  }

  /** Those on which another process works are left to it. */
  private async eachIdle(
    find: (moves: Moves) => Promise<MoveRow[]>,
    work: (moves: Moves, directory: Side, move: MoveRow) => Promise<void>,
  ): Promise<void> {
    await this.withDirectory(async (directory) => {
      const moves = new Moves(directory);
      for (const { id, businessId } of await find(moves)) {
        if (!(await moves.lock(businessId))) continue;
        try {
          const move = (await find(moves)).find((one) => one.id === id);
          if (move) await work(moves, directory, move);
        } finally {
          await moves.unlock(businessId);
        }
      }
    });
  }

  private settle(moves: Moves, directory: Side, move: MoveRow): Promise<void> {
    return this.between(move, (source, target) =>
      new BusinessMove(moves, directory, source, target, move, this.bounds, () => {}).settle(),
    );
  }

  private async tidyOne(moves: Moves, move: MoveRow): Promise<number> {
    // A business never lives where its old rows are.
    if ((await moves.cellOf(move.businessId)) === move.from) throw new Error(`business ${move.businessId} lives here`);
    const side = await Side.open(this.placeOf(move.from));
    try {
      const here = new MoveHere(side, move);
      await here.takePart();
      const rows = await deleteRows(side, await tenantTables(side), move.businessId, here.guard);
      await unwatch(side, move.businessId);
      await here.forget();
      await here.workOn();
      await moves.proceed(move, "tidied");
      return rows;
    } finally {
      await side.close();
    }
  }

  private async alone(businessId: number, work: (moves: Moves, directory: Side) => Promise<void>): Promise<void> {
    await this.withDirectory(async (directory) => {
      const moves = new Moves(directory);
      // A process that was just killed may still have it, and the tick for a moment.
      for (let waited = 0; !(await moves.lock(businessId)); waited += lockPauseMs) {
        if (waited >= lockMs) throw new Error(`another process is moving business ${businessId}`);
        await sleep(lockPauseMs);
      }
      await work(moves, directory);
    });
  }

  private async withDirectory<Result>(work: (directory: Side) => Promise<Result>): Promise<Result> {
    const directory = await Side.open(this.cells[0]);
    try {
      return await work(directory);
    } finally {
      await directory.close();
    }
  }

  private async between(
    { from, to }: Pick<MoveRow, "from" | "to">,
    work: (source: Side, target: Side) => Promise<void>,
  ): Promise<void> {
    const places = [this.placeOf(from), this.placeOf(to)] as const;
    const source = await Side.open(places[0]);
    try {
      const target = await Side.open(places[1]);
      try {
        for (const side of [source, target]) await checkRights(side);
        await work(source, target);
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  }

  private placeOf(name: string): Place {
    const found = this.cells.find(({ cell }) => cell === name);
    if (!found) throw new Error(`the settings name no cell ${name}`);
    return found;
  }
}

async function checkRights(side: Side): Promise<void> {
  try {
    await side.transaction("quiet", async () => {});
  } catch (error) {
    throw new Error(
      `the role of cell ${side.cell} may not set session_replication_role, which a move needs: a superuser can ` +
        "`grant set on parameter session_replication_role` to it, from PostgreSQL 15 on",
      { cause: error },
    );
  }
}
