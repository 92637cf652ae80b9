import { readConfig } from "../../src/bootstrap/config.ts";
import { createContainer } from "../../src/bootstrap/container.ts";
import { apiRoutes } from "../../src/bootstrap/service.ts";
import type { Route } from "../../src/infra/http/routing/route.ts";
import { bareEnvironment } from "../support/environment.ts";

/** The routes of the API as they are served, to be looked at: nothing behind them is there. */
export function servedRoutes(): Route[] {
  return apiRoutes(createContainer(readConfig(bareEnvironment)));
}

/** Those that a feature brings; the others document them. */
export const isOfFeature = (route: Route): boolean => route.tag !== "documentation";
