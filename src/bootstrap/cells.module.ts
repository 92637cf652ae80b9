import { ContainerModule } from "inversify";
import { background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
import { CellHealth } from "../infra/postgres/cell-health.ts";
import { type Cells, connectionGate, sharedCell } from "../infra/postgres/cells.ts";
import { type Cell, Database } from "../infra/postgres/database.ts";
import { Directory } from "../infra/postgres/directory.ts";
import { Notifications } from "../infra/postgres/notifications.ts";
import { guarded, SpreadCells } from "../infra/postgres/spread-cells.ts";
import { SpreadGate } from "../infra/postgres/spread-gate.ts";
import { SpreadNotifications } from "../infra/postgres/spread-notifications.ts";
import type { FairGate } from "../kernel/fair-gate.ts";
import type { Log } from "../kernel/log.ts";
import { OccasionalLog } from "../kernel/occasional-log.ts";
import { type CellSettings, type Config, cellsOf } from "./config.ts";
import type { OpenedCell, OpenedCells } from "./opened-cell.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

/** Connections for keys, sessions and what else is looked for before a business is known. */
const directoryPoolSize = 4;
/** Milliseconds: what answers later does not answer. */
const probeLimits = { poolSize: 1, statementTimeoutMs: 1_000, connectTimeoutMs: 1_000, silenceMs: 0 };
const repeatTroublesEveryMs = 10_000;

/** The databases of one process. Where there is one cell, its tables are the directory. */
export const cellsModule = (config: Config) =>
  new ContainerModule(({ bind }) => {
    const isAlone = cellsOf(config).length === 1;
    provide(bind, tokens.openedCells, [tokens.log], (log): OpenedCells => {
      const [first, ...others] = cellsOf(config);
      return [open(first, config, log), ...others.map((cell) => open(cell, config, log))];
    });
    provide(bind, tokens.directory, [tokens.openedCells, tokens.log], ([first], log) => {
      const troubles = new OccasionalLog(log, repeatTroublesEveryMs);
      return new Directory(guarded(first), { first: first.name }, (error) =>
        troubles.warn({ err: error }, "the directory cannot be read"),
      );
    });
    provide(bind, tokens.database, [tokens.openedCells], ([first]) => first.database);
    provide(
      bind,
      tokens.cells,
      [tokens.openedCells, tokens.directory, tokens.log],
      (opened, directory, log): Cells<Cell> => (isAlone ? opened[0].cells : spread(opened, directory, log)),
    );
    provide(
      bind,
      tokens.slowCells,
      [tokens.openedCells, tokens.directory, tokens.log],
      (opened, directory, log): Cells<Cell> => {
        const slow = opened.map((cell) => ({ ...cell, cells: slowOf(cell, config) })) as unknown as OpenedCells;
        return isAlone ? slow[0].cells : spread(slow, directory, log);
      },
    );
    provide(bind, tokens.databaseGate, [tokens.openedCells, tokens.directory], (opened, directory) => {
      const gates = opened.map(({ gate }) => gate) as [FairGate, ...FairGate[]];
      return isAlone ? gates[0] : new SpreadGate(gates, (id) => cellOf(opened, directory, id).gate);
    });
    provide(
      bind,
      tokens.notifications,
      [tokens.openedCells, tokens.directory, tokens.log],
      (opened, directory, log) => {
        // Schemas of one database share a listener.
        const byUrl = new Map(opened.map(({ directUrl }) => [directUrl, new Notifications(directUrl, log)]));
        const [only] = byUrl.values();
        if (isAlone && only) return only;
        const of = (id: number) => byUrl.get(cellOf(opened, directory, id).directUrl) as Notifications;
        const all = new SpreadNotifications([...byUrl.values()], of);
        all.onWork("businesses_placed", () => void directory.look());
        return all;
      },
    );
    provide(bind, tokens.background, [tokens.notifications], (notifications) =>
      background("notifications", "means", {
        start: () => notifications.start(),
        stop: () => notifications.close(),
      }),
    );
    provide(
      bind,
      tokens.background,
      [tokens.openedCells, tokens.directory, tokens.databaseGate, tokens.metrics, tokens.log],
      (opened, directory, gate, metrics, log) =>
        background("database", "means", {
          start: async () => {
            metrics.gauge("database_connections", "Connections of this process", () => connectionsOf(opened));
            metrics.gauge("database_turns", "Work on the database, under way and waiting", () => ({ ...gate.stats() }));
            if (isAlone) return;
            const away = () => ({ away: opened.filter(({ health }) => health.isAway).length, all: opened.length });
            metrics.gauge("cells", "Cells, and those that do not answer", away);
            log.info({ cells: opened.map(({ name, schema }) => ({ name, schema })) }, "cells of the installation");
            for (const { health } of opened) health.start();
            await directory.start();
          },
          stop: async () => {
            directory.stop();
            for (const { health } of opened) health.stop();
            await closeCells(opened);
          },
        }),
    );
    if (isAlone) return;
    provide(bind, tokens.tick, [tokens.directory, tokens.cells], (directory, cells) =>
      tick("directory.sweep", 60, () => directory.sweep((businessId) => cells.of(businessId))),
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
  // The planner expects far more rows than a report has; compiling for them would take longer than the report.
  const slowDatabase = database.beside({
    poolSize: slowPoolSize,
    statementTimeoutMs: slowStatementTimeoutMs,
    sessionSettings: { jit: "off" },
  });
  const probe = database.beside({ ...probeLimits, applicationName: "recado readiness" });
  // A third of a second of work on two cores.
  const gate = connectionGate({ name: "database", width: poolSize, waitMs, crowd: { ofOne: 150, all: 300 } });
  const cells = sharedCell(database, gate, connectionGate({ name: "directory", width: directoryPoolSize, waitMs }));
  const health = new CellHealth({
    name,
    ping: () => probe.ping(),
    onChange: (isAway, error) => {
      if (isAway) log.error({ err: error, cell: name }, "a cell does not answer");
      else log.info({ cell: name }, "a cell answers again");
    },
  });
  return { ...settings, database, slowDatabase, probe, gate, cells, health };
}

function slowOf({ slowDatabase }: OpenedCell, { database }: Config): Cells<Cell> {
  const { slowPoolSize: width, connectTimeoutMs: waitMs } = database;
  const gate = connectionGate({ name: "slow database", width, waitMs });
  return sharedCell(slowDatabase, gate, gate);
}

function spread(opened: OpenedCells, directory: Directory, log: Log): Cells<Cell> {
  const troubles = new OccasionalLog(log, repeatTroublesEveryMs);
  return new SpreadCells(opened, directory, (error, cell) =>
    troubles.warn({ err: error, cell }, "a cell failed at what others did"),
  );
}

/** That of a business that this process does not know yet is the first one. */
const cellOf = (opened: OpenedCells, directory: Directory, businessId: number): OpenedCell => {
  const name = directory.known(businessId)?.cell;
  return opened.find((cell) => cell.name === name) ?? opened[0];
};

function connectionsOf(opened: OpenedCells): { open: number; idle: number; waiting: number } {
  const all = opened.map(({ database }) => database.stats());
  const sum = (of: "open" | "idle" | "waiting") => all.reduce((total, each) => total + each[of], 0);
  return { open: sum("open"), idle: sum("idle"), waiting: sum("waiting") };
}
