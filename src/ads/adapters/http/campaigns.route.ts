import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import {
  integer,
  nullableText,
  numericIdOf,
  objectWith,
  problem,
  withOptional,
} from "../../../infra/http/routing/schema.ts";
import type { ListCampaigns, ListedCampaigns } from "../../application/list-campaigns.ts";
import { spendNumber } from "../../domain/ads.ts";
import {
  campaign,
  campaignToWire,
  common,
  date,
  orRetryLater,
  platformId,
  preset,
  unavailable,
  wholeOrFailed,
} from "./wire.ts";

const query = withOptional(objectWith({ datePreset: preset, accountId: { ...platformId, example: "act_1" } }), {
  start: date,
  end: date,
  showOnlyActives: { type: "boolean", default: false },
  after: { type: "string", minLength: 1, maxLength: 2_000 },
});

/** §15 List ad campaigns. */
export const campaignsRoute = (listCampaigns: Pick<ListCampaigns, "execute">): Route =>
  defineRoute({
    ...common,
    path: "/empresas/campaigns/:businessId",
    operationId: "listAdCampaigns",
    summary: "List the campaigns of an ad account with their spend and sales",
    rules: {
      "§15.1":
        "`datePreset` is the period of the spend, on the calendar of the ad account; `start` and `end` are the period of sales, " +
        "quotations and conversations, on the calendar of the business if they have no zone. A date without a time as `end` " +
        "means the end of that day. Without them everything counts, whatever the preset is. With `period` the spend is that " +
        "of the days from `start` to `end`, which are then required.",
      "§15.2":
        "Only campaigns with an ad that has spend, sales or quotations are listed. A page without such campaigns is skipped; " +
        "only after ten of them, or five seconds, the answer is an empty page with its `next`.",
      "§15.3":
        "`totalSales`, `totalSpend` and `totalQuotations` are the sums of the campaigns in `data`: those of an account are the " +
        "sums of all its pages. `totalSpend` is in the account's currency, summed exactly and shown with at most two " +
        "decimals, halves rounded up.",
      "§15.4":
        "`next` is the `after` of the next request, whose other parameters must stay the same; it is null at the end.",
      "§15.5":
        "`sales_totales` and `ventas` count closed sales, `cotizaciones` quotations, `mensajes_iniciados` conversations of " +
        "chats from exactly that ad; those from a copy count for the copy, not for its `source_ad_id`.",
      "§15.6": "`showOnlyActives` lists only campaigns that are delivering now (`effective_status` ACTIVE).",
      "§15.7": "An account that the platform does not show the business has no campaigns.",
      "§15.8": "A business without an access token for the ad platform gets 400 'Missing token'.",
      "§15.9": wholeOrFailed,
    },
    params: objectWith({ businessId: numericIdOf("business") }),
    query,
    responses: {
      200: {
        description: "One page of campaigns",
        schema: objectWith({
          data: { type: "array", items: campaign },
          totalSales: integer,
          totalSpend: { type: "number" },
          totalQuotations: integer,
          next: nullableText,
        }),
      },
      400: { description: "A parameter is missing or wrong, no such business, or no token", schema: problem },
      500: { ...unavailable, schema: problem },
    },
    handle: ({ params: { businessId }, query }) => {
      const { datePreset, accountId, start = null, end = null, showOnlyActives, after } = query;
      const listed = listCampaigns.execute({
        businessId,
        accountId,
        preset: datePreset,
        start,
        end,
        onlyActive: showOnlyActives,
        after: after ?? null,
      });
      return orRetryLater(listed.then(toWire));
    },
  });

const toWire = ({ campaigns, totalSales, totalSpend, totalQuotations, next }: ListedCampaigns) => ({
  data: campaigns.map((each) => campaignToWire(each, each.sales, each.ads)),
  totalSales,
  totalSpend: spendNumber(totalSpend),
  totalQuotations,
  next,
});
