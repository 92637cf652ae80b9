import { ContainerModule } from "inversify";
import { background } from "../infra/jobs/background.ts";
import { type Config, cellsOf } from "./config.ts";
import { moverOf } from "./mover.ts";
import { provide, provideTick } from "./provide.ts";

/** Recovers and cleans up moves, which commands make. */
export const movesModule = (config: Config) =>
  new ContainerModule(({ bind }) => {
    const cells = cellsOf(config);
    if (cells.length === 1) return;
    const mover = moverOf(cells);
    provideTick(bind, "moves.settle", 5, [], () => mover.settleAll());
    provideTick(bind, "moves.tidy", 600, ["log"], async (log) => {
      const rows = await mover.tidy();
      if (rows > 0) log.info({ rows }, "rows left behind by moved businesses were removed");
    });
    provide(bind, "background", ["directory", "log"], (directory, log) =>
      background("moved businesses", "means", {
        start: () =>
          directory.locations.onMove((businessId) =>
            log.info(
              { businessId, cell: directory.locations.cached(businessId)?.cell },
              "a business was moved to another cell",
            ),
          ),
      }),
    );
    if (config.role === "worker") return;
    provide(bind, "background", ["directory", "gateway"], (directory, gateway) =>
      background("sockets of moved businesses", "means", {
        start: () => directory.locations.onMove((businessId) => void gateway.resync(businessId)),
      }),
    );
  });
