import { readConfig } from "../../src/bootstrap/config.ts";
import { createContainer } from "../../src/bootstrap/container.ts";
import { apiRoutes } from "../../src/bootstrap/service.ts";
import type { Route } from "../../src/infra/http/routing/route.ts";
import { bareEnvironment } from "../support/environment.ts";

/** The routes of the API, without a running service. */
export function servedRoutes(): Route[] {
  return apiRoutes(createContainer(readConfig(bareEnvironment)));
}

/** Routes of features, unlike those that serve documents. */
export const isOfFeature = (route: Route): boolean => route.tag !== "documentation";
