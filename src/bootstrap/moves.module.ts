import { ContainerModule } from "inversify";
import { background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
import { type Config, cellsOf } from "./config.ts";
import { moverOf } from "./mover.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

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
