import { setTimeout as sleep } from "node:timers/promises";
import { CellSide } from "./cell-side.ts";
import { compareAll, compareChanged } from "./compare.ts";
import { applyChanges, changesLeft, copyChunk, deleteChangedKeys, type Part, partsOf } from "./copy.ts";
import type { MoveBounds } from "./move-bounds.ts";
import { type MoveRow, type Moves, TakenOver } from "./moves.ts";
import { deleteRows } from "./rows.ts";
import { publishNames } from "./sent-names.ts";
import { raiseSequences } from "./sequences.ts";
import { quoted, type Side } from "./side.ts";
import { sameTables, type TenantTable } from "./tenant-tables.ts";
import { unwatch, watch } from "./watch.ts";

export type MoveProgress =
  | { readonly what: "begun"; readonly isResumed: boolean; readonly step: string }
  | { readonly what: "copied"; readonly table: string; readonly rows: number; readonly total: number }
  | { readonly what: "caught up"; readonly left: number }
  | { readonly what: "compared"; readonly tables: number; readonly rows: number; readonly ms: number }
  | { readonly what: "holding" }
  | { readonly what: "released"; readonly reason: string; readonly ms: number }
  | { readonly what: "moved"; readonly heldMs: number | null }
  | { readonly what: "undone"; readonly rows: number };

/** Milliseconds that a hold waits for transactions that began before it. */
const quietMs = 2_000;
/** A hold begins only when at most this many changes are left: they are copied during the hold. */
const mostChangesInHold = 20_000;
/** Milliseconds for comparing whole tables in a hold, fastest first. Of the rest, only changed rows are compared. */
const compareMs = 800;
/** How many ids of a sequence the source may assign before the target's sequence must be raised again. */
const spareIds = 10_000;
const holdTries = 20;
/** Catching up ends after a round with at most this many changes. The next step copies later changes. */
const fewChanges = 1_000;

/** Moves one business between two cells. Every step may be repeated, since a process may die at any point. */
export class BusinessMove {
  private readonly here: CellSide;
  private readonly there: CellSide;
  private tables: readonly TenantTable[] = [];
  /** The tables that are compared as a whole in a hold. */
  private whole: readonly TenantTable[] = [];
  private copied = 0;

  constructor(
    private readonly moves: Moves,
    private readonly directory: Side,
    private readonly source: Side,
    private readonly target: Side,
    private readonly move: MoveRow,
    private readonly bounds: MoveBounds,
    private readonly report: (progress: MoveProgress) => void,
  ) {
    this.here = new CellSide(source, move);
    this.there = new CellSide(target, move);
  }

  async run(): Promise<void> {
    const { move, source, target } = this;
    this.tables = await sameTables(source, target);
    if (move.step === "undoing") throw new Error("this move is being undone: give UNDO=1 again");
    await this.here.takeOver();
    // An earlier process may have completed the switch before this process took over.
    if (await this.here.hasLeft()) return this.arrive(null);
    await this.here.release();
    await this.there.takeOver();
    const isNew = move.step === "beginning";
    if (isNew) await this.makeRoom();
    // Each run also watches and copies tables that a migration has added since the move began.
    await watch(source, this.tables, move.businessId);
    if (isNew) await this.moves.proceed(move, "copying");
    await this.copy();
    await this.moves.proceed(move, "catching_up");
    await this.switchOver();
  }

  /** Completes the move if the business has already left its cell. Otherwise it does nothing. */
  async settle(): Promise<void> {
    if (this.move.step === "moved" || (await this.here.hasLeft())) await this.arrive(null);
  }

  /** Undoes a move that has not switched: the business stays where it is, and its copied rows are deleted. */
  async undo(): Promise<void> {
    const { move, source, target } = this;
    await this.here.takeOver();
    // An earlier process may have completed the switch before this process took over.
    if (await this.here.hasLeft()) {
      await this.arrive(null);
      throw new Error(`business ${move.businessId} has moved to ${move.to} already: move it back`);
    }
    this.tables = await sameTables(source, target);
    await this.there.takeOver();
    // From this step on, the move can only be undone.
    await this.moves.proceed(move, "undoing");
    await this.here.release();
    await this.moves.retract(move.businessId);
    await unwatch(source, move.businessId);
    await this.here.forget();
    await this.there.pauseSweeps();
    const rows = await deleteRows(target, this.tables, move.businessId, this.there.guard);
    await this.there.forget();
    await this.there.resumeSweeps();
    await this.moves.proceed(move, "undone");
    this.report({ what: "undone", rows });
  }

