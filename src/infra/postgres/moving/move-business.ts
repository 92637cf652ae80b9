import { setTimeout as sleep } from "node:timers/promises";
import { compareAll, compareChanged } from "./compare.ts";
import { bring, copyChunk, forgetKeys, keysLeft, type Part, partsOf } from "./copy.ts";
import { MoveHere } from "./here.ts";
import { type MoveRow, type Moves, TakenOver } from "./moves.ts";
import { publishNames } from "./names.ts";
import { deleteRows } from "./rows.ts";
import { raiseSequences } from "./sequences.ts";
import { quoted, type Side } from "./side.ts";
import { sameTables, type TenantTable } from "./tenant-tables.ts";
import { unwatch, watch } from "./watch.ts";

/** What is told of a move while it goes on. */
export type Told =
  | { readonly what: "begun"; readonly isResumed: boolean; readonly step: string }
  | { readonly what: "copied"; readonly table: string; readonly rows: number; readonly total: number }
  | { readonly what: "caught up"; readonly left: number }
  | { readonly what: "compared"; readonly tables: number; readonly rows: number; readonly ms: number }
  | { readonly what: "holding" }
  | { readonly what: "let go"; readonly reason: string; readonly ms: number }
  | { readonly what: "moved"; readonly heldMs: number | null }
  | { readonly what: "undone"; readonly rows: number };

export interface MoveBounds {
  /** Milliseconds for which writes are refused at most. */
  readonly holdMs: number;
  /** Milliseconds after which every process has heard of a change in the directory. */
  readonly noticeMs: number;
  /** Rows that travel in one transaction. */
  readonly chunk: number;
  /** Milliseconds that a stretch of copying goes by one snapshot. Longer ones keep the database from tidying up. */
  readonly stretchMs: number;
}

export const usualBounds: MoveBounds = { holdMs: 5_000, noticeMs: 2_500, chunk: 20_000, stretchMs: 5_000 };

/** Milliseconds of a hold in which transactions that were open before must have ended. */
const restMs = 2_000;
/** Keys that may be left when a hold begins: they are brought over in it. */
const fewKeys = 20_000;
/** Milliseconds that comparing whole tables may take in a hold; of the others what was changed since is compared. */
const compareMs = 800;
/** Numbers that the source may give out between the raising of sequences and the hold. */
const beyond = 10_000;
const holdTries = 20;

/** Moves one business between two cells. Whatever is done twice here, because a process died, comes out as done once. */
export class BusinessMove {
  private readonly there: MoveHere;
  private readonly here: MoveHere;
  private tables: readonly TenantTable[] = [];
  private whole: readonly TenantTable[] = [];

  constructor(
    private readonly moves: Moves,
    private readonly directory: Side,
    private readonly source: Side,
    private readonly target: Side,
    private readonly move: MoveRow,
    private readonly bounds: MoveBounds,
    private readonly tell: (told: Told) => void,
  ) {
    this.here = new MoveHere(source, move);
    this.there = new MoveHere(target, move);
  }

  async run(): Promise<void> {
    const { move, source, target } = this;
    this.tables = await sameTables(source, target);
    let { step } = move;
    if (step === "undoing") throw new Error("this move is being undone: give UNDO=1 again");
    if (step === "switching" && (await this.here.hasLeft())) return this.arrive(null);
    await this.here.takePart();
    await this.here.letGo();
    await this.there.takePart();
    if (step === "beginning") {
      await this.makeRoom();
      await watch(source, this.tables, move.businessId);
      await this.moves.proceed(move, "copying");
      step = "copying";
    }
    if (step === "copying") {
      await this.copy();
      await this.moves.proceed(move, "catching_up");
    }
    await this.switchOver();
  }

  /** Says of a business that has left its cell what is left to be said, in all places; of others nothing. */
  async settle(): Promise<void> {
    if (this.move.step === "moved" || (await this.here.hasLeft())) await this.arrive(null);
  }

  /** For a move that has not switched: the business stays where it is, and what was copied goes. */
  async undo(): Promise<void> {
    const { move, source, target } = this;
    if (move.step === "switching" && (await this.here.hasLeft())) {
      await this.arrive(null);
      throw new Error(`business ${move.businessId} has moved to ${move.to} already: move it back`);
    }
    this.tables = await sameTables(source, target);
    await this.here.takePart();
    await this.there.takePart();
    // From now on it is not resumed.
    await this.moves.proceed(move, "undoing");
    await this.here.letGo();
    await this.moves.retract(move.businessId);
    await unwatch(source, move.businessId);
    await this.here.forget();
    await this.there.setAside();
    const rows = await deleteRows(target, this.tables, move.businessId, this.there.guard);
    await this.there.forget();
    await this.there.workOn();
    await this.moves.proceed(move, "undone");
    this.tell({ what: "undone", rows });
  }

  /** What an earlier move left in the target goes, before its day is over. */
  private async makeRoom(): Promise<void> {
    const { move, target, there } = this;
    // Its sweeps must not find what arrives.
    await there.setAside();
    await deleteRows(target, this.tables, move.businessId, there.guard);
    await unwatch(target, move.businessId);
    await there.open();
    await target.run("delete from copied_parts where business_id = $1", [move.businessId]);
    for (const left of await this.moves.leftOversIn(move.to, move.businessId)) await this.moves.proceed(left, "tidied");
  }

