import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { campaignSearch } from "./campaign-search.ts";

export const campaignsRoutes = <Root extends AnyRoute>(root: Root) => {
  const list = createRoute({
    getParentRoute: () => root,
    path: "campaigns",
    component: lazyRouteComponent(() => import("./campaigns-screen.tsx"), "CampaignsScreen"),
    validateSearch: campaignSearch,
  });
  const newCampaign = createRoute({
    getParentRoute: () => root,
    path: "campaigns/new",
    component: lazyRouteComponent(() => import("./new-campaign.tsx"), "NewCampaignScreen"),
  });
  const campaign = createRoute({
    getParentRoute: () => root,
    path: "campaigns/$campaign",
    component: lazyRouteComponent(() => import("./campaign-screen.tsx"), "CampaignScreen"),
  });
  return [list, newCampaign, campaign] as const;
};
