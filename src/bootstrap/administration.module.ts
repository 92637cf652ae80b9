import { auditRoute } from "../administration/adapters/http/audit.routes.ts";
import { ownSessionRoutes } from "../administration/adapters/http/own-sessions.routes.ts";
import type { RecordOnWire } from "../administration/adapters/http/record-on-wire.ts";
import { pairingRoute } from "../administration/adapters/http/senders.routes.ts";
import { templateRoutes } from "../administration/adapters/http/templates.routes.ts";
import { userAccessRoutes } from "../administration/adapters/http/user-access.routes.ts";
import { PostgresAuditLog, PostgresAuditReads } from "../administration/adapters/postgres/audit-log.ts";
import { SealedRecords } from "../administration/adapters/postgres/sealed-records.ts";
import { PostgresUserSessions } from "../administration/adapters/postgres/user-sessions.ts";
import {
  type ApprovingPlatform,
  adAccountRules,
  type CommittedChange,
  type InstanceReads,
  ManageUserAccess,
  PairSenders,
  ReadAudit,
  reportAccountRules,
  SetOperatorFlag,
  type StoredAdAccess,
  SubmitTemplate,
  SyncTemplates,
  senderRules,
} from "../administration/public.ts";
import { adAccountsOnWire } from "../administration/resources/ad-accounts/http.ts";
import { adAccountsTable } from "../administration/resources/ad-accounts/postgres.ts";
import { appKeyRules, appKeysOnWire } from "../administration/resources/app-keys/http.ts";
import { PostgresAppKeyRecords } from "../administration/resources/app-keys/postgres.ts";
import { articlesOnWire } from "../administration/resources/articles/http.ts";
import { articlesTable } from "../administration/resources/articles/postgres.ts";
import { branchesOnWire } from "../administration/resources/branches/http.ts";
import { branchesTable } from "../administration/resources/branches/postgres.ts";
import { businessOnWire } from "../administration/resources/business/http.ts";
import { PostgresOwnBusiness } from "../administration/resources/business/postgres.ts";
import { checkHours, departmentsOnWire } from "../administration/resources/departments/http.ts";
import { PostgresDepartmentRecords } from "../administration/resources/departments/postgres.ts";
import { driversOnWire } from "../administration/resources/drivers/http.ts";
import { driversTable } from "../administration/resources/drivers/postgres.ts";
import { extrasOnWire } from "../administration/resources/extras/http.ts";
import { extrasTable } from "../administration/resources/extras/postgres.ts";
import { checkFlags, flagsOnWire } from "../administration/resources/flags/http.ts";
import { PostgresFlags } from "../administration/resources/flags/postgres.ts";
import type { Flags } from "../administration/resources/flags/record.ts";
import { quickRepliesOnWire } from "../administration/resources/quick-replies/http.ts";
import { quickRepliesTable } from "../administration/resources/quick-replies/postgres.ts";
import { pairingsOnWire, sendersOnWire } from "../administration/resources/senders/http.ts";
import { PostgresSenderRecords } from "../administration/resources/senders/postgres.ts";
import { stepsOnWire } from "../administration/resources/steps/http.ts";
import { PostgresStepRecords } from "../administration/resources/steps/postgres.ts";
import { tagsOnWire } from "../administration/resources/tags/http.ts";
import { tagsTable } from "../administration/resources/tags/postgres.ts";
import { checkStructure, checkTemplate, templatesOnWire } from "../administration/resources/templates/http.ts";
import { PostgresTemplateRecords } from "../administration/resources/templates/postgres.ts";
import { invitationsOnWire, sessionsOnWire, usersOnWire } from "../administration/resources/users/http.ts";
import { PostgresUserRecords, type UserParts } from "../administration/resources/users/postgres.ts";
import { leaves, type User } from "../administration/resources/users/record.ts";
import { webhooksOnWire } from "../administration/resources/webhooks/http.ts";
import { PostgresWebhookRecords } from "../administration/resources/webhooks/postgres.ts";
import { zonesOnWire } from "../administration/resources/zones/http.ts";
import { zonesTable } from "../administration/resources/zones/postgres.ts";
import { HttpSenderPlatforms } from "../channels/sender-platforms.ts";
import { tellOfAgents } from "../inbox/adapters/postgres/acting/leaving-users.ts";
import { newToken } from "../infra/crypto/secrets.ts";
import { PostgresZones } from "../infra/postgres/business-zones.ts";
import type { Queries } from "../infra/postgres/database.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { cloudChannel } from "../kernel/channels.ts";
import { PostgresTemplateCampaigns } from "../messaging/adapters/postgres/templates/listed-templates.ts";
import { NoSender, type SenderDirectory, type TemplateApproval } from "../messaging/public.ts";
import { urlErrorOf } from "../webhooks/adapters/http-client/webhook-sender.ts";
import { endRound } from "../webhooks/adapters/postgres/deliveries.ts";
import { importsOf, oneRecordRoutesOf, provideRecords, routesOf, unitOfWorkOf } from "./administration-records.ts";
import { moduleOf } from "./provide.ts";
import { newSecretBy } from "./webhooks.module.ts";

