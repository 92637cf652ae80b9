import { ContainerModule } from "inversify";
import { background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
import { Mover } from "../infra/postgres/moving/mover.ts";
import { type CellSettings, type Config, cellsOf } from "./config.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

/** Moves businesses between the cells that the settings name. */
export function moverOf(cells: readonly [CellSettings, ...CellSettings[]]): Mover {
  const placeOf = ({ name, directUrl, schema = "" }: CellSettings) => ({ cell: name, url: directUrl, schema });
  const [first, ...others] = cells;
  return new Mover([placeOf(first), ...others.map(placeOf)]);
}

/** What a process does about moves that commands make. */
export const movesModule = (config: Config) =>
  new ContainerModule(({ bind }) => {
    const cells = cellsOf(config);
    if (cells.length === 1) return;
    const mover = moverOf(cells);
    provide(bind, tokens.tick, [], () => tick("moves.settle", 5, () => mover.settleAll()));
    provide(bind, tokens.tick, [tokens.log], (log) =>
      tick("moves.tidy", 600, async () => {
        const rows = await mover.tidy();
        if (rows > 0) log.info({ rows }, "old rows of businesses that were moved are removed");
      }),
    );
    provide(bind, tokens.background, [tokens.directory, tokens.log], (directory, log) =>
      background("moved businesses", "means", {
        start: () =>
          directory.onMove((businessId) =>
            log.info({ businessId, cell: directory.known(businessId)?.cell }, "a business lives in another cell now"),
          ),
      }),
    );
    if (config.role === "worker") return;
    provide(bind, tokens.background, [tokens.directory, tokens.gateway], (directory, gateway) =>
      background("sockets of moved businesses", "means", {
        start: () => directory.onMove((businessId) => void gateway.resync(businessId)),
      }),
    );
  });
