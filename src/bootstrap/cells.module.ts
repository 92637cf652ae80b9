import { CellHealth } from "../infra/postgres/cells/cell-health.ts";
import { failingFast, MultipleCells } from "../infra/postgres/cells/multiple-cells.ts";
import { MultipleNotifications } from "../infra/postgres/cells/multiple-notifications.ts";
import { MultipleQueues } from "../infra/postgres/cells/multiple-queues.ts";
import { type Cells, connectionQueue, sharedCell } from "../infra/postgres/cells.ts";
import { type Cell, Database } from "../infra/postgres/database.ts";
import { Directory } from "../infra/postgres/directory/directory.ts";
import { Notifications } from "../infra/postgres/notifications.ts";
import type { FairQueue } from "../kernel/fair-queue.ts";
import type { Log } from "../kernel/log.ts";
import { OccasionalLog } from "../kernel/occasional-log.ts";
import { sumsOf } from "../kernel/sums.ts";
import { type CellSettings, type Config, cellsOf } from "./config.ts";
import type { OpenedCell, OpenedCells } from "./opened-cell.ts";
import { moduleOf } from "./provide.ts";

/** Connections for finding the business of a key, session and the like. */
const directoryPoolSize = 4;
/** A health check fails if it waits more than 1,000 ms for a connection, or more than 1,000 ms for its query. */
const probeLimits = { poolSize: 1, statementTimeoutMs: 1_000, connectTimeoutMs: 1_000, silenceMs: 0 };
const repeatTroublesEveryMs = 10_000;

/** The databases of a process. A single cell needs no directory: it has all keys and sessions itself. */
export const cellsModule = (config: Config) =>
  moduleOf(({ provide, provideTick, provideBackground }) => {
    const isAlone = cellsOf(config).length === 1;
    provide("openedCells", ({ log }): OpenedCells => {
      const [first, ...others] = cellsOf(config);
      return [open(first, config, log), ...others.map((cell) => open(cell, config, log))];
    });
    provide("directory", ({ openedCells: [first], log }) => {
      const troubles = new OccasionalLog(log, repeatTroublesEveryMs);
      return new Directory(failingFast(first), { first: first.name }, (error) =>
        troubles.warn({ err: error }, "the directory cannot be read"),
      );
    });
    provide("database", ({ openedCells: [first] }) => first.database);
    provide(
      "cells",
      ({ openedCells, directory, log }): Cells<Cell> =>
        isAlone ? openedCells[0].cells : spread(openedCells, directory, log),
    );
    provide("slowCells", ({ openedCells, directory, log }): Cells<Cell> => {
      const slow = openedCells.map((cell) => ({ ...cell, cells: slowOf(cell, config) })) as unknown as OpenedCells;
      return isAlone ? slow[0].cells : spread(slow, directory, log);
    });
    provide("databaseGate", ({ openedCells, directory }) => {
      const gates = openedCells.map(({ gate }) => gate) as [FairQueue, ...FairQueue[]];
      return isAlone ? gates[0] : new MultipleQueues(gates, (id) => lastCellOf(openedCells, directory, id).gate);
    });
    provide("notifications", ({ openedCells, directory, log }) => {
      // Schemas of one database share a listener.
      const byUrl = new Map(openedCells.map(({ directUrl }) => [directUrl, new Notifications(directUrl, log)]));
      const [only] = byUrl.values();
      if (isAlone && only) return only;
      const of = (id: number) => {
        const name = directory.locations.cached(id)?.cell;
        return byUrl.get(openedCells.find((cell) => cell.name === name)?.directUrl ?? "");
      };
      const all = new MultipleNotifications([...byUrl.values()], of);
      all.onWork("businesses_placed", () => void directory.locations.refresh());
      return all;
    });
    provideBackground("notifications", "means", ({ notifications }) => ({
      start: () => notifications.start(),
      stop: () => notifications.close(),
    }));
    provideBackground("database", "means", ({ openedCells, directory, databaseGate, metrics, log }) => ({
      start: async () => {
        metrics.gauge("database_connections", "Connections of this process", () =>
          sumsOf(openedCells.map(({ database }) => database.stats())),
        );
        metrics.gauge("database_turns", "Work on the database, under way and waiting", () => ({
          ...databaseGate.stats(),
        }));
        if (isAlone) return;
        const away = () => ({
          away: openedCells.filter(({ health }) => health.isDown).length,
          all: openedCells.length,
        });
        metrics.gauge("cells", "Cells, and those that do not answer", away);
        log.info({ cells: openedCells.map(({ name, schema }) => ({ name, schema })) }, "cells of the installation");
        for (const { health } of openedCells) health.start();
        await directory.locations.start();
      },
      stop: async () => {
        directory.locations.stop();
        for (const { health } of openedCells) health.stop();
        await closeCells(openedCells);
      },
    }));
    if (isAlone) return;
    provideTick("directory.sweep", 60, ({ directory, cells }, signal) =>
      directory.names.sweep((id) => cells.of(id), signal),
    );
  });

