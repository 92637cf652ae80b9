import { type CellSettings, cellsOf, readConfig } from "../bootstrap/config.ts";
import { databaseUrl } from "./command.ts";
import { unused } from "./container.ts";

interface NamedCell extends CellSettings {
  readonly isAlone: boolean;
}

/** The cells of the settings, for commands that need no other setting. Each `url` leads past a pooler. */
export function cellSettings(): readonly [NamedCell, ...NamedCell[]] {
  databaseUrl();
  const config = readConfig({ ...unused, MASTER_SECRET: "unused ".repeat(6), ...process.env, NODE_ENV: "development" });
  const [first, ...others] = cellsOf(config);
  const named = (cell: CellSettings): NamedCell => ({ ...cell, url: cell.directUrl, isAlone: others.length === 0 });
  return [named(first), ...others.map(named)];
}
