import { type Bind, ContainerModule } from "inversify";
import { oneRecordRoutes } from "../administration/adapters/http/one-record.routes.ts";
import type { RecordOnWire } from "../administration/adapters/http/record-on-wire.ts";
import { recordRoutes } from "../administration/adapters/http/records.routes.ts";
import { userAccessRoutes } from "../administration/adapters/http/user-access.routes.ts";
import { PostgresAuditLog } from "../administration/adapters/postgres/audit-log.ts";
import { KnexRecords } from "../administration/adapters/postgres/knex-records.ts";
import type { RecordTable } from "../administration/adapters/postgres/record-table.ts";
import {
  type Changed,
  ChangeRecords,
  ManageRecords,
  ManageUserAccess,
  type OneRecord,
  type RecordReads,
  type RecordStore,
  type RecordStores,
} from "../administration/public.ts";
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
import { tagsOnWire } from "../administration/resources/tags/http.ts";
import { tagsTable } from "../administration/resources/tags/postgres.ts";
import { usersOnWire } from "../administration/resources/users/http.ts";
import { PostgresUserRecords, type UserParts } from "../administration/resources/users/postgres.ts";
import { leaves, type User } from "../administration/resources/users/record.ts";
import { zonesOnWire } from "../administration/resources/zones/http.ts";
import { zonesTable } from "../administration/resources/zones/postgres.ts";
import { tellOfAgents } from "../inbox/adapters/postgres/leaving-users.ts";
import { newToken } from "../infra/crypto/secrets.ts";
import type { Route } from "../infra/http/routing/route.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell, Queries } from "../infra/postgres/database.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import type { EventFeed } from "../kernel/events.ts";
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
  provide(
    bind,
    tokens.routes,
    [tokens.cells, tokens.secrets, tokens.feed, tokens.handOverChats],
    (cells, secrets, feed, handOver) => {
      const newInvitation = () => {
        const token = newToken("ri");
        return { token, digest: secrets.digest(token) };
      };
      const parts: UserParts = { newInvitation, tellOfAgents };
      const recordsOn = (queries: Queries) => new PostgresUserRecords(queries, parts);
      const afterwards = async ({ actor: { businessId }, id: userId, before, after }: Changed<User>) => {
        if (before && leaves(before, after)) await handOver.executeFor({ businessId, userId });
      };
      const access = new ManageUserAccess(
        {
          find: (businessId, userId) => recordsOn(cells.of(businessId)).find(businessId, userId),
          sessions: (businessId, userId) => recordsOn(cells.of(businessId)).sessions(businessId, userId),
        },
        unitOfWorkOf(cells, recordsOn),
      );
      return [...routesOf(usersOnWire, cells, recordsOn, afterwards, feed), ...userAccessRoutes(access)];
    },
  );
});

/** The routes of a resource that needs nothing but its table. */
const provideRecords = <Fields extends object>(bind: Bind, onWire: RecordOnWire<Fields>, table: RecordTable<Fields>) =>
  provide(bind, tokens.routes, [tokens.cells], (cells) =>
    routesOf(onWire, cells, (queries) => new KnexRecords(queries, table)),
  );

function routesOf<Fields extends object>(
  onWire: RecordOnWire<Fields>,
  cells: Cells<Cell>,
  recordsOn: (queries: Queries) => RecordStore<Fields>,
  afterwards?: (changed: Changed<Fields>) => Promise<void>,
  feed?: EventFeed,
): Route[] {
  const reads: RecordReads<Fields> = {
    list: (businessId, asked) => recordsOn(cells.of(businessId)).list(businessId, asked),
    find: (businessId, id) => recordsOn(cells.of(businessId)).find(businessId, id),
  };
  const unitOfWork = unitOfWorkOf(cells, recordsOn);
  return recordRoutes(onWire, new ManageRecords({ name: onWire.path }, reads, unitOfWork, afterwards, feed));
}

/** The routes of what a business has one of. */
function provideOneRecord<Fields extends object>(
  bind: Bind,
  onWire: RecordOnWire<Fields>,
  recordOn: (queries: Queries) => OneRecord<Fields>,
): void {
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