export const closeCells = async (opened: OpenedCells): Promise<void> => {
  await Promise.all(opened.map(({ database }) => database.close()));
};

function open(settings: CellSettings, config: Config, log: Log): OpenedCell {
  const { name, url, schema } = settings;
  const { poolSize, slowPoolSize, slowStatementTimeoutMs, connectTimeoutMs: waitMs } = config.database;
  const place = { ...config.database, url, ...(schema && { schema }) };
  const database = Database.open({ ...place, poolSize: poolSize + directoryPoolSize }, (error) =>
    log.warn({ err: error }, "an idle database connection broke"),
  );
  // Without `jit: "off"`, PostgreSQL would compile the queries of reports. Compiling takes longer than the queries.
  const slowDatabase = database.beside({
    poolSize: slowPoolSize,
    statementTimeoutMs: slowStatementTimeoutMs,
    sessionSettings: { jit: "off" },
  });
  const probe = database.beside({ ...probeLimits, applicationName: "recado readiness" });
  // `all`: two cores finish this much waiting work in about 0.1 s. `least`: a page in a browser sends six requests at
  // once. They must not be refused because of other businesses' work, so `least` is larger than six.
  const gate = connectionQueue({
    name: "database",
    width: poolSize,
    waitMs,
    overload: { perKey: 150, all: 200, least: 10 },
  });
  const cells = sharedCell(database, gate, connectionQueue({ name: "directory", width: directoryPoolSize, waitMs }));
  const health = new CellHealth({
    name,
    ping: () => probe.ping(),
    onChange: (isDown, error) => {
      if (isDown) log.error({ err: error, cell: name }, "a cell does not answer");
      else log.info({ cell: name }, "a cell answers again");
    },
  });
  return { ...settings, database, slowDatabase, probe, gate, cells, health };
}

function slowOf({ slowDatabase }: OpenedCell, { database }: Config): Cells<Cell> {
  const { slowPoolSize: width, connectTimeoutMs: waitMs } = database;
  const gate = connectionQueue({ name: "slow database", width, waitMs });
  return sharedCell(slowDatabase, gate, gate);
}

function spread(opened: OpenedCells, directory: Directory, log: Log): Cells<Cell> {
  const troubles = new OccasionalLog(log, repeatTroublesEveryMs);
  return new MultipleCells(opened, directory, (error, cell) =>
    troubles.warn({ err: error, cell }, "a cell failed while others answered"),
  );
}

/**
 * The cell in which this process last found the business, else the first cell. The business may have moved since. This
 * does no harm, because the cell is used only to check whether its database is too busy for a request.
 */
const lastCellOf = (opened: OpenedCells, directory: Directory, businessId: number): OpenedCell => {
  const name = directory.locations.lastKnown(businessId);
  return opened.find((cell) => cell.name === name) ?? opened[0];
};
