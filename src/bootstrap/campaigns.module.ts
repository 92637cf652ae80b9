import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ContainerModule } from "inversify";
import { PostgresCampaignMessages } from "../inbox/adapters/postgres/campaign-messages.ts";
import { GrownTables } from "../infra/postgres/grown-tables.ts";
import { refusesValues } from "../infra/postgres/refused-values.ts";
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
import { tokens } from "./tokens.ts";

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
  provide(bind, tokens.campaignRegister, [tokens.cells, tokens.secrets], (cells, secrets) => {
    return new PostgresCampaignRegister(cells, secrets);
  });
  provide(bind, tokens.campaignReads, [tokens.cells], (cells) => new PostgresCampaignReads(cells));
  provide(bind, tokens.campaignControl, [tokens.cells], (cells) => new PostgresCampaignControl(cells));
  provide(
    bind,
    tokens.campaignProgress,
    [tokens.campaignQueue, tokens.feed, tokens.log],
    (queue, feed, log) =>
      new CampaignProgress(queue, feed, timing, (error) =>
        log.warn({ err: error }, "where campaigns stand could not be told"),
      ),
  );
  provide(
    bind,
    tokens.recordCampaign,
    [tokens.cells, tokens.feed, tokens.campaignProgress, tokens.log],
    (cells, feed, progress, log) => {
      const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
        recipients: new PostgresCampaignRecipients(transaction),
        inbox: new PostgresCampaignMessages(transaction),
      }));
      return new RecordCampaign(unitOfWork, feed, (businessId, ids) => progress.touch(businessId, ids), {
        isOfRows: refusesValues,
        onUnrecorded: (error, campaignId, position) =>
          log.error({ err: error, campaignId, position }, "what came of a message cannot be recorded as it is"),
      });
    },
  );
  provide(
    bind,
    tokens.settleCampaigns,
    [tokens.recordCampaign, tokens.campaignQueue, tokens.campaignProgress],
    (...deps) => new SettleCampaigns(...deps),
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
        (name) => channels[name],
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
    tokens.registerCampaign,
    [tokens.campaignRegister, tokens.cells, tokens.knownTemplates, tokens.config, tokens.triggers],
    (register, cells, known, { media }, triggers) => {
      const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
        campaigns: new PostgresNewCampaigns(transaction),
      }));
      return new RegisterCampaign(register, unitOfWork, known, media.baseUrl || null, () =>
        triggers.trigger("campaigns.dispatch"),
      );
    },
  );
  provide(
    bind,
    tokens.previewCampaign,
    [tokens.campaignRegister, tokens.platform],
    (register, platform) => new PreviewCampaign(register, platform),
  );

  provide(bind, tokens.tick, [tokens.dispatchCampaigns], (dispatch) => ({
    name: "campaigns.dispatch",
    everySeconds: 2,
    run: async () => dispatch.wake(),
  }));
  provide(bind, tokens.tick, [tokens.settleCampaigns], (settle) => ({
    name: "campaigns.settle",
    everySeconds: 3,
    run: (signal) => settle.execute(signal),
  }));

  provide(
    bind,
    tokens.routes,
    [
      tokens.registerCampaign,
      tokens.previewCampaign,
      tokens.campaignReads,
      tokens.campaignControl,
      tokens.campaignProgress,
      tokens.triggers,
    ],
    (register, preview, reads, control, progress, triggers) => [
      registerCampaignRoute(register),
      previewCampaignRoute(preview),
      ...campaignRoutes(reads, control, (businessId, campaignId) => {
        triggers.trigger("campaigns.dispatch");
        progress.touch(businessId, [campaignId]);
      }),
    ],
  );
});
