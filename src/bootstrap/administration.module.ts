import { type Bind, ContainerModule } from "inversify";
import { oneRecordRoutes } from "../administration/adapters/http/one-record.routes.ts";
import type { RecordOnWire } from "../administration/adapters/http/record-on-wire.ts";
import { recordRoutes } from "../administration/adapters/http/records.routes.ts";
import { templateRoutes } from "../administration/adapters/http/templates.routes.ts";
import { userAccessRoutes } from "../administration/adapters/http/user-access.routes.ts";
import { PostgresAuditLog } from "../administration/adapters/postgres/audit-log.ts";
import { KnexRecords } from "../administration/adapters/postgres/knex-records.ts";
import type { RecordTable } from "../administration/adapters/postgres/record-table.ts";
import {
  type ApprovingPlatform,
  type Changed,
  ChangeRecords,
  ManageRecords,
  ManageUserAccess,
  NoAccount,
  type OneRecord,
  type RecordReads,
  type RecordStore,
  type RecordStores,
  SubmitTemplate,
  SyncTemplates,
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
import { stepsOnWire } from "../administration/resources/steps/http.ts";
import { PostgresStepRecords } from "../administration/resources/steps/postgres.ts";
import { tagsOnWire } from "../administration/resources/tags/http.ts";
import { tagsTable } from "../administration/resources/tags/postgres.ts";
import { checkStructure, checkTemplate, templatesOnWire } from "../administration/resources/templates/http.ts";
import { PostgresTemplateRecords } from "../administration/resources/templates/postgres.ts";
import { usersOnWire } from "../administration/resources/users/http.ts";
import { PostgresUserRecords, type UserParts } from "../administration/resources/users/postgres.ts";
import { leaves, type User } from "../administration/resources/users/record.ts";
import { webhooksOnWire } from "../administration/resources/webhooks/http.ts";
import { PostgresWebhookRecords } from "../administration/resources/webhooks/postgres.ts";
import { zonesOnWire } from "../administration/resources/zones/http.ts";
import { zonesTable } from "../administration/resources/zones/postgres.ts";
import { tellOfAgents } from "../inbox/adapters/postgres/leaving-users.ts";
import { newToken } from "../infra/crypto/secrets.ts";
import type { Route } from "../infra/http/routing/route.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell, Queries } from "../infra/postgres/database.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { cloudChannel } from "../kernel/channels.ts";
import type { EventFeed } from "../kernel/events.ts";
import type { SenderDirectory, TemplateApproval } from "../messaging/public.ts";
import { complaintAboutUrl } from "../webhooks/adapters/http-client/webhook-sender.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";
import { newSecretBy } from "./webhooks.module.ts";

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
  provide(bind, tokens.routes, [tokens.cells, tokens.secrets, tokens.config], (cells, secrets, { webhooks }) => {
    const onWire = webhooksOnWire((url) => complaintAboutUrl(url, webhooks.allowPrivateUrls));
    return routesOf(onWire, cells, (queries) => new PostgresWebhookRecords(queries, newSecretBy(secrets)));
  });
  provideOneRecord(bind, businessOnWire, (queries) => new PostgresOwnBusiness(queries));
  provideOneRecord(bind, flagsOnWire, (queries) => new PostgresFlags(queries));
  provideRecords(bind, zonesOnWire, zonesTable);
  provide(bind, tokens.routes, [tokens.cells], (cells) =>
    routesOf(stepsOnWire, cells, (queries) => new PostgresStepRecords(queries)),
  );
  provide(bind, tokens.routes, [tokens.cells, tokens.platform, tokens.senderDirectory], (cells, approval, senders) => {
    const recordsOn = (queries: Queries) => new PostgresTemplateRecords(queries);
    const unitOfWork = unitOfWorkOf(cells, recordsOn);
    const platform = approvingPlatform(approval, senders);
    return [
      ...routesOf(templatesOnWire, cells, recordsOn, checkTemplate),
      ...templateRoutes(
        templatesOnWire,
        new SubmitTemplate(unitOfWork, platform, checkStructure),
        new SyncTemplates(unitOfWork, platform),
      ),
    ];
  });
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
      return [...routesOf(usersOnWire, cells, recordsOn, undefined, afterwards, feed), ...userAccessRoutes(access)];
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
  check?: (fields: Fields, before: Fields | null) => void,
  afterwards?: (changed: Changed<Fields>) => Promise<void>,
  feed?: EventFeed,
): Route[] {
  const reads: RecordReads<Fields> = {
    list: (businessId, asked) => recordsOn(cells.of(businessId)).list(businessId, asked),
    find: (businessId, id) => recordsOn(cells.of(businessId)).find(businessId, id),
  };
  const rules = { name: onWire.path, ...(check && { check }) };
  const unitOfWork = unitOfWorkOf(cells, recordsOn);
  return recordRoutes(onWire, new ManageRecords(rules, reads, unitOfWork, afterwards, feed));
}

/** The platform of the business's number. */
function approvingPlatform(approval: TemplateApproval, senders: SenderDirectory): ApprovingPlatform {
  const senderOf = async (businessId: number) => {
    const sender = await senders.of(businessId, cloudChannel);
    if (!sender) throw new NoAccount(`business ${businessId}`);
    return sender;
  };
  return {
    submit: async (businessId, template) => approval.submit(await senderOf(businessId), template),
    list: async (businessId) => approval.review(await senderOf(businessId)),
  };
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
