import type { CellHealth } from "../infra/postgres/cells/cell-health.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell, Database } from "../infra/postgres/database.ts";
import type { FairQueue } from "../kernel/fair-queue.ts";
import type { CellSettings } from "./config.ts";

export interface OpenedCell extends CellSettings {
  readonly database: Database;
  readonly slowDatabase: Database;
  /** The connections for health checks. Requests may use all other connections. */
  readonly probe: Database;
  readonly gate: FairQueue;
  readonly cells: Cells<Cell>;
  readonly health: CellHealth;
}

export type OpenedCells = readonly [OpenedCell, ...OpenedCell[]];
