import { type Bind, ContainerModule } from "inversify";
import { auditRoute } from "../administration/adapters/http/audit.routes.ts";
import { importRoutes } from "../administration/adapters/http/import-records.routes.ts";
import { oneRecordRoutes } from "../administration/adapters/http/one-record.routes.ts";
import type { RecordOnWire } from "../administration/adapters/http/record-on-wire.ts";
import { recordRoutes } from "../administration/adapters/http/records.routes.ts";
import { pairingRoute } from "../administration/adapters/http/senders.routes.ts";
import { PostgresAuditLog, PostgresAuditReads } from "../administration/adapters/postgres/audit-log.ts";
import { KnexBatches } from "../administration/adapters/postgres/knex-batches.ts";
import { KnexRecords } from "../administration/adapters/postgres/knex-records.ts";
import type { RecordTable } from "../administration/adapters/postgres/record-table.ts";
import { SealedRecords } from "../administration/adapters/postgres/sealed-records.ts";
import {
  adAccountRules,
  ChangeRecords,
  ImportRecords,
  ManageRecords,
  type OneRecord,
  PairSenders,
  ReadAudit,
  type RecordBatches,
  type RecordReads,
  type RecordStore,
  type RecordStores,
  type ResourceRules,
  senderRules,
} from "../administration/public.ts";
import { adAccountsOnWire } from "../administration/resources/ad-accounts/http.ts";
import { adAccountsTable } from "../administration/resources/ad-accounts/postgres.ts";
import { appKeysOnWire } from "../administration/resources/app-keys/http.ts";
import { PostgresAppKeyRecords } from "../administration/resources/app-keys/postgres.ts";
import { articlesOnWire } from "../administration/resources/articles/http.ts";
import { articlesTable } from "../administration/resources/articles/postgres.ts";
import { branchesOnWire } from "../administration/resources/branches/http.ts";
import { branchesTable } from "../administration/resources/branches/postgres.ts";
import { businessOnWire } from "../administration/resources/business/http.ts";
import { PostgresOwnBusiness } from "../administration/resources/business/postgres.ts";
import { departmentsOnWire } from "../administration/resources/departments/http.ts";
import { departmentsTable } from "../administration/resources/departments/postgres.ts";
import { driversOnWire } from "../administration/resources/drivers/http.ts";
import { driversTable } from "../administration/resources/drivers/postgres.ts";
import { extrasOnWire } from "../administration/resources/extras/http.ts";
import { extrasTable } from "../administration/resources/extras/postgres.ts";
import { flagsOnWire } from "../administration/resources/flags/http.ts";
import { PostgresFlags } from "../administration/resources/flags/postgres.ts";
import { quickRepliesOnWire } from "../administration/resources/quick-replies/http.ts";
import { quickRepliesTable } from "../administration/resources/quick-replies/postgres.ts";
import { sendersOnWire } from "../administration/resources/senders/http.ts";
import { PostgresSenderRecords } from "../administration/resources/senders/postgres.ts";
import { tagsOnWire } from "../administration/resources/tags/http.ts";
import { tagsTable } from "../administration/resources/tags/postgres.ts";
import { zonesOnWire } from "../administration/resources/zones/http.ts";
import { zonesTable } from "../administration/resources/zones/postgres.ts";
import { newToken } from "../infra/crypto/secrets.ts";
import type { Route } from "../infra/http/routing/route.ts";
import { tick } from "../infra/jobs/clock.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell, Queries } from "../infra/postgres/database.ts";
import { PostgresRefusedRows } from "../infra/postgres/refused-rows.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import type { Log } from "../kernel/log.ts";
import { ImportRows } from "../kernel/row-imports.ts";
import { HttpSenderPlatforms } from "../messaging/adapters/http-client/sender-platforms.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

