import { DatabaseAway } from "../../kernel/errors.ts";
import { FairGate, type FairGateSettings } from "../../kernel/fair-gate.ts";
import type { Cell, Queries, Statement } from "./database.ts";

/**
 * The databases in which businesses live, each business whole in one of them. Today there is one, with everything that
 * belongs to no business besides. Queries about a business go through `of`, so that a business may one day live in another
 * database.
 */
export interface Cells<Cell extends Queries = Queries> {
  /** The one in which the business lives; every statement names the business besides. */
  of(businessId: number): Cell;
  /** The same for several: each cell with those that live there. */
  among(businessIds: readonly number[]): readonly { readonly cell: Cell; readonly businessIds: readonly number[] }[];
  /** All of them, for work that goes over all businesses. */
  each(): readonly Cell[];
  /**
   * For what is looked for before anybody knows which business it is about: App Keys, sessions, credentials, stored
   * files by their names, webhooks that have come in. All that reads or writes these asks here.
   */
  readonly directory: Cell;
}

/** One database, or a transaction on it, that is all there is. */
export const oneCell = <Cell extends Queries>(cell: Cell): Cells<Cell> => ({
  of: () => cell,
  among: (businessIds) => (businessIds.length === 0 ? [] : [{ cell, businessIds }]),
  each: () => [cell],
  directory: cell,
});

/**
 * One database whose connections are shared: businesses that ask at the same time take turns, and none can hold all of
 * them. Sweeps have a share like a business. The directory has connections of its own: what every request asks first must
 * not wait behind what requests ask then.
 */
export const sharedCell = (cell: Cell, gate: FairGate, ofDirectory: FairGate): Cells<Cell> => {
  const directory = new Share(cell, ofDirectory, "directory");
  const sweeps = new Share(cell, gate, "sweeps");
  const of = (businessId: number) => new Share(cell, gate, businessId);
  return {
    of,
    among: ([first, ...others]) => (first === undefined ? [] : [{ cell: of(first), businessIds: [first, ...others] }]),
    each: () => [sweeps],
    directory,
  };
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

/** The rows of all cells, one cell after the other. */
export async function everywhere<Row, Cell extends Queries>(
  cells: Cells<Cell>,
  ask: (cell: Cell) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const cell of cells.each()) for (const row of await ask(cell)) rows.push(row);
  return rows;
}
