import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresCampaignMessages } from "../inbox/adapters/postgres/sends/campaign-messages.ts";
import { sideBySide } from "../infra/postgres/cells/side-by-side.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell } from "../infra/postgres/database.ts";
import { refusesValues } from "../infra/postgres/database-failure.ts";
import { GrownTables } from "../infra/postgres/grown-tables.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import type { EventFeed } from "../kernel/events.ts";
import type { Log } from "../kernel/log.ts";
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
import { moduleOf } from "./provide.ts";

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
    ["cells", "secrets", "config"],
    (cells, secrets, config) =>
      new PostgresCampaignQueue(cells, secrets, {
        // No other worker may take over a number while this one may still begin to send.
        senderLeaseSeconds: config.campaigns.sendWithinSeconds + 1,
        recipientLeaseSeconds: recipientLeaseSeconds(config),
      }),
  );
  provide(
    "campaignAnnouncer",
    ["campaignQueue", "feed", "log"],
    (queue, feed, log) =>
      new CampaignAnnouncer(queue, feed, timing, (error) =>
        log.warn({ err: error }, "the progress of campaigns could not be announced"),
      ),
  );
  provide("recordCampaign", ["cells", "feed", "campaignAnnouncer", "log"], recorderIn);
  provide(
    "settleCampaigns",
    ["cells", "feed", "campaignAnnouncer", "log", "campaignQueue"],
    (cells, feed, announcer, log, queue) => {
      const recorders = cells.parts().map((part) => recorderIn(part, feed, announcer, log));
      const recordStragglers = async (signal?: AbortSignal) =>
        void (await sideBySide(recorders, (recorder) => recorder.recordStragglers(signal)));
      return new SettleCampaigns({ recordStragglers }, queue, announcer);
    },
  );
  provide(
    "dispatchCampaigns",
    ["campaignQueue", "cells", "channels", "recordCampaign", "campaignAnnouncer", "config", "log"],
    (queue, cells, channels, recorder, announcer, config, log) =>
      new DispatchCampaigns(
        queue,
        new GrownTables(cells),
        channels,
        recorder,
        announcer,
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
  provideBackground(
    "campaigns",
    "intake",
    ["dispatchCampaigns", "notifications", "config"],
    (dispatch, notifications, { role }) => {
      if (role !== "api") notifications.onWork(campaignsDue, () => dispatch.wake());
      return { stop: () => dispatch.stop() };
    },
  );
  provideBackground("progress of campaigns", "work", ["campaignAnnouncer"], (announcer) => ({
    stop: () => announcer.settled(),
  }));
  // For scheduled campaigns, and for lost notifications.
  provideTick("campaigns.dispatch", 2, ["notifications"], async (notifications) => notifications.notify(campaignsDue));
  provideTick("campaigns.settle", 5, ["settleCampaigns"], (settle, signal) => settle.execute(signal));

  provide(
    "routes",
    [
      ...(["slowCells", "secrets", "templateCache", "platform"] as const),
      ...(["senderCapacities", "config", "notifications", "nameDocuments"] as const),
    ],
    (cells, secrets, known, platform, capacities, { media }, notifications, documents) => {
      const register = new PostgresCampaignRegister(cells, secrets);
      const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
        campaigns: new PostgresNewCampaigns(transaction),
      }));
      const dispatch = () => notifications.notify(campaignsDue);
      return [
        registerCampaignRoute(
          new RegisterCampaign(register, unitOfWork, known, media.baseUrl || null, documents, dispatch),
        ),
        previewCampaignRoute(new PreviewCampaign(register, platform, capacities)),
      ];
    },
  );
  provide(
    "routes",
    ["cells", "slowCells", "campaignAnnouncer", "notifications"],
    (cells, slowCells, announcer, notifications) =>
      campaignRoutes(
        new PostgresCampaignReads(cells),
        new PostgresCampaignReads(slowCells),
        new PostgresCampaignControl(cells),
        (businessId, campaignId) => {
          notifications.notify(campaignsDue);
          announcer.touch(businessId, [campaignId]);
        },
      ),
  );
});

function recorderIn(cells: Cells<Cell>, feed: EventFeed, announcer: CampaignAnnouncer, log: Log): RecordCampaign {
  const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
    recipients: new PostgresCampaignRecipients(transaction),
    inbox: new PostgresCampaignMessages(transaction),
  }));
  return new RecordCampaign(unitOfWork, feed, (businessId, ids) => announcer.touch(businessId, ids), {
    isOfRows: refusesValues,
    onUnrecorded: (error, campaignId, position) =>
      log.error({ err: error, campaignId, position }, "the outcome of a message cannot be stored"),
  });
}
