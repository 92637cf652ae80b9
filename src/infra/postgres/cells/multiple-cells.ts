import { DatabaseUnavailable } from "../../../kernel/errors.ts";
import { groupBy } from "../../../kernel/group-by.ts";
import type { Cells } from "../cells.ts";
import type { NameKind } from "../claimed-names.ts";
import type { Cell } from "../database.ts";
import type { Directory } from "../directory/directory.ts";
import type { Location } from "../directory/locations.ts";
import { statement } from "../statement.ts";
import { BusinessCell } from "./business-cell.ts";
import type { CellHealth } from "./cell-health.ts";
import { sideBySide } from "./side-by-side.ts";

export interface Part {
  readonly name: string;
  /** Contains only the cell `name`. */
  readonly cells: Cells<Cell>;
  readonly health: CellHealth;
}

const size = statement("cell_size")`
  select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint as bytes from pg_class
  where relkind = 'r' and relnamespace = current_schema()::regnamespace`;

export class MultipleCells implements Cells<Cell> {
  private readonly byName: ReadonlyMap<string, Part>;
  private readonly first: Part;

  constructor(
    private readonly all: readonly [Part, ...Part[]],
    private readonly lookup: Directory,
    /** Called with each error that `inEach` ignores, unless the cell is known to be down. */
    private readonly onError: (error: unknown, cell: string) => void,
  ) {
    this.byName = new Map(all.map((part) => [part.name, part]));
    this.first = all[0];
  }

  get common(): Cell {
    return failingFast(this.first);
  }

  of(businessId: number): Cell {
    return new BusinessCell(businessId, this.lookup, (location) => this.cellAt(businessId, location).of(businessId));
  }

  groupsOf(businessIds: readonly number[]) {
    // A business that is being moved, or whose cell is not known, is in a group of its own.
    const groups = groupBy(businessIds, (businessId) => {
      const { cell = "" } = this.lookup.locations.cached(businessId) ?? {};
      return this.byName.has(cell) ? cell : businessId;
    });
    return [...groups.values()].map((own) => ({ cell: this.of(own[0] as number), businessIds: own }));
  }

  async inEach<Result>(work: (cell: Cell) => Promise<Result>): Promise<Result[]> {
    const done = await sideBySide(
      this.all,
      ({ cells, health }) => health.whileUp(() => cells.inEach(work)),
      (error, { name, health }) => {
        if (!health.isDown) this.onError(error, name);
      },
    );
    return done.flat();
  }

  ofName(kind: NameKind, name: string): Cell {
    const find = async (): Promise<Cell> => {
      const businessId = await this.lookup.names.businessOf(kind, name);
      // The query also runs for an unknown name. Otherwise a quicker answer would reveal that the name does not exist.
      if (businessId === undefined) return this.common;
      return new BusinessCell(businessId, this.lookup, (location) => this.cellAt(businessId, location).common);
    };
    return {
      rows: async (statement, values, signal) => (await find()).rows(statement, values, signal),
      transaction: async (work) => (await find()).transaction(work),
    };
  }

  parts(): readonly Cells<Cell>[] {
    return this.all.map((part) => this.only(part));
  }

  /** Chooses the smallest cell that has been created and is up. */
  async assign(businessId: number): Promise<void> {
    const existing = await this.lookup.locations.cellsMade();
    const sizes = await Promise.all(
      this.all.map(async ({ name, cells, health }) => {
        if (!existing.includes(name)) return [];
        const ask = () => cells.common.rows<{ bytes: number }>(size, []);
        return (await health.whileUp(ask).catch(() => [])).map(({ bytes }) => ({ name, bytes }));
      }),
    );
    const least = Math.min(...sizes.flat().map(({ bytes }) => bytes));
    const smallest = anyOf(sizes.flat().filter(({ bytes }) => bytes === least));
    if (!smallest) throw new DatabaseUnavailable(new Error("no cell answers"), false);
    await this.lookup.locations.add(businessId, smallest.name);
  }

  private only(part: Part): Cells<Cell> {
    const view: Cells<Cell> = {
      of: (businessId) => this.of(businessId),
      groupsOf: (businessIds) => this.groupsOf(businessIds),
      inEach: (work) => part.health.whileUp(() => part.cells.inEach(work)),
      ofName: (kind, name) => this.ofName(kind, name),
      parts: () => [view],
      assign: (businessId) => this.assign(businessId),
      common: failingFast(part),
    };
    return view;
  }

  private cellAt(businessId: number, { cell }: Location): Cells<Cell> {
    const part = this.byName.get(cell);
    if (!part)
      throw new DatabaseUnavailable(new Error(`the settings name no cell ${cell}, of business ${businessId}`), false);
    part.health.requireUp();
    return part.cells;
  }
}

/** Chooses at random among equally small cells. On Citus all look equal, because only the workers have rows. */
const anyOf = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(Math.random() * items.length)];

export const failingFast = ({ cells: { common }, health }: Pick<Part, "cells" | "health">): Cell => ({
  rows: async (statement, values, signal) => {
    health.requireUp();
    return common.rows(statement, values, signal);
  },
  transaction: async (work) => {
    health.requireUp();
    return common.transaction(work);
  },
});
