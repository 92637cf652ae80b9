import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lazyScreen } from "../shared/load-part.ts";
import { campaignSearch } from "./campaign-search.ts";

export const campaignsRoutes = <Root extends AnyRoute>(root: Root) => {
  const list = createRoute({
    getParentRoute: () => root,
    path: "campaigns",
    component: lazyScreen(() => import("./campaigns-screen.tsx"), "CampaignsScreen"),
    validateSearch: campaignSearch,
  });
  const newCampaign = createRoute({
    getParentRoute: () => root,
    path: "campaigns/new",
    component: lazyScreen(() => import("./new-campaign.tsx"), "NewCampaignScreen"),
  });
  const campaign = createRoute({
    getParentRoute: () => root,
    path: "campaigns/$campaign",
    component: lazyScreen(() => import("./campaign-screen.tsx"), "CampaignScreen"),
  });
  return [list, newCampaign, campaign] as const;
};