export const administrationModule = new ContainerModule(({ bind }) => {
  provideRecords(bind, branchesOnWire, branchesTable);
  provideRecords(bind, driversOnWire, driversTable);
  provideRecords(bind, articlesOnWire, articlesTable);
  provideRecords(bind, extrasOnWire, extrasTable);
  provideRecords(bind, quickRepliesOnWire, quickRepliesTable);
  provideRecords(bind, departmentsOnWire, departmentsTable);
  provideRecords(bind, tagsOnWire, tagsTable);
  spell(bind, appKeysOnWire);
  provide(bind, tokens.routes, [tokens.cells, tokens.secrets], (cells, secrets) => {
    const newKey = () => {
      const key = newToken("rk");
      return { key, digest: secrets.digest(key) };
    };
    return routesOf(appKeysOnWire, cells, (queries) => new PostgresAppKeyRecords(queries, newKey));
  });
  provideOneRecord(bind, businessOnWire, (queries) => new PostgresOwnBusiness(queries));
  provideOneRecord(bind, flagsOnWire, (queries) => new PostgresFlags(queries));
  provideRecords(bind, zonesOnWire, zonesTable);
  spell(bind, adAccountsOnWire);
  provide(
    bind,
    tokens.routes,
    [tokens.cells, tokens.secrets, tokens.adPlatform, tokens.adCredentials],
    (cells, secrets, platform, credentials) => {
      const recordsOn = (queries: Queries) => new SealedRecords(queries, secrets, adAccountsTable);
      return routesOf(adAccountsOnWire, cells, recordsOn, adAccountRules(platform, credentials));
    },
  );
  spell(bind, sendersOnWire);
  provide(
    bind,
    tokens.routes,
    [tokens.cells, tokens.secrets, tokens.httpClient, tokens.config],
    (cells, secrets, client, { messagingPlatform, channels: urls }) => {
      const platforms = new HttpSenderPlatforms({ client, messagingPlatform, urls });
      const recordsOn = (queries: Queries) => new PostgresSenderRecords(queries, secrets);
      const pairing = new PairSenders(
        async (businessId, id) => (await recordsOn(cells.of(businessId)).lock(businessId, id))?.fields ?? null,
        platforms,
        (businessId, id, state) => recordsOn(cells.of(businessId)).note(businessId, id, state),
      );
      return [pairingRoute(pairing), ...routesOf(sendersOnWire, cells, recordsOn, senderRules(platforms))];
    },
  );
  bind(tokens.routes).toResolvedValue(
    (cells: Cells<Cell>, resources: RecordOnWire<never>[]) => [
      auditRoute(new ReadAudit(new PostgresAuditReads(cells)), resources),
    ],
    [tokens.cells, { serviceIdentifier: tokens.recordOnWire, isMultiple: true }],
  );
  provide(bind, tokens.tick, [tokens.cells], (cells) =>
    tick("audit.purge", 3600, (signal) => new PostgresAuditReads(cells).purge(signal)),
  );
});

/** The routes of a resource that needs nothing but its table. */
function provideRecords<Fields extends object>(bind: Bind, onWire: RecordOnWire<Fields>, table: RecordTable<Fields>) {
  spell(bind, onWire);
  provide(bind, tokens.routes, [tokens.cells, tokens.log], (cells, log) => [
    ...importsOf(onWire, cells, log, (queries) => new KnexBatches(queries, table)),
    ...routesOf(onWire, cells, (queries) => new KnexRecords(queries, table)),
  ]);
}

/** The routes by which files come in; none where nothing says how their rows are matched. */
function importsOf<Fields extends object>(
  onWire: RecordOnWire<Fields>,
  cells: Cells<Cell>,
  log: Log,
  batchesOn: (transaction: Queries) => RecordBatches<Fields>,
): Route[] {
  const { path, matching } = onWire;
  if (!matching) return [];
  const refused = new PostgresRefusedRows(cells, path);
  const rows = new ImportRows(refused, () => newToken("r"));
  const imports = new ImportRecords({ name: path, matching }, unitOfWorkOf(cells, batchesOn), rows);
  const onFailure = (error: unknown) => log.warn({ err: error, resource: path }, "an import of records broke off");
  return importRoutes({ ...onWire, matching }, { imports, refused, onFailure });
}

/** So that the audit spells its records as its own routes do. */
const spell = <Fields extends object>(bind: Bind, onWire: RecordOnWire<Fields>) =>
  bind(tokens.recordOnWire).toConstantValue(onWire as unknown as RecordOnWire<never>);

function routesOf<Fields extends object>(
  onWire: RecordOnWire<Fields>,
  cells: Cells<Cell>,
  recordsOn: (queries: Queries) => RecordStore<Fields>,
  rules: ResourceRules<Fields> = { name: onWire.path },
): Route[] {
  const reads: RecordReads<Fields> = {
    list: (businessId, asked) => recordsOn(cells.of(businessId)).list(businessId, asked),
    find: (businessId, id) => recordsOn(cells.of(businessId)).find(businessId, id),
  };
  return recordRoutes(onWire, new ManageRecords(rules, reads, unitOfWorkOf(cells, recordsOn)));
}

/** The routes of what a business has one of. */
function provideOneRecord<Fields extends object>(
  bind: Bind,
  onWire: RecordOnWire<Fields>,
  recordOn: (queries: Queries) => OneRecord<Fields>,
): void {
  spell(bind, onWire);
  provide(bind, tokens.routes, [tokens.cells], (cells) => {
    const reads = { find: (businessId: number, id: number) => recordOn(cells.of(businessId)).find(businessId, id) };
    const records = new ChangeRecords({ name: onWire.path }, reads, unitOfWorkOf(cells, recordOn));
    return oneRecordRoutes(onWire, records);
  });
}

const unitOfWorkOf = <Store>(cells: Cells<Cell>, recordsOn: (transaction: Queries) => Store) =>
  new PostgresUnitOfWork(
    cells,
    (transaction): RecordStores<Store> => ({
      records: recordsOn(transaction),
      audit: new PostgresAuditLog(transaction),
    }),
  );
