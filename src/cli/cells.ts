import { type CellSettings, cellsOf, readConfig } from "../bootstrap/config.ts";
import { databaseUrl } from "./command.ts";
import { unused } from "./container.ts";

interface NamedCell extends CellSettings {
  /** The text at the start of each printed line about the cell; empty if there is only one cell. */
  readonly label: string;
}

/** The cells of the settings, for commands that need no other setting. Each `url` bypasses a pooler. */
export function cellSettings(): readonly [NamedCell, ...NamedCell[]] {
  databaseUrl();
  const config = readConfig({ ...unused, MASTER_SECRET: "unused ".repeat(6), ...process.env, NODE_ENV: "development" });
  const [first, ...others] = cellsOf(config);
  const labelOf = (cell: CellSettings) => (others.length === 0 ? "" : `${cell.name}: `);
  const named = (cell: CellSettings): NamedCell => ({ ...cell, url: cell.directUrl, label: labelOf(cell) });
  return [named(first), ...others.map(named)];
}
