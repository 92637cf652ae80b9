import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { named, numericIdOf, objectWith, problem, type Schema, text } from "../../../infra/http/routing/schema.ts";
import type { ListAdSets, ListedAdSet } from "../../application/list-ad-sets.ts";
import type { AdWithFigures } from "../../domain/ads.ts";
import {
  adToWire,
  adWithCreatives,
  campaign,
  campaignToWire,
  common,
  date,
  insights,
  insightsToWire,
  listOf,
  orRetryLater,
  platformId,
  preset,
  unavailable,
  wholeOrFailed,
} from "./wire.ts";

const params = objectWith({
  businessId: numericIdOf("business"),
  campaignId: { ...platformId, example: "120210000000001" },
});

const query = {
  type: "object",
  properties: { datePreset: { ...preset, default: "today" }, accountId: platformId, start: date, end: date },
} as const satisfies Schema;

const adSet = named("AdSet", objectWith({ id: text, name: text, insights, ads: listOf(adWithCreatives), campaign }));

/** §16 List ad sets of a campaign. */
export const adSetsRoute = (listAdSets: Pick<ListAdSets, "execute">): Route =>
  defineRoute({
    ...common,
    path: "/empresas/campaigns/:businessId/:campaignId",
    operationId: "listAdSets",
    summary: "List the ad sets of a campaign, and the spend and sales of each ad",
    rules: {
      "§16.1":
        "`datePreset` (`today` by default) is the period of the spend; `start` and `end` are the period of conversations, " +
        "sales and quotations, as in the list of campaigns. The same applies to `period`.",
      "§16.2":
        "The campaign is searched in `accountId`, else in the business's default account, else in all that the business may " +
        "see. A campaign that the platform does not show there has no ad sets, nor has anything that is not a campaign, such " +
        "as an account.",
      "§16.3":
        "`campaign` is as in the list of campaigns, except that its `ads` are those of the ad set. `sales_totales` counts the " +
        "sales of all ads of the campaign.",
      "§16.4": "A business without an access token for the ad platform gets 400 'Missing token'.",
      "§16.5": wholeOrFailed,
    },
    params,
    query,
    responses: {
      200: { description: "All ad sets of the campaign", schema: listOf(adSet) },
      400: { description: "A parameter is wrong, no such business, or no token", schema: problem },
      500: { ...unavailable, schema: problem },
    },
    handle: ({
      params: { businessId, campaignId },
      query: { datePreset, accountId = null, start = null, end = null },
    }) => {
      const listed = listAdSets.execute({ businessId, campaignId, preset: datePreset, accountId, start, end });
      return orRetryLater(listed.then((adSets) => ({ data: adSets.map(toWire) })));
    },
  });

const toWire = ({ id, name, insights: rows, ads, campaign: facts, campaignSales }: ListedAdSet) => ({
  id,
  name,
  insights: insightsToWire(rows),
  ads: { data: ads.map(withCreatives) },
  campaign: campaignToWire(facts, campaignSales, ads),
});

const withCreatives = (each: AdWithFigures) => ({
  ...adToWire(each),
  adcreatives: {
    data: each.creatives.map(({ id, thumbnailUrl, imageUrl }) => ({
      id,
      thumbnail_url: thumbnailUrl,
      image_url: imageUrl,
    })),
  },
});
