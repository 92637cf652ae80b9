import type { CellHealth } from "../infra/postgres/cells/cell-health.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell, Database } from "../infra/postgres/database.ts";
import type { FairQueue } from "../kernel/fair-queue.ts";
import type { CellSettings } from "./config.ts";

export interface OpenedCell extends CellSettings {
  readonly database: Database;
  readonly slowDatabase: Database;
  /** Health checks have a connection of their own, because requests may use all others. */
  readonly probe: Database;
  readonly gate: FairQueue;
  readonly cells: Cells<Cell>;
  readonly health: CellHealth;
}

export type OpenedCells = readonly [OpenedCell, ...OpenedCell[]];
