import { DatabaseAway } from "../../kernel/errors.ts";
import { FairGate, type FairGateSettings } from "../../kernel/fair-gate.ts";
import type { Cell, Queries, Statement } from "./database.ts";
import type { NameKind } from "./names.ts";

/**
 * The databases in which businesses live, each business whole in one of them. Queries about a business go through `of`.
 * What belongs to no business is in the first cell, the directory's.
 */
export interface Cells<Cell extends Queries = Queries> {
  /** The one in which the business lives; every statement names the business besides. */
  of(businessId: number): Cell;
  /** The same for several: each cell with those that live there. */
  among(businessIds: readonly number[]): readonly { readonly cell: Cell; readonly businessIds: readonly number[] }[];
  /**
   * In each of them, side by side, for work that goes over all businesses. What a cell fails with that is away is left
   * out where another one answers; the next time makes up for it.
   */
  inEach<Result>(work: (cell: Cell) => Promise<Result>): Promise<Result[]>;
  /** Where it is looked up what is known by a name, before it is known which business that is of. */
  holding(kind: NameKind, name: string): Cell;
  /** Each of them as if it were all there is: for work in which one that fails must not hold up the others. */
  parts(): readonly Cells<Cell>[];
  /** Decides where a business that is about to be founded will live. */
  place(businessId: number): Promise<void>;
  /** For what belongs to no business. */
  readonly directory: Cell;
}

/** One database, or a transaction on it, that is all there is. */
export const oneCell = <Cell extends Queries>(cell: Cell): Cells<Cell> => {
  const cells: Cells<Cell> = {
    of: () => cell,
    among: (businessIds) => (businessIds.length === 0 ? [] : [{ cell, businessIds }]),
    inEach: async (work) => [await work(cell)],
    holding: () => cell,
    parts: () => [cells],
    place: async () => {},
    directory: cell,
  };
  return cells;
};

/**
 * One database whose connections are shared: businesses that ask at the same time take turns, and none can hold all of
 * them. Sweeps have a share like a business. The directory has connections of its own: what every request asks first must
 * not wait behind what requests ask then.
 */
export const sharedCell = (cell: Cell, gate: FairGate, ofDirectory: FairGate): Cells<Cell> => {
  const directory = new Share(cell, ofDirectory, "directory");
  const sweeps = new Share(cell, gate, "sweeps");
  const of = (businessId: number) => new Share(cell, gate, businessId);
  const cells: Cells<Cell> = {
    of,
    among: ([first, ...others]) => (first === undefined ? [] : [{ cell: of(first), businessIds: [first, ...others] }]),
    inEach: async (work) => [await work(sweeps)],
    holding: () => directory,
    parts: () => [cells],
    place: async () => {},
    directory,
  };
  return cells;
};

class Share implements Cell {
  constructor(
    private readonly cell: Cell,
    private readonly gate: FairGate,
    private readonly key: number | string,
  ) {}

  rows<Row extends object>(statement: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<Row[]> {
    return this.gate.pass(this.key, () => this.cell.rows<Row>(statement, values, signal), signal);
  }

  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.gate.pass(this.key, () => this.cell.transaction(work));
  }
}

/**
 * A gate for connections, so many in all. Of them one business has four fifths at most: a transaction that waits for the
 * disk needs no processor, so that a business alone gets on as fast as many do. What takes long goes through lanes before.
 * Work that was begun and gets no connection in time is in the same place as with a database that is away.
 */
export const connectionGate = (settings: Pick<FairGateSettings, "name" | "width" | "waitMs" | "crowd">): FairGate =>
  new FairGate({
    ...settings,
    widthOfOne: Math.ceil(settings.width * 0.8),
    queueOfOne: 2_000,
    queue: 8_000,
    refusal: (busy) => new DatabaseAway(busy, false),
  });

/** The first rows of all cells, each of which gives its first ones in the order of the businesses. */
export async function firstEverywhere<Row extends { readonly businessId: number }, Cell extends Queries>(
  cells: Cells<Cell>,
  limit: number,
  ask: (cell: Cell) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const parts = await cells.inEach(ask);
  const rows = parts.flat();
  // A business has its rows in one cell only, and this keeps their order.
  return parts.length === 1 ? rows : rows.sort((a, b) => a.businessId - b.businessId).slice(0, limit);
}

/** The rows of all cells. */
export const everywhere = async <Row, Cell extends Queries>(
  cells: Cells<Cell>,
  ask: (cell: Cell) => Promise<readonly Row[]>,
): Promise<Row[]> => (await cells.inEach(ask)).flat();
