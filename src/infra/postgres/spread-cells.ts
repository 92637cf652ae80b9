import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseAway } from "../../kernel/errors.ts";
import type { CellHealth } from "./cell-health.ts";
import type { Cells } from "./cells.ts";
import type { Cell, Queries, Statement } from "./database.ts";
import type { ClaimedName, Directory, Place } from "./directory.ts";
import type { NameKind, Names } from "./names.ts";
import { hasLeft, isOwnTrouble, movingState } from "./own-trouble.ts";

/** One of several cells. */
export interface Part {
  readonly name: string;
  /** The cell as if it were all there is. */
  readonly cells: Cells<Cell>;
  readonly health: CellHealth;
}

/** Milliseconds: more than a business is held for a move. */
const longestHoldMs = 6_000;

/** Bytes of all that is in the schema. */
const size: Statement = {
  name: "cell_size",
  text: `
    select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint as bytes from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
};

/** Several cells. The first one has the directory. */
export class SpreadCells implements Cells<Cell> {
  private readonly byName: ReadonlyMap<string, Part>;
  private readonly first: Part;

  constructor(
    private readonly all: readonly [Part, ...Part[]],
    private readonly known: Directory,
    /** Hears what a cell failed with while others answered. */
    private readonly onTrouble: (error: unknown, cell: string) => void,
  ) {
    this.byName = new Map(all.map((part) => [part.name, part]));
    this.first = all[0];
  }

  get directory(): Cell {
    return guarded(this.first);
  }

  of(businessId: number): Cell {
    return new Placed(businessId, this.known, (place) => this.cellAt(businessId, place).of(businessId));
  }

  among(businessIds: readonly number[]) {
    const groups = new Map<string, number[]>();
    const apart: number[] = [];
    for (const businessId of businessIds) {
      const place = this.known.known(businessId);
      const part = place && !place.isHeld ? this.byName.get(place.cell) : undefined;
      if (!part) apart.push(businessId);
      else groups.set(part.name, [...(groups.get(part.name) ?? []), businessId]);
    }
    const together = [...groups.values()].map((own) => ({ cell: this.of(own[0] as number), businessIds: own }));
    return [...together, ...apart.map((businessId) => ({ cell: this.of(businessId), businessIds: [businessId] }))];
  }

  async inEach<Result>(work: (cell: Cell) => Promise<Result>): Promise<Result[]> {
    const outcomes = await Promise.allSettled(
      this.all.map(({ cells, health }) => health.whileThere(() => cells.inEach(work))),
    );
    const failed = outcomes.flatMap((outcome, at) =>
      outcome.status === "rejected" ? [{ error: outcome.reason, part: this.all[at] as Part }] : [],
    );
    const fatal = failed.find(({ error }) => !isOwnTrouble(error)) ?? (failed.length === this.all.length && failed[0]);
    if (fatal) throw fatal.error;
    for (const { error, part } of failed) if (!part.health.isAway) this.onTrouble(error, part.name);
    return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
  }

  holding(kind: NameKind, name: string): Cell {
    const find = async (): Promise<Cell> => {
      const businessId = await this.known.ownerOf(kind, name);
      // What nobody has is asked for all the same: the time tells no more than the answer.
      if (businessId === undefined) return this.directory;
      return new Placed(businessId, this.known, (place) => this.cellAt(businessId, place).directory);
    };
    return {
      rows: async (statement, values, signal) => (await find()).rows(statement, values, signal),
      transaction: async (work) => (await find()).transaction(work),
    };
  }

  parts(): readonly Cells<Cell>[] {
    return this.all.map((part) => this.only(part));
  }

  /** Into the cell with the fewest bytes of those that were made and answer. */
  async place(businessId: number): Promise<void> {
    const made = await this.known.made();
    const sizes = await Promise.all(
      this.all.map(async ({ name, cells, health }) => {
        if (!made.includes(name)) return [];
        const ask = () => cells.directory.rows<{ bytes: number }>(size, []);
        return (await health.whileThere(ask).catch(() => [])).map(({ bytes }) => ({ name, bytes }));
      }),
    );
    const fewest = Math.min(...sizes.flat().map(({ bytes }) => bytes));
    const emptiest = oneOf(sizes.flat().filter(({ bytes }) => bytes === fewest));
    if (!emptiest) throw new DatabaseAway(new Error("no cell answers"), false);
    await this.known.place(businessId, emptiest.name);
  }

  private only(part: Part): Cells<Cell> {
    const view: Cells<Cell> = {
      of: (businessId) => this.of(businessId),
      among: (businessIds) => this.among(businessIds),
      inEach: (work) => part.health.whileThere(() => part.cells.inEach(work)),
      holding: (kind, name) => this.holding(kind, name),
      parts: () => [view],
      place: (businessId) => this.place(businessId),
      directory: guarded(part),
    };
    return view;
  }

  private cellAt(businessId: number, { cell, isHeld }: Place): Cells<Cell> {
    if (isHeld) throw new DatabaseAway(new Error(`business ${businessId} is being moved`), false);
    const part = this.byName.get(cell);
    if (!part) throw new DatabaseAway(new Error(`the settings name no cell ${cell}, of business ${businessId}`), false);
    part.health.check();
    return part.cells;
  }
}

/** At random. On Citus the coordinator, which is asked, has no rows, so that all cells look alike. */
const oneOf = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(Math.random() * items.length)];

/** The directory's share of a cell, which fails at once while the cell is away. */
export const guarded = ({ cells: { directory }, health }: Pick<Part, "cells" | "health">): Cell => ({
  rows: async (statement, values, signal) => {
    health.check();
    return directory.rows(statement, values, signal);
  },
  transaction: async (work) => {
    health.check();
    return directory.transaction(work);
  },
});

/** The cell of a business, which is looked up where it is not known yet. */
class Placed implements Cell {
  constructor(
    private readonly businessId: number,
    private readonly known: Directory,
    private readonly cellAt: (place: Place) => Cell,
  ) {}

  /** Outside of a transaction: a claim that is not used is found by the sweep of the directory. */
  get names(): Names {
    return {
      claim: async (...asked) => (await this.known.claim(...asked)).refused,
      release: async (businessId, kind, names) =>
        this.known.drop(businessId, kind, await this.known.doubt(businessId, kind, names)),
    };
  }

  rows<Row extends object>(statement: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<Row[]> {
    return this.whereItLives((cell) => cell.rows<Row>(statement, values, signal));
  }

  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.whereItLives((cell) => this.transactionIn(cell, work));
  }

  /**
   * What its cell refuses because the business is held was undone whole. It waits, holding no connection, and is run again
   * where the business lives by then.
   */
  private async whereItLives<Result>(run: (cell: Cell) => Promise<Result>): Promise<Result> {
    const begun = performance.now();
    for (;;) {
      const place = await this.place();
      try {
        return await run(this.cellAt(place));
      } catch (error) {
        const refusal = refusalIn(error);
        if (!refusal) throw error;
        if (performance.now() - begun > longestHoldMs) throw new DatabaseAway(refusal, false);
        if (refusal.detail === hasLeft) await this.known.arrive(this.businessId, place.cell);
        await sleep(20 + Math.random() * 60);
        await this.known.look();
      }
    }
  }

  private async transactionIn<Result>(cell: Cell, work: (queries: Queries) => Promise<Result>): Promise<Result> {
    let names: NamesOfTransaction | undefined;
    const result = await cell
      .transaction(async ({ rows }) => {
        // It may be run again after a deadlock.
        await names?.takeBack();
        names = new NamesOfTransaction(this.known);
        return work({ rows, names });
      })
      .catch(async (error: unknown) => {
        // Where it is unknown whether it was committed, the sweep of the directory looks.
        if (!isOwnTrouble(error)) await names?.takeBack();
        throw error;
      });
    await names?.giveUp();
    return result;
  }

  private place(): Place | Promise<Place> {
    return this.known.known(this.businessId) ?? this.known.find(this.businessId);
  }
}

/** What a cell says that refuses to write because the business is held, or has left. */
function refusalIn(error: unknown): (Error & { readonly detail?: string }) | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ((cause as { code?: unknown }).code === movingState) return cause;
  }
  return undefined;
}

interface Claimed {
  readonly businessId: number;
  readonly kind: NameKind;
  readonly names: readonly ClaimedName[];
}

/** What fails here is made up for by the sweep of the directory. */
class NamesOfTransaction implements Names {
  private readonly added: Claimed[] = [];
  private readonly released: Claimed[] = [];

  constructor(private readonly known: Directory) {}

  async claim(businessId: number, kind: NameKind, names: readonly string[], endsAt?: Date) {
    const { refused, added } = await this.known.claim(businessId, kind, names, endsAt);
    if (added.length > 0) this.added.push({ businessId, kind, names: added });
    return refused;
  }

  async release(businessId: number, kind: NameKind, names: readonly string[]): Promise<void> {
    this.released.push({ businessId, kind, names: await this.known.doubt(businessId, kind, names) });
  }

  takeBack(): Promise<void> {
    return this.drop(this.added);
  }

  giveUp(): Promise<void> {
    return this.drop(this.released);
  }

  private async drop(all: readonly Claimed[]): Promise<void> {
    for (const { businessId, kind, names } of all) {
      await this.known.drop(businessId, kind, names).catch(() => {});
    }
  }
}
