import { setTimeout as sleep } from "node:timers/promises";
import { requireTwoPlaces } from "../one-place.ts";
import { CellSide } from "./cell-side.ts";
import { type MoveBounds, usualBounds } from "./move-bounds.ts";
import { BusinessMove, type MoveProgress } from "./move-business.ts";
import { type MoveRow, Moves } from "./moves.ts";
import { deleteRows } from "./rows.ts";
import { freeNames, givenUpNames } from "./sent-names.ts";
import { type Place, type Side, withSide } from "./side.ts";
import { tenantTables } from "./tenant-tables.ts";
import { unwatch } from "./watch.ts";

const lockMs = 10_000;
const lockPauseMs = 200;

/** Seconds for which the old rows of a moved business are kept. */
const keptSeconds = 24 * 3_600;

/** Moves businesses between cells, and removes their old rows later. */
export class Mover {
  /** @param cells - the first cell has the directory */
  constructor(
    private readonly cells: readonly [Place, ...Place[]],
    private readonly bounds: MoveBounds = usualBounds,
  ) {}

  /** Begins a move, or continues one that a process left unfinished. */
  async move(businessId: number, to: string, report: (progress: MoveProgress) => void): Promise<void> {
    await this.withLock(businessId, async (moves, directory) => {
      for (const left of await moves.unsettled()) {
        if (left.businessId === businessId && left.step === "moved") await this.settle(moves, directory, left);
      }
      const from = (await moves.cellOf(businessId)) ?? this.cells[0].cell;
      let row = await moves.underWay(businessId);
      if (row && row.to !== to) {
        throw new Error(`business ${businessId} is already moving to ${row.to}: finish that, or undo it with UNDO=1`);
      }
      if (!row && from === to) throw new Error(`business ${businessId} is in ${to} already`);
      report({ what: "begun", isResumed: row !== undefined, step: row?.step ?? "beginning" });
      await this.between(row ?? { from, to }, async (source, target) => {
        await checkRights(source, target);
        await this.freeNames((left) => left.from === to && left.businessId !== businessId);
        if (!row) {
          const [found] = await source.rows("select 1 from businesses where id = $1", [businessId]);
          if (!found) throw new Error(`there is no business ${businessId}`);
          row = await moves.begin(businessId, from, to);
        }
        const move = await moves.takeOver(row.id);
        await new BusinessMove(moves, directory, source, target, move, this.bounds, report).run();
      });
    });
  }

  /** Undoes a move that has not switched. */
  async undo(businessId: number, report: (progress: MoveProgress) => void): Promise<void> {
    await this.withLock(businessId, async (moves, directory) => {
      const row = await moves.underWay(businessId);
      if (!row) throw new Error(`business ${businessId} is not on its way anywhere`);
      report({ what: "begun", isResumed: true, step: row.step });
      const move = await moves.takeOver(row.id);
      await this.between(row, async (source, target) => {
        await checkRights(source, target);
        await new BusinessMove(moves, directory, source, target, move, this.bounds, report).undo();
      });
    });
  }

  /** Completes moves that broke off after the business had left its cell. */
  async settleAll(): Promise<void> {
    await this.eachIdle(
      (moves) => moves.unsettled(),
      (moves, directory, move) => this.settle(moves, directory, move),
    );
  }

  /** Deletes the old rows of businesses that moved more than `seconds` ago. Returns the number of rows. */
  async tidy(seconds = keptSeconds): Promise<number> {
    let rows = 0;
    await this.eachIdle(
      (moves) => moves.leftOvers(seconds),
      async (moves, _, move) => {
        rows += await this.tidyOne(moves, await moves.takeOver(move.id));
      },
    );
    return rows;
  }

  /**
   * Frees e-mails and senders that moved businesses have given up. Otherwise other businesses of the old cell could not
   * use these e-mails and senders until `tidy` deletes the old rows.
   */
  async freeNames(isWanted: (move: MoveRow) => boolean = () => true): Promise<void> {
    await this.eachIdle(
      async (moves) => (await moves.leftOvers(0)).filter(isWanted),
      async (moves, directory, move) => {
        await this.cellAfter(moves, move);
        await this.withSide(this.placeOf(move.from), async (side) => {
          const given = await givenUpNames(side, directory, move.businessId);
          if (given.length === 0) return;
          const here = new CellSide(side, await moves.takeOver(move.id));
          await here.takeOver();
          await freeNames(side, move.businessId, given, here.guard);
        });
      },
    );
  }

