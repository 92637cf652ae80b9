import { type Config, cellsOf } from "./config.ts";
import { moverOf } from "./mover.ts";
import { moduleOf } from "./provide.ts";

/** Completes interrupted moves and removes what moves leave behind. Only commands begin moves. */
export const movesModule = (config: Config) =>
  moduleOf(({ provideTick, provideBackground }) => {
    const cells = cellsOf(config);
    if (cells.length === 1) return;
    const mover = moverOf(cells);
    provideTick("moves.settle", 5, () => mover.settleAll());
    provideTick("moves.free-names", 600, () => mover.freeNames());
    provideTick("moves.tidy", 600, async ({ log }) => {
      const rows = await mover.tidy();
      if (rows > 0) log.info({ rows }, "rows left behind by moved businesses were removed");
    });
    provideBackground("moved businesses", "means", ({ directory, log }) => ({
      start: () =>
        directory.locations.onMove((businessId) =>
          log.info(
            { businessId, cell: directory.locations.cached(businessId)?.cell },
            "a business was moved to another cell",
          ),
        ),
    }));
    if (config.role === "worker") return;
    provideBackground("sockets of moved businesses", "means", ({ directory, gateway }) => ({
      start: () => directory.locations.onMove((businessId) => void gateway.resync(businessId)),
    }));
  });
