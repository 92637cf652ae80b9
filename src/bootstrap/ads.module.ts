import { accountsRoute } from "../ads/adapters/http/accounts.route.ts";
import { adSetsRoute } from "../ads/adapters/http/ad-sets.route.ts";
import { campaignsRoute } from "../ads/adapters/http/campaigns.route.ts";
import { MarketingApi } from "../ads/adapters/http-client/marketing-api.ts";
import { RememberedAds } from "../ads/adapters/memory/remembered-ads.ts";
import { PostgresAdCredentials } from "../ads/adapters/postgres/ad-credentials.ts";
import { PostgresAdSales } from "../ads/adapters/postgres/ad-sales.ts";
import {
  GiveAdAccess,
  ListAccounts,
  ListAdSets,
  ListCampaigns,
  NotShown,
  ReportedAds,
  WrongCursor,
} from "../ads/public.ts";
import { oneCell } from "../infra/postgres/cells.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { OccasionalLog } from "../kernel/occasional-log.ts";
import { noteOn } from "./audit.ts";
import { moduleOf } from "./provide.ts";

export const adsModule = moduleOf(({ provide }) => {
  provide("adPlatform", ({ httpClient, config, log }) => {
    const { url, version, connectTimeoutMs, requestTimeoutMs, timeoutMs, rememberSeconds } = config.adsPlatform;
    const api = new MarketingApi({
      client: httpClient,
      baseUrl: url,
      version,
      timeouts: {
        connectMs: connectTimeoutMs,
        requestMs: requestTimeoutMs,
        // At most the messaging platform's timeout: a stopping process waits for requests only 5 s longer than that.
        totalMs: Math.min(timeoutMs, config.messagingPlatform.timeoutMs),
      },
    });
    const complaints = new OccasionalLog(log);
    return new RememberedAds(api, rememberSeconds * 1_000, (err) => {
      if (err instanceof NotShown || err instanceof WrongCursor) return;
      complaints.warn({ err }, "the ad platform gave no answer");
    });
  });
  provide("adCredentials", ({ cells, secrets }) => new PostgresAdCredentials(cells, secrets));
  provide("giveAdAccess", ({ cells, secrets }) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      credentials: new PostgresAdCredentials(oneCell(transaction), secrets),
      note: noteOn(transaction),
    }));
    return new GiveAdAccess(unitOfWork);
  });
  provide("reportedAds", ({ adCredentials, adPlatform }) => new ReportedAds(adCredentials, adPlatform));
  provide("routes", ({ adCredentials, adPlatform, cells }) => {
    const sales = new PostgresAdSales(cells);
    return [
      campaignsRoute(new ListCampaigns(adCredentials, adPlatform, sales)),
      // Must come before `adSetsRoute`, which would take `accounts` for the id of a campaign.
      accountsRoute(new ListAccounts(adCredentials, adPlatform)),
      adSetsRoute(new ListAdSets(adCredentials, adPlatform, sales)),
    ];
  });
});
