import { DatabaseUnavailable } from "../../kernel/errors.ts";
import { FairQueue, type FairQueueSettings } from "../../kernel/fair-queue.ts";
import type { NameKind } from "./claimed-names.ts";
import type { Cell, Queries, Statement } from "./database.ts";

/**
 * The databases of the businesses; each business is in one of them. Queries about a business go through `of`. Data that
 * belongs to no business is in the first cell.
 */
export interface Cells<Cell extends Queries = Queries> {
  /** The cell of the business. Statements in that cell must still name the business. */
  of(businessId: number): Cell;
  /** The cells of several businesses, each with its businesses. */
  groupsOf(businessIds: readonly number[]): readonly { readonly cell: Cell; readonly businessIds: readonly number[] }[];
  /**
   * Runs `work` in all cells at the same time. Errors of cells that are down are ignored if another cell answers, so
   * use it only for work that is repeated regularly.
   */
  inEach<Result>(work: (cell: Cell) => Promise<Result>): Promise<Result[]>;
  /** The cell in which to look a name up. */
  ofName(kind: NameKind, name: string): Cell;
  /** One `Cells` per cell, for work in which the failure of one cell must not stop the others. */
  parts(): readonly Cells<Cell>[];
  /** Chooses the cell of a new business. */
  assign(businessId: number): Promise<void>;
  /** The cell of data that belongs to no business: the first one. In each of the `parts`, the part's only cell. */
  readonly common: Cell;
}

const singleDatabase = <Cell extends Queries>(
  of: (businessId: number) => Cell,
  sweeps: Cell,
  common: Cell,
): Cells<Cell> => {
  const cells: Cells<Cell> = {
    of,
    groupsOf: ([first, ...others]) =>
      first === undefined ? [] : [{ cell: of(first), businessIds: [first, ...others] }],
    inEach: async (work) => [await work(sweeps)],
    ofName: () => common,
    parts: () => [cells],
    assign: async () => {},
    common,
  };
  return cells;
};

/** A single database, or a transaction. */
export const oneCell = <Cell extends Queries>(cell: Cell): Cells<Cell> => singleDatabase(() => cell, cell, cell);

/**
 * A single database whose connections are shared fairly: businesses take turns. All work of `inEach` counts as
 * one business. Directory queries, with which every request begins, wait in `ofDirectory`, not behind other work.
 */
export const sharedCell = (cell: Cell, queue: FairQueue, ofDirectory: FairQueue): Cells<Cell> =>
  singleDatabase<Cell>(
    (businessId) => new Share(cell, queue, businessId),
    new Share(cell, queue, "sweeps"),
    new Share(cell, ofDirectory, "directory"),
  );

class Share implements Cell {
  constructor(
    private readonly cell: Cell,
    private readonly queue: FairQueue,
    private readonly key: number | string,
  ) {}

  rows<Row extends object>(statement: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<Row[]> {
    return this.queue.run(this.key, () => this.cell.rows<Row>(statement, values, signal), signal);
  }

  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.queue.run(this.key, () => this.cell.transaction(work));
  }
}

/**
 * At most `width` connections are in use at a time. One business may use four fifths of them and leaves the remaining
 * ones to other businesses. Work that gets no connection in time fails as if the database were unreachable.
 */
export const connectionQueue = (
  settings: Pick<FairQueueSettings, "name" | "width" | "waitMs" | "overload">,
): FairQueue =>
  new FairQueue({
    ...settings,
    widthPerKey: Math.ceil(settings.width * 0.8),
    queuePerKey: 2_000,
    queue: 8_000,
    refusal: (busy) => new DatabaseUnavailable(busy, false),
  });

/** Returns the first `limit` rows of all cells, by business id. `ask` returns the first `limit` rows of one cell. */
export async function firstEverywhere<Row extends { readonly businessId: number }, Cell extends Queries>(
  cells: Cells<Cell>,
  limit: number,
  ask: (cell: Cell) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const parts = await cells.inEach(ask);
  const rows = parts.flat();
  // Rows of the same business keep their order: they are all in one cell, and the sort is stable.
  return parts.length === 1 ? rows : rows.sort((a, b) => a.businessId - b.businessId).slice(0, limit);
}

export const everywhere = async <Row, Cell extends Queries>(
  cells: Cells<Cell>,
  ask: (cell: Cell) => Promise<readonly Row[]>,
): Promise<Row[]> => (await cells.inEach(ask)).flat();

/**
 * Repeats a statement in each cell until no rows are left. Each time, the statement handles at most `batch` rows and
 * returns their `count`. Resolves to the sum of these counts.
 */
export async function inBatches(
  cells: Cells,
  call: { readonly statement: Statement; readonly values: readonly unknown[]; readonly batch: number },
  signal?: AbortSignal,
): Promise<number> {
  let all = 0;
  await cells.inEach(async (cell) => {
    for (let count = call.batch; count === call.batch && !signal?.aborted; all += count) {
      const [row] = await cell.rows<{ count: number }>(call.statement, call.values);
      count = row?.count ?? 0;
    }
  });
  return all;
}