  /**
   * Skips moves that another process is working on. If the work fails for one move, the others are still done, and the
   * errors are thrown at the end.
   */
  private async eachIdle(
    find: (moves: Moves) => Promise<MoveRow[]>,
    work: (moves: Moves, directory: Side, move: MoveRow) => Promise<void>,
  ): Promise<void> {
    await this.withSide(this.cells[0], async (directory) => {
      const moves = new Moves(directory);
      const failed: unknown[] = [];
      const texts: string[] = [];
      for (const { id, businessId } of await find(moves)) {
        if (!(await moves.lock(businessId))) continue;
        try {
          const move = (await find(moves)).find((one) => one.id === id);
          if (move) await work(moves, directory, move);
        } catch (error) {
          failed.push(error);
          texts.push(`business ${businessId}: ${error instanceof Error ? error.message : error}`);
        } finally {
          await moves.unlock(businessId);
        }
      }
      if (failed.length > 0) throw new AggregateError(failed, texts.join("; "));
    });
  }

  private settle(moves: Moves, directory: Side, move: MoveRow): Promise<void> {
    return this.between(move, (source, target) =>
      new BusinessMove(moves, directory, source, target, move, this.bounds, () => {}).settle(),
    );
  }

  private async tidyOne(moves: Moves, move: MoveRow): Promise<number> {
    const to = await this.cellAfter(moves, move);
    return this.between({ from: move.from, to }, async (side) => {
      // Waiting webhooks go to the new cell as soon as it answers. If the old rows were deleted before, the webhooks
      // would be processed here without their sender.
      const webhooks = "select 1 from incoming_webhooks where owner_business_id = $1 limit 1";
      if ((await side.rows(webhooks, [move.businessId])).length > 0) return 0;
      const here = new CellSide(side, move);
      await here.takeOver();
      const rows = await deleteRows(side, await tenantTables(side), move.businessId, here.guard);
      await unwatch(side, move.businessId);
      await here.forget();
      await here.resumeSweeps();
      await moves.proceed(move, "tidied");
      return rows;
    });
  }

  private async withLock(businessId: number, work: (moves: Moves, directory: Side) => Promise<void>): Promise<void> {
    await this.withSide(this.cells[0], async (directory) => {
      const moves = new Moves(directory);
      // The connection of a killed process, or a tick that calls `eachIdle`, may keep the lock for a moment.
      for (let waited = 0; !(await moves.lock(businessId)); waited += lockPauseMs) {
        if (waited >= lockMs) throw new Error(`another process is moving business ${businessId}`);
        await sleep(lockPauseMs);
      }
      await work(moves, directory);
    });
  }

  /** Throws if both cells are one place, since the work could then delete the only rows of a business. */
  private async between<Result>(
    { from, to }: Pick<MoveRow, "from" | "to">,
    work: (source: Side, target: Side) => Promise<Result>,
  ): Promise<Result> {
    const [sourcePlace, targetPlace] = [this.placeOf(from), this.placeOf(to)];
    return this.withSide(sourcePlace, (source) =>
      this.withSide(targetPlace, async (target) => {
        await requireTwoPlaces(source, target);
        return work(source, target);
      }),
    );
  }

  /** The present cell of a moved business. Throws if it is the old cell, since the old rows are then the only ones. */
  private async cellAfter(moves: Moves, { businessId, from }: MoveRow): Promise<string> {
    const cell = (await moves.cellOf(businessId)) ?? this.cells[0].cell;
    if (cell === from) throw new Error(`business ${businessId} is still in ${from}`);
    return cell;
  }

  private withSide<Result>(place: Place, work: (side: Side) => Promise<Result>): Promise<Result> {
    return withSide(place, work, this.bounds.statementMs);
  }

  private placeOf(name: string): Place {
    const found = this.cells.find(({ cell }) => cell === name);
    if (!found) throw new Error(`the settings have no cell ${name}`);
    return found;
  }
}

async function checkRights(...sides: readonly Side[]): Promise<void> {
  for (const side of sides) {
    try {
      await side.transaction("quiet", async () => {});
    } catch (error) {
      throw new Error(
        `the role of cell ${side.cell} may not set session_replication_role, which a move needs. From PostgreSQL 15 on, ` +
          "a superuser can `grant set on parameter session_replication_role` to it",
        { cause: error },
      );
    }
  }
}
