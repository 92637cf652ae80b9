import { expect } from "chai";
import type { Middleware } from "koa";
import { DatabaseUnavailable } from "../../src/kernel/errors.ts";
import { scopes } from "../../src/kernel/scopes.ts";
import { campaignRoutes } from "../../src/messaging/adapters/http/campaigns/campaign.routes.ts";
import type { CampaignReads } from "../../src/messaging/application/campaigns/operator-ports.ts";
import { type SampleApp, serveSample } from "../http/sample-app.ts";
import { request } from "../support/http.ts";

describe("the answer to an action on a campaign while the database cannot be reached", () => {
  let isApplied: boolean;
  let app: SampleApp;
  before(async () => {
    const away = () => Promise.reject(new DatabaseUnavailable(new Error("ECONNREFUSED"), false));
    const reads = { status: away } as Partial<CampaignReads> as CampaignReads;
    const apply = async () => (isApplied ? ({ before: "running", hasSender: true, done: true } as const) : away());
    const administrator: Middleware = (ctx, next) => {
      ctx.state.caller = { businessId: 7, keyId: 1, scopes };
      return next();
    };
    const authenticators = {
      "key-or-token": administrator,
      session: administrator,
      "key-or-session": administrator,
      "key-or-body-token": administrator,
    };
    app = await serveSample(
      campaignRoutes(reads, reads, { apply }, () => {}),
      { authenticators },
    );
  });
  after(() => app.close());

  const pause = () => request(`${app.url}/campaigns/1/pause`, { method: "POST" });

  it("invites to try again if nothing was done", async () => {
    isApplied = false;
    const { status, headers } = await pause();
    expect([status, headers["retry-after"]]).to.deep.equal([503, "5"]);
  });

  it("does not invite to try again if the action was applied", async () => {
    isApplied = true;
    const { status, headers } = await pause();
    expect([status, headers["retry-after"]]).to.deep.equal([500, undefined]);
  });
});
