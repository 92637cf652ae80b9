import type { CellHealth } from "../infra/postgres/cell-health.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell, Database } from "../infra/postgres/database.ts";
import type { FairGate } from "../kernel/fair-gate.ts";
import type { CellSettings } from "./config.ts";

/** One of the cells that the settings name, with connections of its own. */
export interface OpenedCell extends CellSettings {
  readonly database: Database;
  readonly slowDatabase: Database;
  /** For probes: where requests hold all connections, the cell is busy and still there. */
  readonly probe: Database;
  readonly gate: FairGate;
  readonly cells: Cells<Cell>;
  readonly health: CellHealth;
}

export type OpenedCells = readonly [OpenedCell, ...OpenedCell[]];
