import { choicesRoutes } from "../administration/adapters/http/choices.routes.ts";
import { importRoutes } from "../administration/adapters/http/import-records.routes.ts";
import { oneRecordRoutes } from "../administration/adapters/http/one-record.routes.ts";
import type { RecordOnWire } from "../administration/adapters/http/record-on-wire.ts";
import { recordRoutes } from "../administration/adapters/http/records.routes.ts";
import { PostgresAuditLog } from "../administration/adapters/postgres/audit-log.ts";
import { KnexBatches } from "../administration/adapters/postgres/knex-batches.ts";
import { KnexRecords } from "../administration/adapters/postgres/knex-records.ts";
import type { RecordTable } from "../administration/adapters/postgres/record-table.ts";
import {
  ChangeRecords,
  type CommittedChange,
  ImportRecords,
  ManageRecords,
  type Matching,
  type OneRecord,
  type RecordBatches,
  type RecordReads,
  type RecordStore,
  type RecordStores,
  type ResourceRules,
} from "../administration/public.ts";
import { newToken } from "../infra/crypto/secrets.ts";
import type { Route } from "../infra/http/routing/route.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell, Queries } from "../infra/postgres/database.ts";
import { PostgresRefusedRows } from "../infra/postgres/refused-rows.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import type { EventFeed } from "../kernel/events.ts";
import type { Log } from "../kernel/log.ts";
import { ImportRows } from "../kernel/row-imports.ts";
import type { Provide } from "./provide.ts";

interface Own<Fields extends object> {
  readonly rules?: Omit<ResourceRules<Fields>, "name">;
  readonly afterCommit?: (changed: CommittedChange<Fields>) => Promise<void>;
  readonly feed?: EventFeed;
  /** Rows per transaction of an import; 1,000 unless given. Fewer rows block other changes for a shorter time. */
  readonly rowsAtOnce?: number;
}

/** The routes of a resource that only needs a table. */
export function provideRecords<Fields extends object>(
  provide: Provide,
  onWire: RecordOnWire<Fields>,
  table: RecordTable<Fields>,
) {
  provide("routes", ({ cells, log }) => [
    ...importsOf(onWire, cells, log, (queries, matching) => new KnexBatches(queries, table, matching)),
    ...routesOf(onWire, cells, (queries) => new KnexRecords(queries, table)),
  ]);
}

/** The import routes of a resource. A resource without `matching` has none. */
export function importsOf<Fields extends object>(
  onWire: RecordOnWire<Fields>,
  cells: Cells<Cell>,
  log: Log,
  batchesOn: (transaction: Queries, matching: Matching<Fields>) => RecordBatches<Fields>,
  { rules = {}, afterCommit, feed, rowsAtOnce }: Own<Fields> = {},
): Route[] {
  const { path, matching } = onWire;
  if (!matching) return [];
  const refused = new PostgresRefusedRows(cells, path);
  const rows = new ImportRows(refused, () => newToken("r"), rowsAtOnce);
  const imports = new ImportRecords(
    { ...rules, name: path, matching },
    unitOfWorkOf(cells, (transaction) => batchesOn(transaction, matching)),
    rows,
    afterCommit,
    feed,
  );
  const onFailure = (error: unknown) => log.warn({ err: error, resource: path }, "an import of records broke off");
  return importRoutes({ ...onWire, matching }, { imports, refused, onFailure });
}

export function routesOf<Fields extends object>(
  onWire: RecordOnWire<Fields>,
  cells: Cells<Cell>,
  recordsOn: (queries: Queries) => RecordStore<Fields>,
  { rules = {}, afterCommit, feed }: Own<Fields> = {},
): Route[] {
  const reads: RecordReads<Fields> = {
    list: (businessId, asked) => recordsOn(cells.of(businessId)).list(businessId, asked),
    find: (businessId, id) => recordsOn(cells.of(businessId)).find(businessId, id),
  };
  const named = { ...rules, name: onWire.path };
  const records = new ManageRecords(named, reads, unitOfWorkOf(cells, recordsOn), afterCommit, feed);
  return [...recordRoutes(onWire, records), ...choicesRoutes(onWire, records)];
}

/** The routes of a resource with one record per business. */
export function oneRecordRoutesOf<Fields extends object>(
  onWire: RecordOnWire<Fields>,
  cells: Cells<Cell>,
  recordOn: (queries: Queries) => OneRecord<Fields>,
  rules: Omit<ResourceRules<Fields>, "name"> = {},
): Route[] {
  const reads = { find: (businessId: number, id: number) => recordOn(cells.of(businessId)).find(businessId, id) };
  const records = new ChangeRecords({ ...rules, name: onWire.path }, reads, unitOfWorkOf(cells, recordOn));
  return oneRecordRoutes(onWire, records);
}

export const unitOfWorkOf = <Store>(cells: Cells<Cell>, recordsOn: (transaction: Queries) => Store) =>
  new PostgresUnitOfWork(
    cells,
    (transaction): RecordStores<Store> => ({
      records: recordsOn(transaction),
      audit: new PostgresAuditLog(transaction),
    }),
  );
