import { Mover } from "../infra/postgres/moving/mover.ts";
import type { CellSettings } from "./config.ts";

export function moverOf(cells: readonly [CellSettings, ...CellSettings[]]): Mover {
  const placeOf = ({ name, directUrl, schema }: CellSettings) => ({ cell: name, url: directUrl, schema });
  const [first, ...others] = cells;
  return new Mover([placeOf(first), ...others.map(placeOf)]);
}
