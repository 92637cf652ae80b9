import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ContainerModule } from "inversify";
import { PostgresCampaignMessages } from "../inbox/adapters/postgres/campaign-messages.ts";
import { background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell } from "../infra/postgres/database.ts";
import { GrownTables } from "../infra/postgres/grown-tables.ts";
import { refusesValues } from "../infra/postgres/refused-values.ts";
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
  CampaignProgress,
  DispatchCampaigns,
  PreviewCampaign,
  RecordCampaign,
  RegisterCampaign,
  SettleCampaigns,
  type Timing,
} from "../messaging/public.ts";
import type { Config } from "./config.ts";
import { provide } from "./provide.ts";
import { sideBySide } from "./side-by-side.ts";
import { tokens } from "./tokens.ts";

/** Tells every worker that there may be something to send. */
const campaignsDue = "campaigns_due";

const timing: Timing = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
};

/** The longest time from the claim of a recipient to the moment its outcome is written down. */
const recipientLeaseSeconds = ({ campaigns, messagingPlatform }: Config): number =>
  campaigns.sendWithinSeconds + Math.ceil(messagingPlatform.timeoutMs / 1_000) + campaigns.recordWithinSeconds;

export const campaignsModule = new ContainerModule(({ bind }) => {
  provide(
    bind,
    tokens.campaignQueue,
    [tokens.cells, tokens.secrets, tokens.config],
    (cells, secrets, config) =>
      new PostgresCampaignQueue(cells, secrets, {
        // A number is never taken over while its worker may still begin to send.
        senderLeaseSeconds: config.campaigns.sendWithinSeconds + 1,
        recipientLeaseSeconds: recipientLeaseSeconds(config),
      }),
  );
  provide(
    bind,
    tokens.campaignProgress,
    [tokens.campaignQueue, tokens.feed, tokens.log],
    (queue, feed, log) =>
      new CampaignProgress(queue, feed, timing, (error) =>
        log.warn({ err: error }, "where campaigns stand could not be told"),
      ),
  );
  provide(bind, tokens.recordCampaign, [tokens.cells, tokens.feed, tokens.campaignProgress, tokens.log], recorderIn);
  provide(
    bind,
    tokens.settleCampaigns,
    [tokens.cells, tokens.feed, tokens.campaignProgress, tokens.log, tokens.campaignQueue],
    (cells, feed, progress, log, queue) => {
      const recorders = cells.parts().map((part) => recorderIn(part, feed, progress, log));
      const recordStragglers = (signal?: AbortSignal) =>
        sideBySide(recorders, (recorder) => recorder.recordStragglers(signal));
      return new SettleCampaigns({ recordStragglers }, queue, progress);
    },
  );
  provide(
    bind,
    tokens.dispatchCampaigns,
    [
      tokens.campaignQueue,
      tokens.cells,
      tokens.channels,
      tokens.recordCampaign,
      tokens.campaignProgress,
      tokens.config,
      tokens.log,
    ],
    (queue, cells, channels, recorder, progress, config, log) =>
      new DispatchCampaigns(
        queue,
        new GrownTables(cells),
        channels,
        recorder,
        progress,
        timing,
        {
          worker: randomUUID(),
          mostSenders: config.campaigns.sendersAtATime,
          sendWithinMs: config.campaigns.sendWithinSeconds * 1_000,
          concurrency: config.campaigns.requestsAtATime,
          recordAtMost: 500,
        },
        (error) => log.error({ err: error }, "a campaign met an unexpected failure"),
      ),
  );
  provide(
    bind,
    tokens.background,
    [tokens.dispatchCampaigns, tokens.notifications, tokens.config],
    (dispatch, notifications, { role }) => {
      if (role !== "api") notifications.onWork(campaignsDue, () => dispatch.wake());
      return background("campaigns", "intake", { stop: () => dispatch.stop() });
    },
  );
  provide(bind, tokens.background, [tokens.campaignProgress], (progress) =>
    background("progress of campaigns", "work", { stop: () => progress.settled() }),
  );
  // For what comes due by itself, such as a scheduled start, and for what a process did not hear.
  provide(bind, tokens.tick, [tokens.notifications], (notifications) =>
    tick("campaigns.dispatch", 2, async () => notifications.notify(campaignsDue)),
  );
  provide(bind, tokens.tick, [tokens.settleCampaigns], (settle) =>
    tick("campaigns.settle", 5, (signal) => settle.execute(signal)),
  );

  provide(
    bind,
    tokens.routes,
    [
      tokens.slowCells,
      tokens.secrets,
      tokens.knownTemplates,
      tokens.platform,
      tokens.numberCapacities,
      tokens.config,
      tokens.notifications,
    ],
    (cells, secrets, known, platform, capacities, { media }, notifications) => {
      const register = new PostgresCampaignRegister(cells, secrets);
      const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
        campaigns: new PostgresNewCampaigns(transaction),
      }));
      const dispatch = () => notifications.notify(campaignsDue);
      return [
        registerCampaignRoute(new RegisterCampaign(register, unitOfWork, known, media.baseUrl || null, dispatch)),
        previewCampaignRoute(new PreviewCampaign(register, platform, capacities)),
      ];
    },
  );
  provide(
    bind,
    tokens.routes,
    [tokens.cells, tokens.slowCells, tokens.campaignProgress, tokens.notifications],
    (cells, slowCells, progress, notifications) =>
      campaignRoutes(
        new PostgresCampaignReads(cells),
        new PostgresCampaignReads(slowCells),
        new PostgresCampaignControl(cells),
        (businessId, campaignId) => {
          notifications.notify(campaignsDue);
          progress.touch(businessId, [campaignId]);
        },
      ),
  );
});

function recorderIn(cells: Cells<Cell>, feed: EventFeed, progress: CampaignProgress, log: Log): RecordCampaign {
  const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
    recipients: new PostgresCampaignRecipients(transaction),
    inbox: new PostgresCampaignMessages(transaction),
  }));
  return new RecordCampaign(unitOfWork, feed, (businessId, ids) => progress.touch(businessId, ids), {
    isOfRows: refusesValues,
    onUnrecorded: (error, campaignId, position) =>
      log.error({ err: error, campaignId, position }, "what came of a message cannot be recorded as it is"),
  });
}
