import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresCampaignMessages } from "../inbox/adapters/postgres/sends/campaign-messages.ts";
import { sideBySide } from "../infra/postgres/cells/side-by-side.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell } from "../infra/postgres/database.ts";
import { refusesValues } from "../infra/postgres/database-failure.ts";
import { GrownTables } from "../infra/postgres/grown-tables.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { campaignRoutes } from "../messaging/adapters/http/campaigns/campaign.routes.ts";
import {
  previewCampaignRoute,
  registerCampaignRoute,
} from "../messaging/adapters/http/campaigns/register-campaign.routes.ts";
import { PostgresCampaignControl } from "../messaging/adapters/postgres/campaigns/campaign-control.ts";
import { PostgresCampaignQueue } from "../messaging/adapters/postgres/campaigns/campaign-queue.ts";
import { PostgresCampaignReads } from "../messaging/adapters/postgres/campaigns/campaign-reads.ts";
import { PostgresCampaignRecipients } from "../messaging/adapters/postgres/campaigns/campaign-recipients.ts";
import {
  PostgresCampaignRegister,
  PostgresNewCampaigns,
} from "../messaging/adapters/postgres/campaigns/campaign-register.ts";
import {
  CampaignAnnouncer,
  DispatchCampaigns,
  PreviewCampaign,
  RecordCampaign,
  RegisterCampaign,
  SettleCampaigns,
  type Timing,
} from "../messaging/public.ts";
import type { Config } from "./config.ts";
import { moduleOf, type Services } from "./provide.ts";

/** Wakes the workers that send campaigns. */
const campaignsDue = "campaigns_due";

const timing: Timing = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
};

/** The longest time from claiming a recipient until its outcome is recorded. */
const recipientLeaseSeconds = ({ campaigns, messagingPlatform }: Config): number =>
  campaigns.sendWithinSeconds + Math.ceil(messagingPlatform.timeoutMs / 1_000) + campaigns.recordWithinSeconds;

export const campaignsModule = moduleOf(({ provide, provideTick, provideBackground }) => {
  provide(
    "campaignQueue",
    ({ cells, secrets, config }) =>
      new PostgresCampaignQueue(cells, secrets, {
        // A worker may begin sends for `sendWithinSeconds` after a claim. The lease keeps other workers out meanwhile.
        senderLeaseSeconds: config.campaigns.sendWithinSeconds + 1,
        recipientLeaseSeconds: recipientLeaseSeconds(config),
      }),
  );
  provide(
    "campaignAnnouncer",
    ({ campaignQueue, feed, log }) =>
      new CampaignAnnouncer(campaignQueue, feed, timing, (error) =>
        log.warn({ err: error }, "the progress of campaigns could not be announced"),
      ),
  );
  provide("recordCampaign", (services) => recorderIn(services, services.cells));
  provide("settleCampaigns", (services) => {
    const recorders = services.cells.parts().map((part) => recorderIn(services, part));
    const recordStragglers = async (signal?: AbortSignal) =>
      void (await sideBySide(recorders, (recorder) => recorder.recordStragglers(signal)));
    return new SettleCampaigns({ recordStragglers }, services.campaignQueue, services.campaignAnnouncer);
  });
  provide(
    "dispatchCampaigns",
    ({ campaignQueue, cells, channels, recordCampaign, campaignAnnouncer, config, log }) =>
      new DispatchCampaigns(
        campaignQueue,
        new GrownTables(cells),
        channels,
        recordCampaign,
        campaignAnnouncer,
        timing,
        {
          worker: randomUUID(),
          mostSenders: config.campaigns.sendersAtATime,
          sendWithinMs: config.campaigns.sendWithinSeconds * 1_000,
          concurrency: config.campaigns.requestsAtATime,
          recordAtMost: 500,
        },
        (error) => log.error({ err: error }, "a campaign failed unexpectedly"),
      ),
  );
  provideBackground("campaigns", "intake", ({ dispatchCampaigns, notifications, config: { role } }) => {
    if (role !== "api") notifications.onWork(campaignsDue, () => dispatchCampaigns.wake());
    return { stop: () => dispatchCampaigns.stop() };
  });
  provideBackground("progress of campaigns", "work", ({ campaignAnnouncer }) => ({
    stop: () => campaignAnnouncer.settled(),
  }));
  // Wakes the workers for scheduled campaigns that are due, and in case a notification was lost.
  provideTick("campaigns.dispatch", 2, async ({ notifications }) => notifications.notify(campaignsDue));
  provideTick("campaigns.settle", 5, ({ settleCampaigns }, signal) => settleCampaigns.execute(signal));

  provide("routes", (services) => {
    const { slowCells: cells, templateCache, config, nameDocuments, notifications } = services;
    const register = new PostgresCampaignRegister(cells, services.secrets);
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      campaigns: new PostgresNewCampaigns(transaction),
    }));
    const dispatch = () => notifications.notify(campaignsDue);
    return [
      registerCampaignRoute(
        new RegisterCampaign(
          register,
          unitOfWork,
          templateCache,
          config.media.baseUrl || null,
          nameDocuments,
          dispatch,
        ),
      ),
      previewCampaignRoute(new PreviewCampaign(register, services.platform, services.senderCapacities)),
    ];
  });
  provide("routes", ({ cells, slowCells, campaignAnnouncer, notifications }) =>
    campaignRoutes(
      new PostgresCampaignReads(cells),
      new PostgresCampaignReads(slowCells),
      new PostgresCampaignControl(cells),
      (businessId, campaignId) => {
        notifications.notify(campaignsDue);
        campaignAnnouncer.touch(businessId, [campaignId]);
      },
    ),
  );
});

function recorderIn({ feed, campaignAnnouncer, log }: Services, cells: Cells<Cell>): RecordCampaign {
  const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
    recipients: new PostgresCampaignRecipients(transaction),
    inbox: new PostgresCampaignMessages(transaction),
  }));
  return new RecordCampaign(unitOfWork, feed, (businessId, ids) => campaignAnnouncer.touch(businessId, ids), {
    isOfRows: refusesValues,
    onUnrecorded: (error, campaignId, position) =>
      log.error({ err: error, campaignId, position }, "the outcome of a message cannot be stored"),
  });
}