  /** Deletes the rows that an earlier move left in the target, even if that move ended less than a day ago. */
  private async makeRoom(): Promise<void> {
    const { move, target, there } = this;
    // The target's sweeps must not find the copied rows.
    await there.pauseSweeps();
    await deleteRows(target, this.tables, move.businessId, there.guard);
    await unwatch(target, move.businessId);
    await there.reopen();
    await target.run("delete from copied_parts where business_id = $1", [move.businessId]);
    for (const left of await this.moves.leftOversIn(move.to, move.businessId)) await this.moves.proceed(left, "tidied");
  }

  /** Copies from a series of snapshots. In each it first updates the rows that were copied from earlier snapshots. */
  private async copy(): Promise<void> {
    const { source, target, move, there } = this;
    const { businessId } = move;
    const { chunk, stretchMs } = this.bounds;
    for (let isCopied = false; !isCopied; ) {
      // Catches up outside of the snapshot below: if the process dies during the snapshot, this work is not lost.
      await this.catchUp();
      isCopied = await source.transaction("snapshot", async () => {
        const parts = await partsOf(target, businessId);
        await applyChanges(source, target, this.tables, businessId, parts, there.guard);
        const begun = performance.now();
        let isComplete = true;
        for (const table of this.tables) {
          let part: Part = parts.get(table.name) ?? "nothing";
          for (let isFirst = true; part !== "all"; isFirst = false) {
            if (!isFirst && performance.now() - begun > stretchMs) break;
            const copied = await copyChunk(source, target, table, businessId, part, chunk, there.guard);
            part = copied.part;
            await this.moves.countRows(move, copied.rows);
            this.copied += copied.rows;
            this.report({ what: "copied", table: table.name, rows: copied.rows, total: this.copied });
          }
          isComplete &&= part === "all";
        }
        await deleteChangedKeys(source, businessId);
        return isComplete;
      });
    }
  }

  private async switchOver(): Promise<void> {
    const { move, moves, source, target } = this;
    await moves.announce(move.businessId, move.from);
    const announced = performance.now();
    // The planner has no statistics of the copied rows yet.
    for (const { name } of this.tables) await target.run(`analyze ${quoted(name)}`);
    for (let attempt = 1; attempt <= holdTries; attempt += 1) {
      await this.compare();
      await raiseSequences(source, target, spareIds);
      const early = this.bounds.noticeMs - (performance.now() - announced);
      if (early > 0) await sleep(early);
      if ((await changesLeft(source, move.businessId)) > mostChangesInHold) continue;
      const begun = performance.now();
      const refused = await this.hold(begun);
      if (refused === undefined) return await this.arrive(begun);
      await this.here.release();
      await moves.proceed(move, "catching_up");
      this.report({ what: "released", reason: refused, ms: performance.now() - begun });
      await sleep(Math.random() * 1_000);
    }
    throw new Error(`business ${move.businessId} is too busy: its writes could not be blocked. Try again later`);
  }

  /** Compares all tables in a snapshot while the business may write. The hold then copies only later changes. */
  private async compare(): Promise<void> {
    const { source, target, move } = this;
    const { businessId } = move;
    await this.catchUp();
    await source.transaction("snapshot", async () => {
      await this.applyAllChanges();
      const taken: { table: TenantTable; ms: number }[] = [];
      let rows = 0;
      for (const table of this.tables) {
        const compared = await compareAll(source, target, table, businessId);
        taken.push({ table, ms: compared.ms });
        rows += compared.rows;
      }
      this.whole = fastest(taken);
      await publishNames(source, this.directory, this.tables, businessId, "all");
      await deleteChangedKeys(source, businessId);
      const ms = taken.reduce((sum, one) => sum + one.ms, 0);
      this.report({ what: "compared", tables: taken.length, rows, ms });
    });
  }

