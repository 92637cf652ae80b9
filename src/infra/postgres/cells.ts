import type { Queries } from "./database.ts";

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

/** The rows of all cells, one cell after the other. */
export async function everywhere<Row, Cell extends Queries>(
  cells: Cells<Cell>,
  ask: (cell: Cell) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const cell of cells.each()) for (const row of await ask(cell)) rows.push(row);
  return rows;
}