  /** In stretches: each first brings what was copied up to its own snapshot, and then copies on in that. */
  private async copy(): Promise<void> {
    const { source, target, move, there } = this;
    const { businessId } = move;
    const { chunk, stretchMs } = this.bounds;
    for (let isThere = false; !isThere; ) {
      // By itself, so that a process that dies in the stretch has not left all of this to be done again.
      await this.catchUp();
      isThere = await source.transaction("snapshot", async () => {
        const parts = await partsOf(target, businessId);
        await bring(source, target, this.tables, businessId, parts, there.guard);
        const begun = performance.now();
        let isComplete = true;
        for (const table of this.tables) {
          let part: Part = parts.get(table.name) ?? "nothing";
          for (let isFirst = true; part !== "all"; isFirst = false) {
            if (!isFirst && performance.now() - begun > stretchMs) break;
            const copied = await copyChunk(source, target, table, businessId, part, chunk, there.guard);
            part = copied.part;
            await this.moves.countRows(move, copied.rows);
            this.tell({ what: "copied", table: table.name, rows: copied.rows, total: this.count(copied.rows) });
          }
          isComplete &&= part === "all";
        }
        await forgetKeys(source, businessId);
        return isComplete;
      });
    }
  }

  private copied = 0;
  private count(rows: number): number {
    this.copied += rows;
    return this.copied;
  }

  private async switchOver(): Promise<void> {
    const { move, moves, source, target } = this;
    await moves.announce(move.businessId, move.from);
    const announced = performance.now();
    // The planner knows nothing yet of what arrived.
    for (const { name } of this.tables) await target.run(`analyze ${quoted(name)}`);
    for (let attempt = 1; attempt <= holdTries; attempt += 1) {
      await this.compare();
      await raiseSequences(source, target, beyond);
      const early = this.bounds.noticeMs - (performance.now() - announced);
      if (early > 0) await sleep(early);
      if ((await keysLeft(source, move.businessId)) > fewKeys) continue;
      const begun = performance.now();
      const refused = await this.hold(begun);
      if (refused === undefined) return await this.arrive(begun);
      await this.here.letGo();
      await moves.proceed(move, "catching_up");
      this.tell({ what: "let go", reason: refused, ms: performance.now() - begun });
      await sleep(Math.random() * 1_000);
    }
    throw new Error(`business ${move.businessId} is written to so much that it could not be held: try again later`);
  }

  /** Compares everything, by a snapshot, while the business goes on; what is left after it is what changed since. */
  private async compare(): Promise<void> {
    const { source, target, move } = this;
    const { businessId } = move;
    await this.catchUp();
    await source.transaction("snapshot", async () => {
      await this.bringAll();
      const taken: { table: TenantTable; ms: number }[] = [];
      let rows = 0;
      for (const table of this.tables) {
        const compared = await compareAll(source, target, table, businessId);
        taken.push({ table, ms: compared.ms });
        rows += compared.rows;
      }
      this.whole = affordable(taken);
      await publishNames(source, this.directory, this.tables, businessId, "all");
      await forgetKeys(source, businessId);
      const ms = taken.reduce((sum, one) => sum + one.ms, 0);
      this.tell({ what: "compared", tables: taken.length, rows, ms });
    });
  }

  private async catchUp(): Promise<void> {
    const { source, target, move } = this;
    for (let left = Number.POSITIVE_INFINITY; left > 1_000; ) {
      const parts = await partsOf(target, move.businessId);
      left = await source.transaction("snapshot", async () => {
        const before = await keysLeft(source, move.businessId);
        await bring(source, target, this.tables, move.businessId, parts, this.there.guard);
        await forgetKeys(source, move.businessId);
        return before;
      });
      this.tell({ what: "caught up", left });
    }
  }

  private async bringAll(): Promise<void> {
    const parts = new Map<string, Part>(this.tables.map(({ name }) => [name, "all"]));
    await bring(this.source, this.target, this.tables, this.move.businessId, parts, this.there.guard);
  }

  /** @returns why the business could not leave; undefined once it has left. A copy that differs is an error. */
  private async hold(begun: number): Promise<string | undefined> {
    const { source, target, move, directory, bounds } = this;
    const { businessId } = move;
    await this.here.hold(bounds.holdMs);
    this.tell({ what: "holding" });
    try {
      while (!(await this.here.hasComeToRest())) {
        if (performance.now() - begun > Math.min(restMs, bounds.holdMs)) return "transactions did not end";
        await sleep(10);
      }
      await source.transaction("snapshot", async () => {
        await this.bringAll();
        for (const table of this.tables) {
          const isWhole = this.whole.includes(table);
          await (isWhole ? compareAll : compareChanged)(source, target, table, businessId);
        }
        await publishNames(source, directory, this.tables, businessId, "changed");
      });
      await raiseSequences(source, target, beyond);
      await this.moves.proceed(move, "switching");
      return (await this.here.leave()) ? undefined : "it took too long";
    } catch (error) {
      await this.here.letGo();
      if (!(error instanceof TakenOver)) await this.moves.proceed(move, "catching_up");
      throw error;
    }
  }

  /** Past the point of no return: the business lives in the target, and only that is left to be said. */
  private async arrive(begun: number | null): Promise<void> {
    const { move, there, source } = this;
    const heldMs = begun === null ? null : Math.round(performance.now() - begun);
    await this.moves.arrive(move, heldMs);
    await there.workOn();
    await there.forget();
    await source.run("delete from moved_keys where business_id = $1", [move.businessId]);
    await this.moves.settle(move.id);
    this.tell({ what: "moved", heldMs });
  }
}

/** Of the tables those that were compared fastest, as many as a hold has time for. */
function affordable(taken: readonly { readonly table: TenantTable; readonly ms: number }[]): TenantTable[] {
  const chosen: TenantTable[] = [];
  let left = compareMs;
  for (const { table, ms } of [...taken].sort((a, b) => a.ms - b.ms)) {
    left -= ms;
    if (left >= 0) chosen.push(table);
  }
  return chosen;
}