  /** Copies changed rows again until few are left. */
  private async catchUp(): Promise<void> {
    const { source, target, move } = this;
    const { catchUpRounds } = this.bounds;
    let left = Number.POSITIVE_INFINITY;
    for (let round = 1; left > fewChanges; round += 1) {
      if (round > catchUpRounds) {
        throw new Error(
          `business ${move.businessId} is too busy: after ${catchUpRounds} rounds of copying its changes, ${left} more ` +
            "rows had changed. Nothing was switched. Try again later: the move goes on from here",
        );
      }
      const parts = await partsOf(target, move.businessId);
      left = await source.transaction("snapshot", async () => {
        const before = await changesLeft(source, move.businessId);
        await applyChanges(source, target, this.tables, move.businessId, parts, this.there.guard);
        await deleteChangedKeys(source, move.businessId);
        return before;
      });
      this.report({ what: "caught up", left });
    }
  }

  private async applyAllChanges(): Promise<void> {
    const parts = new Map<string, Part>(this.tables.map(({ name }) => [name, "all"]));
    await applyChanges(this.source, this.target, this.tables, this.move.businessId, parts, this.there.guard);
  }

  /** @returns undefined once the business has left its cell, or the reason why it could not. Throws `Differing`. */
  private async hold(begun: number): Promise<string | undefined> {
    const { source, target, move, directory, bounds } = this;
    const { businessId } = move;
    await this.here.hold(bounds.holdMs);
    this.report({ what: "holding" });
    try {
      while (!(await this.here.isQuiet())) {
        if (performance.now() - begun > Math.min(quietMs, bounds.holdMs)) return "transactions did not end";
        await sleep(10);
      }
      await this.requireSameTables();
      await source.transaction("snapshot", async () => {
        await this.applyAllChanges();
        for (const table of this.tables) {
          const isWhole = this.whole.includes(table);
          await (isWhole ? compareAll : compareChanged)(source, target, table, businessId);
        }
        await publishNames(source, directory, this.tables, businessId, "changed");
      });
      await raiseSequences(source, target, spareIds);
      await this.moves.proceed(move, "switching");
      return (await this.here.leave()) ? undefined : "it took too long";
    } catch (error) {
      // If the source does not answer, the business may already have left, so the recorded step must not change. If the
      // business has not left, the hold ends by itself.
      const isReleased = await this.here.release().then(
        () => true,
        () => false,
      );
      if (isReleased && !(error instanceof TakenOver)) await this.moves.proceed(move, "catching_up");
      throw error;
    }
  }

  /** A migration during the move may have added tables or columns, which were not copied. */
  private async requireSameTables(): Promise<void> {
    const tables = await sameTables(this.source, this.target);
    if (JSON.stringify(tables) !== JSON.stringify(this.tables)) {
      throw new Error("the tables have changed during the move. Nothing was switched. Undo the move, and try again");
    }
  }

  /**
   * Completes the move after the point of no return. The directory records the new cell, the target's sweeps no longer
   * skip the business, and data that only the move needed is deleted.
   */
  private async arrive(begun: number | null): Promise<void> {
    const { move, there, source } = this;
    const heldMs = begun === null ? null : Math.round(performance.now() - begun);
    await this.moves.arrive(move, heldMs);
    await there.resumeSweeps();
    await there.forget();
    await deleteChangedKeys(source, move.businessId);
    await this.moves.settle(move.id);
    this.report({ what: "moved", heldMs });
  }
}

/** The tables that were compared fastest, as many as a hold has time for. */
function fastest(taken: readonly { readonly table: TenantTable; readonly ms: number }[]): TenantTable[] {
  const chosen: TenantTable[] = [];
  let left = compareMs;
  for (const { table, ms } of [...taken].sort((a, b) => a.ms - b.ms)) {
    left -= ms;
    if (left >= 0) chosen.push(table);
  }
  return chosen;
}
