import pg from "pg";
import { type MoveBounds, usualBounds } from "../../src/infra/postgres/moving/move-bounds.ts";
import type { MoveProgress } from "../../src/infra/postgres/moving/move-business.ts";
import { Mover } from "../../src/infra/postgres/moving/mover.ts";
import { withSide } from "../../src/infra/postgres/moving/side.ts";
import { tenantTables } from "../../src/infra/postgres/moving/tenant-tables.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

/** Two databases as cells. The first database has the directory. */
export interface Stage {
  readonly places: { readonly c1: string; readonly c2: string };
  readonly mover: Mover;
  rows<Row extends object>(cell: Cell, text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** @param bounds - the bounds that differ from the stage's */
  reopened(bounds: Partial<MoveBounds>): Mover;
  connect(cell: Cell): Promise<pg.PoolClient>;
  /** All rows of a business in a cell: by table, the sorted rows as JSON texts. */
  all(cell: Cell, businessId: number): Promise<Record<string, string[]>>;
  cellOf(businessId: number): Promise<Cell>;
  close(): Promise<void>;
}

export type Cell = "c1" | "c2";

/** With these bounds, a move waits less and copies less at once than usual. */
const soon: MoveBounds = { ...usualBounds, noticeMs: 0, chunk: 150, stretchMs: 20 };

export async function openStage(bounds: MoveBounds = soon): Promise<Stage> {
  const databases: Record<Cell, TestDatabase> = { c1: await freshDatabase(), c2: await freshDatabase() };
  const pools = { c1: poolOf(databases.c1.url), c2: poolOf(databases.c2.url) };
  const rows = async <Row extends object>(cell: Cell, text: string, values: readonly unknown[] = []) =>
    (await pools[cell].query<Row>(text, values as unknown[])).rows;
  const places = (["c1", "c2"] as const).map((cell) => ({ cell, url: databases[cell].url, schema: "" }));
  return {
    places: { c1: databases.c1.url, c2: databases.c2.url },
    mover: new Mover(places as never, bounds),
    rows,
    reopened: (other) => new Mover(places as never, { ...bounds, ...other }),
    connect: (cell) => pools[cell].connect(),
    all: (cell, businessId) =>
      withSide({ cell, url: databases[cell].url, schema: "" }, async (side) => {
        const found: Record<string, string[]> = {};
        for (const { name, owner } of await tenantTables(side)) {
          const text = `select to_jsonb(own)::text as row from ${name} as own where ${owner} = $1 order by 1`;
          found[name] = (await rows<{ row: string }>(cell, text, [businessId])).map(({ row }) => row);
        }
        return found;
      }),
    cellOf: async (businessId) => {
      const text = "select cell from directory_businesses where business_id = $1";
      return ((await rows<{ cell: Cell }>("c1", text, [businessId]))[0]?.cell ?? "c1") as Cell;
    },
    close: async () => {
      for (const cell of ["c1", "c2"] as const) {
        await pools[cell].end();
        await databases[cell].drop();
      }
    },
  };
}

const poolOf = (url: string): pg.Pool => {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
};

export const silent = (_: MoveProgress): void => {};