/**
 * The most users in one transaction of an import. Each user takes about ten statements, and other changes of users wait
 * meanwhile.
 */
const usersAtOnce = 50;

/**
 * The audit shows the records of these resources in the format of their own routes. Webhooks are not here, because
 * their audit entries are already stored in the format of their routes.
 */
const audited = [
  ...[branchesOnWire, driversOnWire, articlesOnWire, extrasOnWire, quickRepliesOnWire, departmentsOnWire, tagsOnWire],
  ...[appKeysOnWire, businessOnWire, flagsOnWire, zonesOnWire, stepsOnWire, templatesOnWire, usersOnWire],
  ...[invitationsOnWire, sessionsOnWire, adAccountsOnWire, sendersOnWire, pairingsOnWire],
] as unknown as readonly RecordOnWire<never>[];

export const administrationModule = moduleOf(({ provide, provideTick }) => {
  provideRecords(provide, branchesOnWire, branchesTable);
  provideRecords(provide, driversOnWire, driversTable);
  provideRecords(provide, articlesOnWire, articlesTable);
  provideRecords(provide, extrasOnWire, extrasTable);
  provideRecords(provide, quickRepliesOnWire, quickRepliesTable);
  provide("routes", ({ cells, feed }) =>
    routesOf(departmentsOnWire, cells, (queries) => new PostgresDepartmentRecords(queries, tellOfAgents), {
      rules: { check: checkHours },
      feed,
    }),
  );
  provideRecords(provide, tagsOnWire, tagsTable);
  provide("routes", ({ cells, secrets }) => {
    const newKey = () => {
      const key = newToken("rk");
      return { key, digest: secrets.digest(key) };
    };
    const recordsOn = (queries: Queries) => new PostgresAppKeyRecords(queries, newKey);
    return routesOf(appKeysOnWire, cells, recordsOn, { rules: appKeyRules(new PostgresZones(cells)) });
  });
  provide("routes", ({ cells, secrets, config: { webhooks } }) => {
    const onWire = webhooksOnWire((url) => urlErrorOf(url, webhooks.allowPrivateUrls));
    return routesOf(onWire, cells, (queries) => new PostgresWebhookRecords(queries, newSecretBy(secrets), endRound));
  });
  provide("routes", ({ cells }) =>
    oneRecordRoutesOf(businessOnWire, cells, (queries) => new PostgresOwnBusiness(queries)),
  );
  provide("routes", ({ cells, secrets, adPlatform }) => {
    const flagsOn = (queries: Queries) => new PostgresFlags(queries);
    const rules = reportAccountRules<Flags>(adPlatform, {
      flags: async (businessId) => (await flagsOn(cells.of(businessId)).find(businessId))?.fields,
      token: async (businessId) => {
        const accesses = new SealedRecords(cells.of(businessId), secrets, adAccountsTable);
        const [access] = await accesses.list(businessId, { text: null, after: null, limit: 1 });
        const opened = access && (await accesses.opened(businessId, access.id));
        return opened?.fields.token ?? null;
      },
    });
    return oneRecordRoutesOf(flagsOnWire, cells, flagsOn, { ...rules, check: checkFlags });
  });
  provide("setOperatorFlag", ({ cells }) => {
    const flagsOn = (queries: Queries) => new PostgresFlags(queries);
    const reads = { find: (businessId: number) => flagsOn(cells.of(businessId)).find(businessId) };
    return new SetOperatorFlag(reads, unitOfWorkOf(cells, flagsOn));
  });
  provideRecords(provide, zonesOnWire, zonesTable);
  provide("routes", ({ cells }) => routesOf(stepsOnWire, cells, (queries) => new PostgresStepRecords(queries)));
  provide("routes", ({ cells, platform: approval, senderDirectory, campaignAnnouncer }) => {
    const recordsOn = (queries: Queries) => new PostgresTemplateRecords(queries);
    const platform = approvingPlatform(approval, senderDirectory);
    const syncing = new PostgresUnitOfWork(cells, (transaction) => ({
      records: recordsOn(transaction),
      audit: new PostgresAuditLog(transaction),
      campaigns: new PostgresTemplateCampaigns(transaction),
    }));
    return [
      ...routesOf(templatesOnWire, cells, recordsOn, { rules: { check: checkTemplate } }),
      ...templateRoutes(
        templatesOnWire,
        new SubmitTemplate(unitOfWorkOf(cells, recordsOn), platform, checkStructure),
        new SyncTemplates(syncing, platform, (businessId, campaignIds) =>
          campaignAnnouncer.touch(businessId, campaignIds),
        ),
      ),
    ];
  });
  provide("routes", ({ cells, secrets: { digest: digestOf }, feed, handOverChats, log }) => {
    const newInvitation = () => {
      const token = newToken("ri");
      return { token, digest: digestOf(token) };
    };
    const parts: UserParts = { newInvitation, digestOf, logAgentChanges: tellOfAgents };
    const recordsOn = (queries: Queries) => new PostgresUserRecords(queries, parts);
    const afterCommit = async ({ actor: { businessId }, id: userId, before, after }: CommittedChange<User>) => {
      if (before && leaves(before, after)) await handOverChats.executeFor({ businessId, userId });
    };
    const access = new ManageUserAccess(
      {
        find: (businessId, userId) => recordsOn(cells.of(businessId)).find(businessId, userId),
        sessions: (businessId, ...asked) =>
          new PostgresUserSessions(cells.of(businessId), digestOf).list(businessId, ...asked),
      },
      unitOfWorkOf(cells, recordsOn),
    );
    const afterChanges = { afterCommit, feed };
    return [
      ...importsOf(usersOnWire, cells, log, recordsOn, { ...afterChanges, rowsAtOnce: usersAtOnce }),
      ...routesOf(usersOnWire, cells, recordsOn, afterChanges),
      ...userAccessRoutes(access),
      ...ownSessionRoutes(access),
    ];
  });
  provide("routes", ({ cells, secrets, adPlatform }) => {
    const recordsOn = (queries: Queries) => new SealedRecords(queries, secrets, adAccountsTable);
    const stored: StoredAdAccess = {
      opened: (businessId, id) => recordsOn(cells.of(businessId)).opened(businessId, id),
    };
    return routesOf(adAccountsOnWire, cells, recordsOn, { rules: adAccountRules(adPlatform, stored) });
  });
  provide(
    "senderPlatforms",
    ({ httpClient, config: { messagingPlatform, channels: urls }, instanceWebhook }) =>
      new HttpSenderPlatforms({ client: httpClient, messagingPlatform, urls, webhookOf: instanceWebhook }),
  );
  provide("routes", ({ cells, secrets, senderPlatforms }) => {
    const recordsOn = (queries: Queries) => new PostgresSenderRecords(queries, secrets);
    const instances: InstanceReads = {
      opened: (businessId, id) => recordsOn(cells.of(businessId)).opened(businessId, id),
      now: (businessId) => recordsOn(cells.of(businessId)).now(),
    };
    const pairing = new PairSenders(instances, senderPlatforms, unitOfWorkOf(cells, recordsOn));
    return [
      pairingRoute(pairing),
      ...routesOf(sendersOnWire, cells, recordsOn, { rules: senderRules(senderPlatforms) }),
    ];
  });
  provide("routes", ({ cells }) => [
    auditRoute(new ReadAudit(new PostgresAuditReads(cells), new PostgresZones(cells)), audited),
  ]);
  provideTick("audit.purge", 3600, ({ cells }, signal) => new PostgresAuditReads(cells).purge(signal));
});

/** Submits and lists templates through the business's own number. */
function approvingPlatform(approval: TemplateApproval, senders: SenderDirectory): ApprovingPlatform {
  const senderOf = async (businessId: number) => {
    const sender = await senders.of(businessId, cloudChannel);
    if (!sender) throw new NoSender(`business ${businessId}`);
    return sender;
  };
  return {
    submit: async (businessId, template) => approval.submit(await senderOf(businessId), template),
    list: async (businessId) => approval.review(await senderOf(businessId)),
  };
}
